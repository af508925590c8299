// What every vendor's request becomes, and how one is read: by a schema that ignores unknown fields, and a mapping. Pure:
// the routes do the rest.

import { z } from 'zod';
import { type Checked, type FieldFault, fieldMessage, readBySchema } from '../../base/check-fields.ts';
import type { Language } from '../../speech/language.ts';
import { atMostCharacters, MAX_REQUEST_TEXT, numberFrom } from '../../speech/speech-request.ts';
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
  /** Hz that the caller has named. */
  readonly namedRate?: number | undefined;
  readonly sound: Sound;
};

export type Read<T> = Checked<T>;
export type Refused = Extract<Read<unknown>, { readonly ok: false }>;

export const refused = (fault: FieldFault): Refused => ({
  ok: false,
  field: fault.field,
  message: fieldMessage(fault),
});

export const readFields = <T>(schema: z.ZodType<T>, given: unknown, whole = 'body'): Read<T> =>
  readBySchema(schema, given, whole);

export const textField = z
  .string()
  .min(1)
  .refine(atMostCharacters(MAX_REQUEST_TEXT), `must have at most ${MAX_REQUEST_TEXT} characters`);
export const voiceField = z.string().min(1).max(2048);
/** What the speech service takes; vendors allow less. */
export const speedField = numberFrom(0.1, 5);

/** A number in a query, where everything is text. */
export const numberInQuery = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a number')
    .transform(Number)
    .pipe(schema);
