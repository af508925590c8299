// A voice in a list of voices (ours: `GET /api/v1/voices`); the id is the name that requests use.

import { z } from 'zod';

export const listedVoiceSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  gender: z.string().optional(),
  language: z.string().optional(),
  description: z.string().optional(),
});

export type ListedVoice = z.infer<typeof listedVoiceSchema>;
