// The fields of POST /api/v1/tts/stream with their bounds and defaults (service interface 4.5), as one schema.
// The engine checks requests with it, the gateway checks a turn's synthesis fields with it, the documents
// (OpenAPI, AsyncAPI) are made from it.

import { z } from 'zod';
import { AUDIO_FORMATS, MAX_SAMPLE_RATE, MIN_SAMPLE_RATE, sampleRateRefusal } from './audio-format.ts';
import { LANGUAGES } from './language.ts';
import { choiceFields } from './upstream-names.ts';

/** The most one upstream request takes, in characters (interface 4.5, 8.2). */
export const MAX_REQUEST_TEXT = 20_000;
/**
 * A seed is any number from 0 (interface 4.4); the upper bound is ours: beyond it JSON does not tell neighbours apart. One that is
 * not whole is a seed like any other.
 */
export const MAX_SEED = 2 ** 53;
/** Seeds that are drawn here have 32 bits: enough, and short to write down. */
export const MAX_DRAWN_SEED = 4_294_967_295;

/** A number whose refusal names both of its bounds. */
export const numberFrom = (minimum: number, maximum: number) => {
  const error = `must be a number from ${minimum} to ${maximum}`;
  return z.number({ error }).min(minimum, { error }).max(maximum, { error });
};
/** A whole number whose refusal names both of its bounds. */
export const wholeFrom = (minimum: number, maximum: number) => {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
};
/** Hz; a format may have fewer (`sampleRateRefusal`). */
export const sampleRateField = wholeFrom(MIN_SAMPLE_RATE, MAX_SAMPLE_RATE);
/** A marker of blanks marks nothing: as good as null, which is what the interface allows. */
const marker = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() === '' ? null : value),
  z.string().max(200).nullish(),
);
const voice = z.string().min(1).max(2048);
const conditioningSeconds = numberFrom(0, 3600);

/** The fields that shape how a text is spoken: all of 4.5 but model, text, outputFormat and sampleRate. */
export const synthesisFields = {
  voice: voice.optional(),
  voice2: voice.nullish(),
  speed: numberFrom(0.1, 5).optional(),
  seed: numberFrom(0, MAX_SEED).nullish(),
  temperature: numberFrom(0, 2).nullish(),
  turnPrefix: marker,
  turnPrefix2: marker,
  prompt: z.string().max(20_000).nullish(),
  prompt2: z.string().max(20_000).nullish(),
  voiceConditioningSeconds: conditioningSeconds.nullish(),
  voiceConditioningSeconds2: conditioningSeconds.nullish(),
  language: z.enum(LANGUAGES).nullish(),
} as const;

export const synthesisSchema = z.strictObject(synthesisFields);
export type SynthesisFields = z.infer<typeof synthesisSchema>;

const isSynthesisField = (field: string): boolean => Object.hasOwn(synthesisFields, field);

/** Those fields of a request, checked before, that shape how its text is spoken. */
export const synthesisOf = (request: object): SynthesisFields =>
  Object.fromEntries(Object.entries(request).filter(([field]) => isSynthesisField(field)));

export const atMostCharacters = (limit: number) => (text: string) =>
  text.length <= limit || [...text].length <= limit;

// Rules that span several fields, the same for a stream and for a job.

type Fields = { readonly [field: string]: unknown };
export type FieldsCheck = (context: { readonly value: Fields; readonly issues: object[] }) => void;

/** An issue as zod has them, about one field. */
export const fieldIssue = (value: Fields, field: string, message: string) => ({
  code: 'custom',
  path: [field],
  message,
  input: value[field],
});

/** Two prefixes that are the same but for the space around them mark no speaker's turn. */
export const checkPrefixes: FieldsCheck = ({ value, issues }) => {
  const { turnPrefix, turnPrefix2 } = value as { turnPrefix?: string | null; turnPrefix2?: string | null };
  if (turnPrefix != null && turnPrefix.trim() === turnPrefix2?.trim())
    issues.push(
      fieldIssue(value, 'turnPrefix2', 'must differ from turnPrefix, or no one can tell whose turn begins'),
    );
};

/** The bounds 8000 and 48000 hold for every format; some have only a few rates between them. */
export const checkSampleRate: FieldsCheck = ({ value, issues }) => {
  const { outputFormat, sampleRate } = value as {
    outputFormat?: (typeof AUDIO_FORMATS)[number] | null;
    sampleRate?: number;
  };
  const refusal = sampleRate === undefined ? undefined : sampleRateRefusal(outputFormat ?? 'mp3', sampleRate);
  if (refusal !== undefined) issues.push(fieldIssue(value, 'sampleRate', refusal));
};

const streamFields = {
  ...synthesisFields,
  model: z.enum(['VoxDialog']),
  text: z
    .string()
    .min(1)
    .refine(atMostCharacters(MAX_REQUEST_TEXT), `must have at most ${MAX_REQUEST_TEXT} characters`),
  voice,
  voice2: voice.optional(),
  outputFormat: z.enum(AUDIO_FORMATS).nullish(),
  sampleRate: sampleRateField.optional(),
} as const;
const checkStream: FieldsCheck = (context) => {
  checkPrefixes(context);
  checkSampleRate(context);
};

/** The request body of 4.5, unknown fields refused. Lengths count Unicode code points. */
export const streamRequestSchema = z.strictObject(streamFields).check(checkStream as never);
/** The same of a gateway, which has several speech services to choose among. */
export const chosenRequestSchema = z
  .strictObject({ ...streamFields, ...choiceFields })
  .check(checkStream as never);

export type SpeechRequest = z.infer<typeof streamRequestSchema>;
export type ChosenSpeechRequest = z.infer<typeof chosenRequestSchema>;

/** What the gateway sends: without a voice the remote service decides. Some services have A-law, too. */
export type OutgoingRequest = Omit<SpeechRequest, 'voice' | 'outputFormat'> & {
  readonly voice?: string;
  readonly outputFormat?: SpeechRequest['outputFormat'] | 'alaw';
};

/** Fields that say how to imitate a recorded voice: accepted, and ignored by the embedded engine. */
export const RECORDED_VOICE_FIELDS = [
  'prompt',
  'prompt2',
  'voiceConditioningSeconds',
  'voiceConditioningSeconds2',
] as const;
