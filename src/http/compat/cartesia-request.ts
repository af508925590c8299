// The bodies of Cartesia's `POST /tts/bytes` and `POST /tts/sse`.

import { z } from 'zod';
import { isSampleRateOf, MAX_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../../speech/audio-format.ts';
import { languageOfTag } from '../../speech/language-tag.ts';
import {
  type AskedSpeech,
  type Read,
  readFields,
  refused,
  speedField,
  textField,
  voiceField,
} from './asked-speech.ts';
import { codedSound, plainSound, type Sound } from './sound.ts';

export type CartesiaSpeech = {
  readonly asked: AskedSpeech;
  readonly words: 'timed' | 'unasked';
  /** As the caller gave it, for the events. */
  readonly contextId: string | undefined;
};

const CODES = { pcm_s16le: 'pcm16', pcm_f32le: 'float32', pcm_mulaw: 'mulaw', pcm_alaw: 'alaw' } as const;
/** Its older models know speeds by these names. */
const NAMED_SPEEDS = { slow: 0.8, normal: 1, fast: 1.2 } as const;

const encoding = z.enum(Object.keys(CODES) as (keyof typeof CODES)[]);
const sample_rate = z.int().min(MIN_SAMPLE_RATE).max(MAX_SAMPLE_RATE);
const schema = z.object({
  transcript: textField,
  voice: z
    .union(
      [voiceField, z.object({ mode: z.literal('id').nullish(), id: voiceField }).transform(({ id }) => id)],
      { error: 'must be the id of a voice, as a string or as {"mode":"id","id":…}' },
    )
    .nullish(),
  output_format: z.discriminatedUnion('container', [
    z.object({ container: z.literal('raw'), encoding, sample_rate }),
    z.object({ container: z.literal('wav'), encoding: encoding.default('pcm_s16le'), sample_rate }),
    z.object({ container: z.literal('mp3'), sample_rate }),
  ]),
  language: z.string().max(100).nullish(),
  locale: z.string().max(100).nullish(),
  speed: z
    .enum(Object.keys(NAMED_SPEEDS) as (keyof typeof NAMED_SPEEDS)[])
    .nullish()
    .catch(undefined),
  generation_config: z.object({ speed: speedField.nullish() }).nullish(),
  add_timestamps: z.boolean().nullish(),
  context_id: z.string().max(512).nullish(),
});

function soundOf(format: z.infer<typeof schema>['output_format']): Read<Sound> {
  if (format.container !== 'mp3') {
    const container = format.container === 'wav' ? 'wav' : 'none';
    return { ok: true, value: codedSound(CODES[format.encoding], format.sample_rate, container) };
  }
  return isSampleRateOf('mp3', format.sample_rate)
    ? { ok: true, value: plainSound('mp3', format.sample_rate) }
    : refused('output_format.sample_rate', 'mp3 does not have this one');
}

export function readCartesiaSpeech(body: unknown, as: 'bytes' | 'events'): Read<CartesiaSpeech> {
  const read = readFields(schema, body);
  if (!read.ok) return read;
  const { transcript, voice, output_format, speed, generation_config, add_timestamps, context_id } =
    read.value;
  if (as === 'events' && output_format.container !== 'raw')
    return refused('output_format.container', 'must be raw; events have no container');
  const sound = soundOf(output_format);
  if (!sound.ok) return sound;
  const tag = read.value.language ?? read.value.locale;
  const language = languageOfTag(tag);
  if (tag != null && tag !== '' && language === undefined)
    return refused('language', 'this language is not spoken here');
  const named = speed == null ? undefined : NAMED_SPEEDS[speed];
  return {
    ok: true,
    value: {
      asked: {
        lines: [{ text: transcript, voice: voice ?? undefined }],
        language,
        speed: generation_config?.speed ?? named,
        markup: 'strip',
        sound: sound.value,
      },
      words: as === 'events' && add_timestamps === true ? 'timed' : 'unasked',
      contextId: context_id ?? undefined,
    },
  };
}
