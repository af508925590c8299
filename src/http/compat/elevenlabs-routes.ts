// ElevenLabs's speech over HTTP: one voice, two voices, with and without the times of characters, and the voices there are.

// Speech with the time of every character, as ElevenLabs's HTTP clients parse it: a line of JSON for each piece of audio,
// or one object that is written while it is made. Times are seconds from the beginning of the speech.

import { Buffer } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, type ErrorCode, toAppError } from '../../base/app-error.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import { createAligner } from '../../dialects/elevenlabs/aligner.ts';
import { readOutputFormat } from '../../dialects/elevenlabs/output-format.ts';
import { FIELD_NAMES } from '../../dialects/elevenlabs/protocol-error.ts';
import { languageFault, languageOfTag } from '../../speech/language-tag.ts';
import type { ListedVoice } from '../../speech/listed-voice.ts';
import { MAX_REQUEST_TEXT, synthesisFields } from '../../speech/speech-request.ts';
import { codePointLength } from '../../text/code-points.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
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
import { base64Of } from './event-stream.ts';
import { plainSound, type Sound } from './sound.ts';
import { type SpeakAskedMeans, type SpokenReply, speakAsked } from './speak-asked.ts';
import { namedVoices } from './speech-plan.ts';
import { createToldWords } from './told-words.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

// A voice stands in the path of a request, raw with all its slashes or
// percent-encoded, so what follows it is looked for from the end.

export const SPEECH_PATH = '/v1/text-to-speech/';

type SpeechPath = {
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
    return refused({ field: 'voice_id', allowed: 'must be percent-encoded UTF-8, with % as %25' });
  }
}

const WAV_RATES: readonly number[] = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/** None: mp3 as the speech service sends it, which needs no transcoding and loses no quality. */
function readSound(name: unknown): Read<Sound> {
  if (name === undefined) return { ok: true, value: plainSound('mp3', undefined) };
  if (typeof name !== 'string')
    return refused({ field: 'output_format', allowed: 'given twice; give it once' });
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
  seed: synthesisFields.seed,
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
    return refused(languageFault('language_code', fields.language_code));
  return {
    ok: true,
    value: {
      lines,
      language,
      speed,
      seed: fields.seed ?? undefined,
      markup: 'strip',
      sound: sound.value,
      namedRate: sound.value.output.sampleRate,
    },
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
  if (length > 2)
    return refused({ field: 'inputs', allowed: 'must have at most two different voices', given: length });
  return askedOf(lines, read.value, undefined, query);
}

type CharacterTimes = {
  readonly characters: readonly string[];
  readonly character_start_times_seconds: readonly number[];
  readonly character_end_times_seconds: readonly number[];
};

/**
 * The characters of one speech after another: null without a word. A space stands between two words and behind none, so the one
 * behind the last word is kept until another word comes.
 */
function createCharacterTimes(): (words: readonly TimedWord[]) => CharacterTimes | null {
  let space: readonly [startMs: number, endMs: number] | undefined;
  return (words) => {
    const aligner = createAligner('absolute');
    for (const word of words) aligner.add(word);
    const found = aligner.takeLoose(Number.POSITIVE_INFINITY);
    if (found === undefined) return null;
    const times = found.chars.map((character, at) => {
      const startMs = found.charStartTimesMs[at]!;
      return [character, startMs, startMs + found.charDurationsMs[at]!] as const;
    });
    if (space !== undefined) times.unshift([' ', ...space]);
    const [character, ...rest] = times.at(-1)!;
    space = character === ' ' ? rest : undefined;
    if (space !== undefined) times.pop();
    return {
      characters: times.map(([one]) => one),
      character_start_times_seconds: times.map(([, startMs]) => startMs / 1000),
      character_end_times_seconds: times.map(([, , endMs]) => endMs / 1000),
    };
  };
}

/** How the engine reads numbers and signs is not known: the written text is all that can be reported. */
const timed = (alignment: CharacterTimes | null) => ({ alignment, normalized_alignment: alignment });

type Spoken = Pick<SpokenReply, 'sound' | 'audioMs' | 'words'>;

async function* timedLines(speech: Spoken): AsyncGenerator<Uint8Array, void, undefined> {
  const told = createToldWords(speech);
  const timesOf = createCharacterTimes();
  const lineOf = (audio_base64: string, words: readonly TimedWord[]): Buffer =>
    Buffer.from(`${JSON.stringify({ audio_base64, ...timed(timesOf(words)) })}\n`);
  for await (const bytes of speech.sound) yield lineOf(base64Of(bytes), told.next());
  const rest = told.rest();
  if (rest.length > 0) yield lineOf('', rest);
}

/** Base64 of bytes in pieces: each but the last is of whole threes. */
async function* timedWhole(speech: Spoken): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from('{"audio_base64":"');
  let held: Uint8Array = new Uint8Array(0);
  for await (const bytes of speech.sound) {
    const all = Buffer.concat([held, bytes]);
    const whole = all.length - (all.length % 3);
    held = all.subarray(whole);
    yield Buffer.from(base64Of(all.subarray(0, whole)));
  }
  const times = JSON.stringify(timed(createCharacterTimes()(speech.words()))).slice(1);
  yield Buffer.from(`${base64Of(held)}",${times}`);
}

/** Names that its clients know; all others are our own. */
const STATUSES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
  upstream_rate_limited: 'too_many_concurrent_requests',
  busy: 'system_busy',
};

export const ELEVENLABS: Vendor = {
  fieldNames: FIELD_NAMES,
  key: { header: 'xi-api-key', schemes: ['bearer'] },
  idHeader: 'request-id',
  upstreamLimit: 429,
  toBody: ({ error }) => ({
    detail: { status: STATUSES[error.code] ?? error.code, message: error.message },
  }),
};

const SPEAKING = {
  config: { rateRule: 'make' },
  bodyLimit: SPEECH_BODY_BYTES,
  schema: { hide: true },
} as const;

/** Their client reads labels of any name. */
const labelsOf = ({ gender, language, upstream }: ListedVoice): Readonly<Record<string, string>> => ({
  ...(gender !== undefined && { gender }),
  ...(language !== undefined && { language }),
  ...(upstream !== undefined && { upstream }),
});

export function addElevenLabsRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
  const speak = async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: Read<AskedSpeech>,
    form: SpeechPath['reply'],
  ) => {
    if (!read.ok) return refuse(reply, read);
    const words = form === 'audio' ? 'unasked' : 'timed';
    const speech = await speakAsked(reply, means, read.value, { tenant: tenantOf(request), words });
    if (form === 'audio') return sendSpeech(reply, speech.sound);
    reply.type(form === 'timed-lines' ? 'application/x-ndjson' : 'application/json; charset=utf-8');
    return sendSpeech(reply, form === 'timed-lines' ? timedLines(speech) : timedWhole(speech));
  };

  api.post(`${SPEECH_PATH}*`, SPEAKING, async (request, reply) => {
    const path = readSpeechPath(request.url.split('?', 1)[0]!);
    if (path === 'for-sockets')
      throw new AppError('method_not_allowed', 'This path is a WebSocket; without one, use …/stream.');
    if (!path.ok) return refuse(reply, path);
    const { voice, reply: form } = path.value;
    return speak(request, reply, readElevenLabsSpeech(voice, request.body, request.query), form);
  });
  for (const path of ['/v1/text-to-dialogue', '/v1/text-to-dialogue/stream'])
    api.post(path, SPEAKING, (request, reply) =>
      speak(request, reply, readElevenLabsDialogue(request.body, request.query), 'audio'),
    );
  api.get('/v1/voices', { config: { rateRule: 'ask' }, schema: { hide: true } }, async (request) => ({
    voices: (await means.voices.list({ tenant: tenantOf(request) })).map((voice) => ({
      voice_id: voice.id,
      name: voice.name ?? voice.id,
      category: 'premade',
      labels: labelsOf(voice),
      ...(voice.description !== undefined && { description: voice.description }),
    })),
  }));
}
