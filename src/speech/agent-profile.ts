// An agent is a stored speaking profile (ours: the service interface names the endpoints in 4.6 and 8, and no fields). A
// session names it by `?agent=ID`, a job by `agent`; their own fields win.

import { z } from 'zod';
import { SESSION_FORMATS, sampleRateRefusal } from './audio-format.ts';
import { sampleRateField, synthesisFields } from './speech-request.ts';
import { lastResortField, lastResortTextField, preferField, upstreamField } from './upstream-names.ts';

const MAX_ALIASES = 100;
const MAX_PRONUNCIATIONS = 500;
const MAX_GREETING_LENGTH = 2000;

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
    upstream: upstreamField
      .nullish()
      .describe('Speech services that may speak, by name and in order of preference'),
    prefer: preferField.nullish(),
    lastResort: lastResortField.nullish(),
    lastResortText: lastResortTextField.nullish(),
    format: z.enum(SESSION_FORMATS).nullish(),
    sampleRate: sampleRateField.nullish(),
    aliases: z
      .record(word, z.string().min(1).max(2048))
      .refine(
        (aliases) => Object.keys(aliases).length <= MAX_ALIASES,
        `must have at most ${MAX_ALIASES} names`,
      )
      .nullish()
      .describe('Short names for voices: what a session calls a voice, and its URI'),
    pronunciations: z
      .array(z.strictObject({ written: word, spoken }))
      .max(MAX_PRONUNCIATIONS)
      .nullish(),
    greeting: z
      .string()
      .min(1)
      .max(MAX_GREETING_LENGTH)
      .nullish()
      .describe('Spoken when a session begins, as turn "greeting"'),
  })
  .check(({ value, issues }) => {
    const { format, sampleRate } = value;
    const message = format != null && sampleRate != null ? sampleRateRefusal(format, sampleRate) : undefined;
    if (message !== undefined)
      issues.push({ code: 'custom', path: ['sampleRate'], message, input: sampleRate });
  });

export type AgentProfile = z.infer<typeof agentProfileSchema>;

/** What one session or turn adds to the record of its agent; times to first audio go into a histogram. */
export type AgentUse = {
  readonly sessions?: number;
  readonly turns?: number;
  readonly characters?: number;
  readonly spokenMs?: number;
  readonly interruptions?: number;
  readonly firstAudioMs?: readonly number[];
};

/** PATCH: given fields replace, a null removes, absent fields stay. */
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
