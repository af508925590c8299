// POST {base}/audio/speech: OpenAI and the servers that have taken over its route (Kokoro-FastAPI, speaches, vLLM-Omni, LocalAI …).
// Fields as the `openai` npm package 6.49 sends them; a test holds the two against each other. No seed, one voice.

import { z } from 'zod';
import { acceptOf } from '../../audio/bodies/body-type.ts';
import type { AskedFormat } from '../../speech/audio-format.ts';
import { clamped, type KindSettings, type ServiceKind, type TimedRoute } from './service-kind.ts';
import { wordsOf } from './timed-answer.ts';

const MODEL = 'gpt-4o-mini-tts';
const VOICE = 'alloy';
const PCM_RATE = 24_000;
const FORMATS: Readonly<Partial<Record<AskedFormat, string>>> = {
  mp3: 'mp3',
  raw: 'pcm',
};

/** The model by which Kokoro-FastAPI is known: it alone of these servers tells the times of words, on a route of its own. */
const KOKORO = 'kokoro';
/**
 * A line of POST /dev/captioned_speech (`CaptionedSpeechResponse` of its source): words as they are said, with the signs between
 * them; times from the beginning of the speech.
 */
const captionedPiece = z.object({
  audio: z.string().nullish(),
  timestamps: z.array(z.object({ word: z.string(), start_time: z.number(), end_time: z.number() })).nullish(),
});
const kokoroTimes = (toHttp: ServiceKind['toHttp']): TimedRoute => ({
  form: {
    framing: 'lines',
    read(piece) {
      const { audio, timestamps } = captionedPiece.parse(piece);
      const words = timestamps ?? [];
      return {
        audio: audio ?? undefined,
        words: wordsOf(
          words.map(({ word }) => word),
          words.map(({ start_time }) => start_time),
          words.map(({ end_time }) => end_time),
        ),
      };
    },
  },
  toHttp(request, credentials, sound) {
    const made = toHttp(request, credentials, sound);
    const fields = JSON.parse(made.body) as Readonly<Record<string, unknown>>;
    return {
      path: '/dev/captioned_speech',
      without: '/v1',
      headers: { ...made.headers, accept: '*/*' },
      body: JSON.stringify({ ...fields, stream: true, return_timestamps: true }),
    };
  },
});

export const createOpenAiService = ({ model = MODEL }: KindSettings): ServiceKind => {
  const toHttp: ServiceKind['toHttp'] = ({ text, voice, speed, prompt }, { apiKey }, sound) => ({
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
  });
  return {
    // "The maximum length is 4096 characters" (the package's own types).
    shape: { voices: 'one', maxText: 4096 },
    ignored: ['seed', 'temperature', 'language', 'voiceConditioningSeconds', 'voiceConditioningSeconds2'],
    names: { input: 'text', instructions: 'prompt', response_format: 'outputFormat' },
    warmPath: '/models',
    // OpenAI's PCM has 24 kHz, which answers do not tell, and other servers have other rates: MP3 tells its own.
    sounds: {
      sounds: [
        { format: 'mp3', rates: 'own' },
        { format: 'raw', rates: [PCM_RATE] },
      ],
      prefers: 'mp3',
      limit: 'requests',
    },
    usualPcmRate: PCM_RATE,
    toHttp,
    timed: model === KOKORO ? kokoroTimes(toHttp) : undefined,
  };
};
