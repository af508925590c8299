// POST /tts/bytes of Cartesia. Fields as the package @cartesia/cartesia-js 4.2 sends them; a test holds the two against each other.
// No seed.

import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedFormat, AskedSound } from '../../speech/audio-format.ts';
import { languageCode } from '../../speech/language-tag.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

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

export const createCartesiaService = ({ model = MODEL }: KindSettings): ServiceKind => ({
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
  toHttp: ({ text, voice, speed, language }, { apiKey }, sound) => ({
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
  }),
});
