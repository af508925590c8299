// POST /tts/bytes of Cartesia. Fields as the package @cartesia/cartesia-js 4.2 sends them; a test holds the two against each other.
// No seed.

import { languageCode } from '../../speech/language-tag.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

const MODEL = 'sonic-3';
/** The version of their interface that the package of that version names; requests without one are refused. */
const VERSION = '2026-08-14';
/** A voice of their own examples; others come by the settings. */
const VOICE = 'a0e99841-438c-4a64-b679-ae501e7d6091';

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
  toHttp: ({ text, voice, speed, language }, { apiKey }) => ({
    path: '/tts/bytes',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'cartesia-version': VERSION,
      'content-type': 'application/json',
      accept: 'audio/mpeg',
    },
    body: JSON.stringify({
      model_id: model,
      transcript: text,
      voice: { mode: 'id', id: voice ?? VOICE },
      language: language == null ? undefined : languageCode(language),
      output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
      generation_config: speed === undefined ? undefined : { speed: clamped(speed, 0.6, 1.5) },
    }),
  }),
});
