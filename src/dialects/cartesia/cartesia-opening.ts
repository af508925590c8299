// What the first message of a context says about how it is spoken, in native terms. Later messages repeat it, and what
// they say is not looked at: a context keeps what it began with.

import { z } from 'zod';
import { formatIssues } from '../../base/format-issues.ts';
import { MAX_SAMPLE_RATE, MIN_SAMPLE_RATE, type SessionFormat } from '../../speech/audio-format.ts';
import { languageOfTag } from '../../speech/language-tag.ts';
import type { CommandOf } from '../native-messages.ts';

/** How the session's audio becomes what the client asked for. */
export type SampleForm = 'as-sent' | 'float32';

export type CartesiaOpening = {
  readonly fields: Pick<CommandOf<'append'>, 'format' | 'sampleRate' | 'voice' | 'language' | 'speed'>;
  readonly captions: 'off' | 'words';
  readonly samples: SampleForm;
  /** `at-once`: the client gathers whole sentences itself, and wants no waiting for more. */
  readonly begin: 'at-once' | 'when-sure';
};

export type ReadOpening =
  | { readonly ok: true; readonly opening: CartesiaOpening }
  | { readonly ok: false; readonly message: string };

const ENCODINGS = {
  pcm_s16le: { format: 'raw', samples: 'as-sent' },
  pcm_f32le: { format: 'raw', samples: 'float32' },
  pcm_mulaw: { format: 'mulaw', samples: 'as-sent' },
  pcm_alaw: { format: 'alaw', samples: 'as-sent' },
} as const satisfies Record<string, { format: SessionFormat; samples: SampleForm }>;

const voiceId = z.string().min(1).max(2048);

const schema = z.object({
  // Without an id the gateway's own voice speaks.
  voice: z
    .union([voiceId, z.object({ mode: z.literal('id').nullish(), id: voiceId.nullish() })], {
      error: 'must be the id of a voice, as a string or as {"mode":"id","id":…}',
    })
    .nullish(),
  language: z.string().nullish(),
  locale: z.string().nullish(),
  output_format: z.object({
    container: z.literal('raw').nullish(),
    encoding: z.enum(Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[]),
    sample_rate: z.int().min(MIN_SAMPLE_RATE).max(MAX_SAMPLE_RATE),
  }),
  // A speed in words belongs to voices that are not ours.
  generation_config: z
    .object({ speed: z.union([z.number().min(0.1).max(5), z.string()]).nullish() })
    .nullish(),
  add_timestamps: z.boolean().nullish(),
  max_buffer_delay_ms: z.unknown().optional(),
});

export function readCartesiaOpening(message: object): ReadOpening {
  const parsed = schema.safeParse(message, { reportInput: true });
  if (!parsed.success) return { ok: false, message: formatIssues(parsed.error.issues) };
  const { voice, language, locale, output_format, generation_config, add_timestamps } = parsed.data;
  const isUnbuffered = parsed.data.max_buffer_delay_ms === 0;
  if (language != null && locale != null)
    return { ok: false, message: 'locale: a request has a language or a locale, not both.' };
  const tag = language ?? locale ?? '';
  const spoken = languageOfTag(tag);
  if (tag !== '' && spoken === undefined)
    return { ok: false, message: 'language: is none that the speech service speaks.' };
  const id = typeof voice === 'string' ? voice : voice?.id;
  const speed = generation_config?.speed;
  const { format, samples } = ENCODINGS[output_format.encoding];
  return {
    ok: true,
    opening: {
      fields: {
        format,
        sampleRate: output_format.sample_rate,
        ...(id != null && { voice: id }),
        ...(spoken !== undefined && { language: spoken }),
        ...(typeof speed === 'number' && { speed }),
      },
      captions: add_timestamps === true ? 'words' : 'off',
      samples,
      begin: isUnbuffered ? 'at-once' : 'when-sure',
    },
  };
}
