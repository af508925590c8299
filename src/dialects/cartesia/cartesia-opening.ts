// What the first message of a context says about how it is spoken, in native terms. Later messages repeat it, and what
// they say is not looked at: a context keeps what it began with.

import { z } from 'zod';
import { fieldMessage, readBySchema } from '../../base/check-fields.ts';
import type { SessionFormat } from '../../speech/audio-format.ts';
import { languageFault, languageOfTag } from '../../speech/language-tag.ts';
import { numberFrom, sampleRateField } from '../../speech/speech-request.ts';
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
    sample_rate: sampleRateField,
  }),
  // A speed in words belongs to voices that are not ours.
  generation_config: z
    .object({ speed: z.union([numberFrom(0.1, 5), z.string()], { error: 'must be a number from 0.1 to 5' }).nullish() })
    .nullish(),
  add_timestamps: z.boolean().nullish(),
  max_buffer_delay_ms: z.unknown().optional(),
});

export function readCartesiaOpening(message: object): ReadOpening {
  const read = readBySchema(schema, message, 'message');
  if (!read.ok) return read;
  const { voice, language, locale, output_format, generation_config, add_timestamps } = read.value;
  const isUnbuffered = read.value.max_buffer_delay_ms === 0;
  if (language != null && locale != null)
    return { ok: false, message: 'locale: must be left out where there is a language' };
  const tag = language ?? locale ?? '';
  const spoken = languageOfTag(tag);
  if (tag !== '' && spoken === undefined)
    return { ok: false, message: fieldMessage(languageFault(language == null ? 'locale' : 'language', tag)) };
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
