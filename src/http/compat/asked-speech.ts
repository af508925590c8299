// What every vendor's request becomes, and how one is read: by a schema that ignores unknown fields, and a mapping. Pure:
// the routes do the rest.

import { z } from 'zod';
import { formatIssues } from '../../base/format-issues.ts';
import type { Language } from '../../speech/language.ts';
import { atMostCharacters, MAX_REQUEST_TEXT } from '../../speech/speech-request.ts';
import type { Sound } from './sound.ts';

export type AskedLine = {
  readonly text: string;
  /** An alias or a voice of the speech service; undefined: the gateway's own. */
  readonly voice: string | undefined;
};

export type AskedSpeech = {
  /** At least one; of at most two different voices. */
  readonly lines: readonly AskedLine[];
  readonly language: Language | undefined;
  readonly speed: number | undefined;
  readonly seed?: number | undefined;
  /** How it is to be said. */
  readonly prompt?: string | undefined;
  readonly markup: 'strip' | 'keep';
  readonly sound: Sound;
};

export type Refused = {
  readonly ok: false;
  /** What is wrong, by its name in the request; '' where it is all of it. */
  readonly field: string;
  /** For people; begins with the field. */
  readonly message: string;
};
export type Read<T> = { readonly ok: true; readonly value: T } | Refused;

export const refused = (field: string, message: string): Refused => ({
  ok: false,
  field,
  message: field === '' ? message : `${field}: ${message}`,
});

/** Values of the wrong kind are named and not shown, for they may be text. */
export function readFields<T>(schema: z.ZodType<T>, given: unknown): Read<T> {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const { issues } = parsed.error;
  // The name of a field is as long as the caller likes.
  const field = (issues[0]?.path ?? []).map(String).join('.').slice(0, 80);
  return { ok: false, field, message: formatIssues(issues) };
}

export const textField = z
  .string()
  .min(1)
  .refine(atMostCharacters(MAX_REQUEST_TEXT), `must have at most ${MAX_REQUEST_TEXT} characters`);
export const voiceField = z.string().min(1).max(2048);
/** What the speech service takes; vendors allow less. */
export const speedField = z.number().min(0.1).max(5);

/** A number in a query, where everything is text. */
export const numberInQuery = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a number, given once')
    .transform(Number)
    .pipe(schema);
