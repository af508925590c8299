// POST /v1/speak of Deepgram: a voice is a model there. Fields as the package @deepgram/sdk 5.13 sends them; a test holds the two
// against each other. No seed.

import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

const VOICE = 'aura-2-thalia-en';

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
  warmPath: '/v1/models',
  toHttp({ text, voice, speed }, { apiKey }) {
    const query = new URLSearchParams({ model: voice ?? model, encoding: 'mp3' });
    if (speed !== undefined) query.set('speed', String(clamped(speed, 0.7, 1.5)));
    return {
      path: `/v1/speak?${query.toString()}`,
      headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json', accept: 'audio/mpeg' },
      body: JSON.stringify({ text }),
    };
  },
});
