// Where the clients of another vendor put their API key: a header of its own, or `Authorization` behind one of its schemes.

import type { HeaderLines } from '../../access/header-lines.ts';
import { AppError } from '../../base/app-error.ts';

export type KeyPlaces = {
  /** A header that holds nothing but the key, in lower case; it goes before `authorization`. */
  readonly header?: string;
  /** Of `Authorization`, in lower case. */
  readonly schemes: readonly string[];
};

/** Two lines would let a proxy check one and us believe the other. */
function only(name: string, lines: readonly string[] | undefined): string | undefined {
  if (lines !== undefined && lines.length > 1)
    throw new AppError('unauthorized', `The header ${name} is there twice; send it once.`);
  return lines?.[0];
}

/** Undefined when there is none, or in a form that is not this vendor's. Throws `unauthorized` for a header given twice. */
export function readRequestKey(headers: HeaderLines, { header, schemes }: KeyPlaces): string | undefined {
  const own = header === undefined ? undefined : only(header, headers[header])?.trim();
  if (own !== undefined && own !== '') return own;
  const [, scheme, key] =
    /^\s*([\w-]+) +(\S+)\s*$/.exec(only('Authorization', headers.authorization) ?? '') ?? [];
  return scheme !== undefined && schemes.includes(scheme.toLowerCase()) ? key : undefined;
}
