// Deepgram's speech over HTTP: what to say is in the body, how in the query. As there, mp3 unless an encoding is named,
// and WAV unless a container is.

import { z } from 'zod';
import { isSampleRateOf, MAX_SAMPLE_RATE, MIN_SAMPLE_RATE } from '../../speech/audio-format.ts';
import {
  type AskedSpeech,
  numberInQuery,
  type Read,
  readFields,
  refused,
  speedField,
  textField,
  voiceField,
} from './asked-speech.ts';
import { codedSound, plainSound, type Sound } from './sound.ts';

const ENCODINGS = ['linear16', 'mulaw', 'alaw', 'mp3', 'opus', 'flac'] as const;
type Encoding = (typeof ENCODINGS)[number];
const CONTAINERS = ['none', 'wav', 'ogg'] as const;

/** The first one is the default. */
const CONTAINERS_OF: Readonly<Record<Encoding, readonly (typeof CONTAINERS)[number][]>> = {
  linear16: ['wav', 'none'],
  mulaw: ['wav', 'none'],
  alaw: ['wav', 'none'],
  mp3: ['none'],
  opus: ['ogg'],
  flac: ['none'],
};
/** Undefined: as the speech service sends it. */
const RATE_OF: Readonly<Record<Encoding, number | undefined>> = {
  linear16: 24_000,
  mulaw: 8000,
  alaw: 8000,
  mp3: undefined,
  opus: 48_000,
  flac: 24_000,
};
const FORMAT_OF = {
  linear16: 'raw',
  mulaw: 'mulaw',
  alaw: 'alaw',
  mp3: 'mp3',
  opus: 'ogg',
  flac: 'flac',
} as const;

const bodySchema = z.object({ text: textField });
const querySchema = z.object({
  model: voiceField.optional(),
  encoding: z.enum([...ENCODINGS, 'aac']).optional(),
  container: z.enum(CONTAINERS).optional(),
  sample_rate: numberInQuery(z.int().min(MIN_SAMPLE_RATE).max(MAX_SAMPLE_RATE)).optional(),
  speed: numberInQuery(speedField).optional(),
  callback: z.unknown().optional(),
});

function readSound(query: z.infer<typeof querySchema>): Read<Sound> {
  const encoding = query.encoding ?? 'mp3';
  if (encoding === 'aac')
    return refused('encoding', `aac is not made here; there are ${ENCODINGS.join(', ')}`);
  const containers = CONTAINERS_OF[encoding];
  const container = query.container ?? containers[0]!;
  if (!containers.includes(container))
    return refused('container', `${encoding} can have ${containers.join(' or ')}`);
  const sampleRate = query.sample_rate ?? RATE_OF[encoding];
  if (sampleRate !== undefined && !isSampleRateOf(FORMAT_OF[encoding], sampleRate))
    return refused('sample_rate', `${encoding} does not have this one`);
  if (encoding === 'mp3' || encoding === 'opus' || encoding === 'flac' || sampleRate === undefined)
    return { ok: true, value: plainSound(FORMAT_OF[encoding], sampleRate) };
  const code = encoding === 'linear16' ? 'pcm16' : encoding;
  return { ok: true, value: codedSound(code, sampleRate, container === 'wav' ? 'wav' : 'none') };
}

export function readDeepgramSpeech(body: unknown, query: unknown): Read<AskedSpeech> {
  const how = readFields(querySchema, query ?? {});
  if (!how.ok) return how;
  if (how.value.callback !== undefined)
    return refused('callback', 'the audio comes in the reply; nothing is called back');
  const what = readFields(bodySchema, body);
  if (!what.ok) return what;
  const sound = readSound(how.value);
  if (!sound.ok) return sound;
  const { model, speed } = how.value;
  return {
    ok: true,
    value: {
      lines: [{ text: what.value.text, voice: model }],
      language: undefined,
      speed,
      markup: 'strip',
      sound: sound.value,
    },
  };
}
