// POST {base}/audio/speech: OpenAI and the servers that have taken over its route (Kokoro-FastAPI, speaches, vLLM-Omni, LocalAI …).
// Fields as the `openai` npm package 6.49 sends them; a test holds the two against each other. No seed, one voice.

import { clamped, type KindSettings, type ServiceKind } from './service-kind.ts';

const MODEL = 'gpt-4o-mini-tts';
const VOICE = 'alloy';

export const createOpenAiService = ({ model = MODEL }: KindSettings): ServiceKind => ({
  // "The maximum length is 4096 characters" (the package's own types).
  shape: { voices: 'one', maxText: 4096 },
  ignored: ['seed', 'temperature', 'language', 'voiceConditioningSeconds', 'voiceConditioningSeconds2'],
  warmPath: '/models',
  toHttp: ({ text, voice, speed, prompt }, { apiKey }) => ({
    path: '/audio/speech',
    headers: {
      // A server at home may have no keys.
      ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      'content-type': 'application/json',
      accept: 'audio/mpeg',
    },
    body: JSON.stringify({
      model,
      input: text,
      voice: voice ?? VOICE,
      response_format: 'mp3',
      speed: speed === undefined ? undefined : clamped(speed, 0.25, 4),
      instructions: prompt ?? undefined,
    }),
  }),
});
