// POST {base}/audio/speech: OpenAI and the servers that have taken over its route (Kokoro-FastAPI, speaches, vLLM-Omni, LocalAI …).
// Fields as the `openai` npm package 6.49 sends them; a test holds the two against each other. No seed, one voice.

import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedFormat } from '../../speech/audio-format.ts';
import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

const MODEL = 'gpt-4o-mini-tts';
const VOICE = 'alloy';
const PCM_RATE = 24_000;
const FORMATS: Readonly<Partial<Record<AskedFormat, string>>> = {
  mp3: 'mp3',
  raw: 'pcm',
  wav: 'wav',
  ogg: 'opus',
};

export const createOpenAiService = ({ model = MODEL }: KindSettings): ServiceKind => ({
  // "The maximum length is 4096 characters" (the package's own types).
  shape: { voices: 'one', maxText: 4096 },
  ignored: ['seed', 'temperature', 'language', 'voiceConditioningSeconds', 'voiceConditioningSeconds2'],
  warmPath: '/models',
  // OpenAI's PCM has 24 kHz, which answers do not tell, and other servers have other rates: MP3 tells its own.
  sounds: {
    sounds: [
      { format: 'mp3', rates: 'own' },
      { format: 'raw', rates: [PCM_RATE] },
      { format: 'wav', rates: 'own' },
      { format: 'ogg', rates: 'own' },
    ],
    prefers: 'mp3',
    limit: 'requests',
  },
  usualPcmRate: PCM_RATE,
  toHttp: ({ text, voice, speed, prompt }, { apiKey }, sound) => ({
    path: '/audio/speech',
    headers: {
      // A server at home may have no keys.
      ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      'content-type': 'application/json',
      accept: acceptOf(sound),
    },
    body: JSON.stringify({
      model,
      input: text,
      voice: voice ?? VOICE,
      response_format: FORMATS[sound.format],
      speed: speed === undefined ? undefined : clamped(speed, 0.25, 4),
      instructions: prompt ?? undefined,
    }),
  }),
});
