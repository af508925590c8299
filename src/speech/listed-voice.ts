// A voice in a list of voices (ours: `GET /api/v1/voices`); the id is the name that requests use.

import { z } from 'zod';
import type { AppError } from '../base/app-error.ts';
import { fieldError } from '../base/check-fields.ts';
import { meantName } from '../base/shown-value.ts';

export const listedVoiceSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  gender: z.string().optional(),
  language: z.string().optional(),
  description: z.string().optional(),
  upstream: z
    .string()
    .optional()
    .describe('The speech service that has it, or several by commas; absent where there is only one'),
});

export type ListedVoice = z.infer<typeof listedVoiceSchema>;

/** `id` names no voice of a service whose voices are all known; `known`: the names that its caller may use. */
export const unknownVoice = (field: string, id: string, known: readonly string[]): AppError =>
  fieldError({
    field,
    allowed: 'there is no such voice here',
    name: id,
    todo: `GET /api/v1/voices lists the ids and names that there are${meantName(id, known)}`,
  });
