// The form fields of a PlayNote (service interface 4.3) as one schema. A form has no null: an empty value or the word `null` means
// it, where the interface allows a null.

import { z } from 'zod';
import { LANGUAGES } from './language.ts';
import { choiceFields } from './upstream-names.ts';

export const SYNTHESIS_STYLES = ['podcast', 'executive-briefing', 'childrens-story', 'debate'] as const;
const GENDERS = ['Male', 'Female'] as const;

const MAX_NAME_LENGTH = 80;
const nothing = (value: unknown) => (value === '' || value === 'null' ? null : value);
const orNull = <Inner extends z.ZodType>(inner: Inner) => z.preprocess(nothing, inner.nullable());
/** Left out is as good as null. */
const orAbsent = <Inner extends z.ZodType>(inner: Inner) => z.preprocess(nothing, inner.nullish());

const voice = z.string().min(1).max(2048);
/** Of a second voice that is not there, too (interface 4.3): nobody is called by it. */
const name = z.string().trim().min(1).max(MAX_NAME_LENGTH);
const gender = z.enum(GENDERS);
const webAddress = z.url({ protocol: /^https?$/ }).max(2048);

export const playNoteFieldsSchema = z.strictObject({
  sourceFileUrl: webAddress.optional().describe('Exactly one of sourceFile and sourceFileUrl'),
  synthesisStyle: z.enum(SYNTHESIS_STYLES),
  voice1: voice,
  voice1Name: orNull(name),
  voice1Gender: orAbsent(gender),
  voice2: orAbsent(voice),
  voice2Name: orAbsent(name),
  voice2Gender: orAbsent(gender),
  webHookUrl: webAddress.optional(),
  name: z.string().trim().min(1).max(200).optional().describe('Ours: the title; else that of the source'),
  language: z.enum(LANGUAGES).optional().describe('Ours: else that of the source'),
  ...choiceFields,
});

export type PlayNoteFields = z.infer<typeof playNoteFieldsSchema>;
