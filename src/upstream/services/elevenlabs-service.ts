// POST /v1/text-to-speech/{voice}/stream of ElevenLabs. Fields as the package @elevenlabs/elevenlabs-js 2.73 sends them; a test holds
// the two against each other. Repeated seeds are "best effort" there, so a body that breaks is joined by its sound.

import { languageCode } from '../../speech/language-tag.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

/** "Must be integer between 0 and 4294967295" (the package's own types). */
const SEEDS = 2 ** 32;
const MODEL = 'eleven_flash_v2_5';
/** "Rachel", which their own examples used for years; ids of other voices come by the settings. */
const VOICE = '21m00Tcm4TlvDq8ikWAM';

export const createElevenLabsService = ({ model = MODEL }: KindSettings): ServiceKind => ({
  // 10,000 characters for Multilingual v2, 40,000 for Flash.
  shape: { voices: 'one', maxText: 10_000 },
  ignored: ['temperature', 'prompt', 'prompt2', 'voiceConditioningSeconds', 'voiceConditioningSeconds2'],
  warmPath: '/v1/models',
  toHttp: ({ text, voice, speed, seed, language }, { apiKey }) => ({
    path: `/v1/text-to-speech/${encodeURIComponent(voice ?? VOICE)}/stream?output_format=mp3_44100_128`,
    headers: { 'xi-api-key': apiKey, 'content-type': 'application/json', accept: 'audio/mpeg' },
    body: JSON.stringify({
      text,
      model_id: model,
      seed: seed == null ? undefined : Math.floor(seed) % SEEDS,
      language_code: language == null ? undefined : languageCode(language),
      voice_settings: speed === undefined ? undefined : { speed: clamped(speed, 0.7, 1.2) },
    }),
  }),
});
