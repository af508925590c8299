// POST /v1/speak of Deepgram: a voice is a model there. Fields as the package @deepgram/sdk 5.13 sends them; a test holds the two
// against each other. No seed.

import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

const VOICE = 'aura-2-thalia-en';

function mediaOf({ format, sampleRate }: AskedSound): Record<string, string> {
  if (format === 'mp3') return { encoding: 'mp3' };
  const encoding = format === 'raw' ? 'linear16' : format;
  return { encoding, sample_rate: String(sampleRate), container: 'none' };
}

export const createDeepgramService = ({ model = VOICE }: KindSettings): ServiceKind => ({
  // "Input text may not exceed 2000 characters" (their page on text to speech by REST).
  shape: { voices: 'one', maxText: 2000 },
  ignored: [
    'seed',
    'temperature',
    'language',
    'prompt',
    'prompt2',
    'voiceConditioningSeconds',
    'voiceConditioningSeconds2',
  ],
  names: { model: 'voice', encoding: 'outputFormat', sample_rate: 'sampleRate' },
  warmPath: '/v1/models',
  // "Sample rate" and "encoding" of their page on media output: MP3 has a rate of its own.
  sounds: {
    sounds: [
      { format: 'mp3', rates: 'own' },
      { format: 'mulaw', rates: [8000, 16_000] },
      { format: 'alaw', rates: [8000, 16_000] },
      { format: 'raw', rates: [8000, 16_000, 24_000, 32_000, 48_000] },
    ],
    prefers: 'listener',
    limit: 'at-once',
  },
  toHttp({ text, voice, speed }, { apiKey }, sound) {
    const query = new URLSearchParams({ model: voice ?? model, ...mediaOf(sound) });
    if (speed !== undefined) query.set('speed', String(clamped(speed, 0.7, 1.5)));
    return {
      path: `/v1/speak?${query.toString()}`,
      headers: {
        authorization: `Token ${apiKey}`,
        'content-type': 'application/json',
        accept: acceptOf(sound),
      },
      body: JSON.stringify({ text }),
    };
  },
});
