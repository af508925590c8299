// The body of OpenAI's `POST /v1/audio/speech`. Any model is taken: there is one.

import { z } from 'zod';
import {
  type AskedSpeech,
  type Read,
  readFields,
  refused,
  speedField,
  textField,
  voiceField,
} from './asked-speech.ts';
import { plainSound, type Sound } from './sound.ts';

export type OpenAiSpeech = {
  readonly asked: AskedSpeech;
  readonly stream: 'audio' | 'sse';
};

const FORMATS = ['mp3', 'opus', 'flac', 'wav', 'pcm'] as const;
const SPEECH_HZ = 24_000;

const SOUNDS: Readonly<Record<(typeof FORMATS)[number], Sound>> = {
  mp3: plainSound('mp3', undefined),
  opus: plainSound('ogg', SPEECH_HZ),
  flac: plainSound('flac', SPEECH_HZ),
  wav: plainSound('wav', SPEECH_HZ),
  pcm: plainSound('raw', SPEECH_HZ),
};

const schema = z.object({
  input: textField,
  voice: z.union([voiceField, z.object({ id: voiceField }).transform(({ id }) => id)], {
    error: 'must be the name of a voice, or {"id": …}',
  }),
  response_format: z.enum([...FORMATS, 'aac']).nullish(),
  speed: speedField.min(0.25).max(4).nullish(),
  instructions: z.string().max(20_000).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
});

export function readOpenAiSpeech(body: unknown): Read<OpenAiSpeech> {
  const read = readFields(schema, body);
  if (!read.ok) return read;
  const { input, voice, response_format, speed, instructions, stream_format } = read.value;
  if (response_format === 'aac')
    return refused('response_format', `aac is not made here; there are ${FORMATS.join(', ')}`);
  return {
    ok: true,
    value: {
      asked: {
        lines: [{ text: input, voice }],
        language: undefined,
        speed: speed ?? undefined,
        prompt: instructions == null || instructions === '' ? undefined : instructions,
        markup: 'strip',
        sound: SOUNDS[response_format ?? 'mp3'],
      },
      stream: stream_format ?? 'audio',
    },
  };
}
