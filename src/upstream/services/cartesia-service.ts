// POST /tts/bytes of Cartesia. Fields as the package @cartesia/cartesia-js 4.2 sends them; a test holds the two against each other.
// No seed.

import { z } from 'zod';
import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedFormat, AskedSound } from '../../speech/audio-format.ts';
import { languageCode } from '../../speech/language-tag.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';
import { wordsOf } from './timed-answer.ts';

const MODEL = 'sonic-3';
/** The version of their interface that the package of that version names; requests without one are refused. */
const VERSION = '2026-08-14';
/** A voice of their own examples; others come by the settings. */
const VOICE = 'a0e99841-438c-4a64-b679-ae501e7d6091';

const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const;
const ENCODINGS: Readonly<Partial<Record<AskedFormat, string>>> = {
  mulaw: 'pcm_mulaw',
  alaw: 'pcm_alaw',
  raw: 'pcm_s16le',
};

const outputOf = ({ format, sampleRate }: AskedSound) =>
  format === 'mp3'
    ? { container: 'mp3', sample_rate: sampleRate ?? 44_100, bit_rate: 128_000 }
    : { container: 'raw', encoding: ENCODINGS[format], sample_rate: sampleRate };

/** `TTSSSEEvent` of the package. */
const timedEvent = z.object({
  type: z.string(),
  data: z.string().nullish(),
  done: z.boolean().nullish(),
  status_code: z.number().nullish(),
  word_timestamps: z
    .object({ words: z.array(z.string()), start: z.array(z.number()), end: z.array(z.number()) })
    .nullish(),
});
/** Events have raw samples only: at this rate where MP3 would do. */
const TIMED_RATE = 24_000;

export const createCartesiaService = ({ model = MODEL }: KindSettings): ServiceKind => {
  const toHttp: ServiceKind['toHttp'] = ({ text, voice, speed, language }, { apiKey }, sound) => ({
    path: '/tts/bytes',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'cartesia-version': VERSION,
      'content-type': 'application/json',
      accept: acceptOf(sound),
    },
    body: JSON.stringify({
      model_id: model,
      transcript: text,
      voice: { mode: 'id', id: voice ?? VOICE },
      language: language == null ? undefined : languageCode(language),
      output_format: outputOf(sound),
      generation_config: speed === undefined ? undefined : { speed: clamped(speed, 0.6, 1.5) },
    }),
  });
  return {
    // No bound is documented; requests of some minutes keep what a break costs small.
    shape: { voices: 'one', maxText: 5000 },
    ignored: [
      'seed',
      'temperature',
      'prompt',
      'prompt2',
      'voiceConditioningSeconds',
      'voiceConditioningSeconds2',
    ],
    names: {
      ...{ transcript: 'text', model_id: 'model', voice_id: 'voice' },
      ...{ output_format: 'outputFormat', generation_config: 'speed' },
    },
    warmPath: '/',
    // Rates of `RawOutputFormat` and `MP3OutputFormat` of the package.
    sounds: {
      sounds: [
        { format: 'mp3', rates: RATES },
        { format: 'mulaw', rates: RATES },
        { format: 'alaw', rates: RATES },
        { format: 'raw', rates: RATES },
      ],
      prefers: 'listener',
      limit: 'at-once',
    },
    toHttp,
    timed: {
      form: {
        framing: 'events',
        read(piece) {
          const { type, data, done, status_code: status, word_timestamps: times } = timedEvent.parse(piece);
          if (type === 'error') return { status: status ?? 500 };
          return {
            audio: type === 'chunk' ? (data ?? undefined) : undefined,
            words: times == null ? [] : wordsOf(times.words, times.start, times.end),
            isLast: type === 'done' || done === true,
          };
        },
      },
      toHttp(request, credentials, asked) {
        const sound: AskedSound =
          asked.format === 'mp3' ? { format: 'raw', sampleRate: asked.sampleRate ?? TIMED_RATE } : asked;
        const made = toHttp(request, credentials, sound);
        const fields = JSON.parse(made.body) as Readonly<Record<string, unknown>>;
        return {
          path: '/tts/sse',
          headers: { ...made.headers, accept: 'text/event-stream' },
          body: JSON.stringify({ ...fields, add_timestamps: true }),
          sound,
        };
      },
    },
  };
};
