// The fields of a text-to-speech job (service interface 4.4) as one schema, with the rules that hold per model, and
// ours for VoxDialog-turbo. Fields that the interface does not have are marked as our own.

import { z } from 'zod';
import { AUDIO_FORMATS } from './audio-format.ts';
import { LANGUAGES } from './language.ts';
import {
  atMostCharacters,
  checkPrefixes,
  checkSampleRate,
  type FieldsCheck,
  fieldIssue,
  numberFrom,
  sampleRateField,
  synthesisFields,
} from './speech-request.ts';
import { choiceFields } from './upstream-names.ts';

export const JOB_MODELS = ['VoxDialog', 'Vox3.0-mini'] as const;
/** Offered through an endpoint of its own (4.4, last paragraph). */
export const TURBO_MODEL = 'VoxDialog-turbo';
export const QUALITIES = ['draft', 'low', 'medium', 'high', 'premium'] as const;
export type Quality = (typeof QUALITIES)[number];

/** Characters (Unicode code points) by model: interface 8.2; that of VoxDialog-turbo is ours. */
export const MAX_JOB_TEXT = { VoxDialog: 50_000, 'Vox3.0-mini': 20_000, [TURBO_MODEL]: 20_000 } as const;
export type JobModel = keyof typeof MAX_JOB_TEXT;

const MAX_TITLE_LENGTH = 200;

const commonFields = {
  ...synthesisFields,
  text: z.string().min(1),
  voice: synthesisFields.voice.unwrap(),
  outputFormat: z.enum(AUDIO_FORMATS).nullish(),
  sampleRate: sampleRateField.optional(),
  language: z.enum(LANGUAGES).optional(),
  styleGuidance: numberFrom(1, 30).nullish(),
  textGuidance: numberFrom(1, 2).nullish(),
  webHookUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullish(),
  agent: z
    .string()
    .regex(/^[!-~]{1,64}$/, 'must be the id of an agent')
    .optional()
    .describe('Ours: an agent whose profile fills what is absent'),
  name: z.string().min(1).max(MAX_TITLE_LENGTH).optional().describe('Ours: the title inside the file'),
  ...choiceFields,
  markup: z.enum(['keep', 'strip']).optional().describe('Ours: whether markup is removed before speaking'),
} as const;

/** Fields of Vox3.0-mini alone. */
const MINI_FIELDS = ['quality', 'voiceGuidance'] as const;
/** The field of VoxDialog alone: Vox3.0-mini speaks with one voice (4.4). */
const DIALOGUE_FIELD = 'voice2';
/** Of a second voice, which Vox3.0-mini has not: the interface lets it have them, and nothing comes of them. */
export const SECOND_VOICE_FIELDS = ['turnPrefix2', 'prompt2', 'voiceConditioningSeconds2'] as const;

const miniFields = {
  quality: z.enum(QUALITIES).optional().describe('Vox3.0-mini only'),
  voiceGuidance: numberFrom(1, 6).nullish().describe('Vox3.0-mini only'),
} as const;

/** Fields that one model takes and another does not; a null counts as absent. */
const checkModel: FieldsCheck = ({ value, issues }) => {
  const { model, text } = value as { model: JobModel; text: string };
  const most = MAX_JOB_TEXT[model];
  if (!atMostCharacters(most)(text))
    issues.push(fieldIssue(value, 'text', `must have at most ${most} characters with ${model}`));
  const foreign = model === 'Vox3.0-mini' ? [DIALOGUE_FIELD] : MINI_FIELDS;
  const only = model === 'Vox3.0-mini' ? 'VoxDialog' : 'Vox3.0-mini';
  for (const field of foreign)
    if (value[field] != null)
      issues.push(
        fieldIssue(value, field, `is for ${only} only, not for ${model}: leave it out, or change model`),
      );
};

const checkAll: FieldsCheck = (context) => {
  checkModel(context);
  checkPrefixes(context);
  checkSampleRate(context);
};

/** The body of POST /api/v1/tts, unknown fields refused. */
export const jobRequestSchema = z
  .strictObject({ ...commonFields, ...miniFields, model: z.enum(JOB_MODELS).default('VoxDialog') })
  .check(checkAll as never);

/** The body of POST /api/v1/tts/turbo (ours): the fields of VoxDialog. */
export const turboRequestSchema = z
  .strictObject({ ...commonFields, model: z.literal(TURBO_MODEL).default(TURBO_MODEL) })
  .check(checkAll as never);

export type JobRequest = z.infer<typeof jobRequestSchema> | z.infer<typeof turboRequestSchema>;

/** Accepted and ignored by the models here. */
const IGNORED_GUIDANCE = ['voiceGuidance', 'styleGuidance', 'textGuidance'] as const;

/** What of `request` was taken and has no effect: the reply says so in `X-Voxgate-Ignored`. */
export const ignoredFieldsOf = (request: JobRequest): readonly string[] =>
  [...IGNORED_GUIDANCE, ...(request.model === 'Vox3.0-mini' ? SECOND_VOICE_FIELDS : [])].filter(
    (field) => (request as Fields)[field] != null,
  );
type Fields = { readonly [field: string]: unknown };
