// Requests of ElevenLabs's speech and dialogue over HTTP. A voice stands in the path, raw with all its slashes or
// percent-encoded, so what follows it is looked for from the end.

import { z } from 'zod';
import { toAppError } from '../../base/app-error.ts';
import { readOutputFormat } from '../../dialects/elevenlabs/output-format.ts';
import { languageOfTag } from '../../speech/language-tag.ts';
import { MAX_REQUEST_TEXT, MAX_SEED } from '../../speech/speech-request.ts';
import { codePointLength } from '../../text/code-points.ts';
import {
  type AskedLine,
  type AskedSpeech,
  type Read,
  readFields,
  refused,
  speedField,
  textField,
  voiceField,
} from './asked-speech.ts';
import { plainSound, type Sound } from './sound.ts';
import { namedVoices } from './speech-plan.ts';

export const SPEECH_PATH = '/v1/text-to-speech/';

export type SpeechPath = {
  readonly voice: string;
  readonly reply: 'audio' | 'timed-lines' | 'timed-whole';
};

const ENDINGS = [
  ['/stream/with-timestamps', 'timed-lines'],
  ['/with-timestamps', 'timed-whole'],
  ['/stream', 'audio'],
  ['', 'audio'],
] as const;
const SOCKETS = /\/(?:multi-)?stream-input$/;

/** `path`: as it came, from its beginning, without the query. */
export function readSpeechPath(path: string): Read<SpeechPath> | 'for-sockets' {
  const rest = path.slice(SPEECH_PATH.length);
  if (SOCKETS.test(rest)) return 'for-sockets';
  const [ending, reply] = ENDINGS.find(([tail]) => rest.endsWith(tail))!;
  try {
    const read = readFields(z.object({ voice_id: voiceField }), {
      voice_id: decodeURIComponent(rest.slice(0, rest.length - ending.length)),
    });
    return read.ok ? { ok: true, value: { voice: read.value.voice_id, reply } } : read;
  } catch {
    return refused('voice_id', 'has a percent sign that begins no escape');
  }
}

const WAV_RATES: readonly number[] = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/** None: mp3 as the speech service sends it, which costs nothing and has the best sound that there is. */
function readSound(name: unknown): Read<Sound> {
  if (name === undefined) return { ok: true, value: plainSound('mp3', undefined) };
  if (typeof name !== 'string') return refused('output_format', 'given twice');
  const wavRate = Number(/^wav_(\d{4,5})$/.exec(name)?.[1]);
  if (WAV_RATES.includes(wavRate)) return { ok: true, value: plainSound('wav', wavRate) };
  try {
    const { format, sampleRate } = readOutputFormat(name);
    return { ok: true, value: plainSound(format, sampleRate) };
  } catch (thrown) {
    return { ok: false, field: 'output_format', message: toAppError(thrown).message };
  }
}

const common = {
  language_code: z.string().max(100).nullish(),
  seed: z.int().min(0).max(MAX_SEED).nullish(),
};
const speechSchema = z.object({
  ...common,
  text: textField,
  voice_settings: z.object({ speed: speedField.nullish() }).nullish(),
});
const dialogueSchema = z.object({
  ...common,
  inputs: z
    .array(z.object({ text: textField, voice_id: voiceField }))
    .min(1)
    .max(MAX_REQUEST_TEXT)
    .refine(
      (inputs) => inputs.reduce((sum, { text }) => sum + codePointLength(text), 0) <= MAX_REQUEST_TEXT,
      `must have at most ${MAX_REQUEST_TEXT} characters together`,
    ),
});

function askedOf(
  lines: readonly AskedLine[],
  fields: { language_code?: string | null | undefined; seed?: number | null | undefined },
  speed: number | undefined,
  query: unknown,
): Read<AskedSpeech> {
  const sound = readSound((query as { output_format?: unknown } | undefined)?.output_format);
  if (!sound.ok) return sound;
  const language = languageOfTag(fields.language_code);
  if (fields.language_code != null && fields.language_code !== '' && language === undefined)
    return refused('language_code', 'this language is not spoken here');
  return {
    ok: true,
    value: { lines, language, speed, seed: fields.seed ?? undefined, markup: 'strip', sound: sound.value },
  };
}

export function readElevenLabsSpeech(voice: string, body: unknown, query: unknown): Read<AskedSpeech> {
  const read = readFields(speechSchema, body);
  if (!read.ok) return read;
  const { text, voice_settings } = read.value;
  return askedOf([{ text, voice }], read.value, voice_settings?.speed ?? undefined, query);
}

export function readElevenLabsDialogue(body: unknown, query: unknown): Read<AskedSpeech> {
  const read = readFields(dialogueSchema, body);
  if (!read.ok) return read;
  const lines = read.value.inputs.map(({ text, voice_id }) => ({ text, voice: voice_id }));
  const { length } = namedVoices(lines);
  if (length > 2) return refused('inputs', `a dialogue has at most two different voices here; got ${length}`);
  return askedOf(lines, read.value, undefined, query);
}
