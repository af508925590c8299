// Rules of a request that span several of its fields, the same for a stream and for a job.

import { type AUDIO_FORMATS, isSampleRateOf, listedSampleRates } from './audio-format.ts';

type Fields = { readonly [field: string]: unknown };
export type FieldsCheck = (context: { readonly value: Fields; readonly issues: object[] }) => void;

/** An issue as zod has them, about one field. */
export const fieldIssue = (value: Fields, field: string, message: string) => ({
  code: 'custom',
  path: [field],
  message,
  input: value[field],
});

/** Two prefixes that are the same but for the space around them mark nobody's turn. */
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
  const format = outputFormat ?? 'mp3';
  if (sampleRate === undefined || isSampleRateOf(format, sampleRate)) return;
  const rates = listedSampleRates(format)?.join(', ') ?? 'every whole rate';
  issues.push(fieldIssue(value, 'sampleRate', `${format} can have ${rates} Hz`));
};
