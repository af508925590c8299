// A refusal by the session names the session's own fields; a caller of another protocol knows them by the names of that one.

import { AppError } from '../base/app-error.ts';

type FieldNames = Readonly<Record<string, string>>;

/** Messages begin with the field that they are about, where they are about one; those of a speech service behind what it has answered. */
export const renamedMessage = (message: string, names: FieldNames): string =>
  message.replace(/^((?:[^:]{1,80}\): )?)(\w{1,40}):/, (whole, before: string, field: string) =>
    Object.hasOwn(names, field) ? `${before}${names[field]}:` : whole,
  );

export function renamedError(error: AppError, names: FieldNames): AppError {
  const { code, message, cause, retryAfterMs, field = '' } = error;
  const renamed = renamedMessage(message, names);
  if (renamed === message) return error;
  return new AppError(code, renamed, {
    cause,
    field: names[field] ?? field,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
