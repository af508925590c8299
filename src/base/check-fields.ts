// What somebody sent, held against a schema: the value, or one refusal in the words that all refusals of fields have.

import { z } from 'zod';
import { AppError } from './app-error.ts';
import { formatIssues } from './format-issues.ts';
import { shownName, shownValue } from './shown-value.ts';

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The first field that is wrong, by its path; '' where it is all of it. */
      readonly field: string;
      /** For people; begins with the field. */
      readonly message: string;
    };

const MAX_FIELD_NAME = 80;

const fieldsOf = (schema: z.ZodType): readonly string[] | undefined =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;

/** `whole`: what all of `given` is called, such as `body`. */
export function readBySchema<T>(schema: z.ZodType<T>, given: unknown, whole: string): Checked<T> {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  const [first] = issues;
  const path = [...(first?.path ?? []), ...(first?.code === 'unrecognized_keys' ? first.keys.slice(0, 1) : [])];
  return {
    ok: false,
    field: path.map(String).join('.').slice(0, MAX_FIELD_NAME),
    message: formatIssues(issues, { whole, fields: fieldsOf(schema) }),
  };
}

/** As `readBySchema`; throws `invalid_request`. */
export function checkFields<T>(schema: z.ZodType<T>, given: unknown, whole: string): T {
  const read = readBySchema(schema, given, whole);
  if (read.ok) return read.value;
  throw new AppError('invalid_request', read.message, { field: read.field });
}

/** `allowed` is a clause behind the name of the field: "must be raw"; `todo` says what helps, where that is something else. */
export type FieldFault = {
  readonly field: string;
  readonly allowed: string;
  /** Shown where it cannot be spoken text. */
  readonly given?: string | number | boolean | undefined;
  /** What the caller calls something, such as a voice: shown whatever it is made of. */
  readonly name?: string | undefined;
  readonly todo?: string;
};

/** The one form of a refusal that a check by hand makes. */
export function fieldMessage({ field, allowed, given, name, todo }: FieldFault): string {
  const shown = name === undefined ? shownValue(given, { field, isSlip: true }) : shownName(name);
  return `${field}: ${allowed}${shown === undefined ? '' : ` (got ${shown})`}${todo === undefined ? '' : `; ${todo}`}`;
}

export const fieldError = (fault: FieldFault): AppError =>
  new AppError('invalid_request', fieldMessage(fault), { field: fault.field });
