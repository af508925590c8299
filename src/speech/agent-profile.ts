// An agent is a stored speaking profile (ours: the service interface names the endpoints in 4.6 and 8, and no fields). A
// session takes it by `?agent=ID`, a job by `agent`; what those say themselves wins.

import { z } from 'zod';
import { isSampleRateOf, MAX_SAMPLE_RATE, MIN_SAMPLE_RATE, SESSION_FORMATS } from './audio-format.ts';
import { synthesisFields } from './speech-request.ts';

const MOST_ALIASES = 100;
const MOST_PRONUNCIATIONS = 500;
const MOST_GREETING = 2000;

const word = z.string().trim().min(1).max(100);
/** One line: a break would end a sentence where the caller has none. */
const spoken = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\r\n\u2028\u2029]*$/, 'must be one line');

const { seed: _seed, turnPrefix: _prefix, turnPrefix2: _prefix2, ...spokenFields } = synthesisFields;

export const agentProfileSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    ...spokenFields,
    format: z.enum(SESSION_FORMATS).nullish(),
    sampleRate: z.int().min(MIN_SAMPLE_RATE).max(MAX_SAMPLE_RATE).nullish(),
    aliases: z
      .record(word, z.string().min(1).max(2048))
      .refine(
        (aliases) => Object.keys(aliases).length <= MOST_ALIASES,
        `must have at most ${MOST_ALIASES} names`,
      )
      .nullish()
      .describe('Short names for voices: what a session calls a voice, and its URI'),
    pronunciations: z
      .array(z.strictObject({ written: word, spoken }))
      .max(MOST_PRONUNCIATIONS)
      .nullish(),
    greeting: z
      .string()
      .min(1)
      .max(MOST_GREETING)
      .nullish()
      .describe('Spoken when a session begins, as turn "greeting"'),
  })
  .check(({ value, issues }) => {
    const { format, sampleRate } = value;
    if (format != null && sampleRate != null && !isSampleRateOf(format, sampleRate))
      issues.push({
        code: 'custom',
        path: ['sampleRate'],
        message: `is not a rate of ${format}`,
        input: sampleRate,
      });
  });

export type AgentProfile = z.infer<typeof agentProfileSchema>;

/** PATCH: fields that are given replace, a null takes away, `name` stays when it is absent. */
export const agentPatchSchema = z
  .strictObject({
    ...agentProfileSchema.shape,
    voice: agentProfileSchema.shape.voice.nullable(),
    speed: agentProfileSchema.shape.speed.nullable(),
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

/** `patch` over `profile`; throws nothing, the result is to be checked by the schema. */
export const patchProfile = (profile: AgentProfile, patch: Partial<AgentProfile>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...profile, ...patch }).filter(([, value]) => value !== undefined && value !== null),
  );

/** The voice that `name` stands for in this profile; a name that is none stands for itself. */
export const resolveVoice = <Voice extends string | null | undefined>(
  profile: AgentProfile,
  voice: Voice,
): Voice =>
  (typeof voice === 'string' && profile.aliases && Object.hasOwn(profile.aliases, voice)
    ? profile.aliases[voice]
    : voice) as Voice;
