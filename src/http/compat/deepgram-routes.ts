// Deepgram's speech over HTTP: `POST /v1/speak` and, the same thing, `/v2/speak`. Upgrades on these paths are a dialect's.

import { z } from 'zod';
import type { ErrorCode } from '../../base/app-error.ts';
import { FIELD_NAMES } from '../../dialects/deepgram/wire-errors.ts';
import { sampleRateRefusal } from '../../speech/audio-format.ts';
import { sampleRateField } from '../../speech/speech-request.ts';
import { codePointLength } from '../../text/code-points.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
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
import { LISTED_MODEL } from './openai-routes.ts';
import { codedSound, plainSound, type Sound } from './sound.ts';
import { type SpeakAskedMeans, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

// The text is in the body, everything else in the query. The defaults are the vendor's: mp3 unless an encoding is named,
// and WAV unless a container is.

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
  encoding: z.enum(ENCODINGS).optional(),
  container: z.enum(CONTAINERS).optional(),
  sample_rate: numberInQuery(sampleRateField).optional(),
  speed: numberInQuery(speedField).optional(),
  callback: z.unknown().optional(),
});

function readSound(query: z.infer<typeof querySchema>): Read<Sound> {
  const encoding = query.encoding ?? 'mp3';
  const containers = CONTAINERS_OF[encoding];
  const container = query.container ?? containers[0]!;
  if (!containers.includes(container))
    return refused({
      field: 'container',
      allowed: `must be ${containers.join(' or ')} with ${encoding}`,
      given: container,
    });
  const sampleRate = query.sample_rate ?? RATE_OF[encoding];
  const refusal =
    sampleRate === undefined ? undefined : sampleRateRefusal(FORMAT_OF[encoding], sampleRate, encoding);
  if (refusal !== undefined) return refused({ field: 'sample_rate', allowed: refusal, given: sampleRate });
  if (encoding === 'mp3' || encoding === 'opus' || encoding === 'flac' || sampleRate === undefined)
    return { ok: true, value: plainSound(FORMAT_OF[encoding], sampleRate) };
  const code = encoding === 'linear16' ? 'pcm16' : encoding;
  return { ok: true, value: codedSound(code, sampleRate, container === 'wav' ? 'wav' : 'none') };
}

export function readDeepgramSpeech(body: unknown, query: unknown): Read<AskedSpeech> {
  const how = readFields(querySchema, query ?? {}, 'query');
  if (!how.ok) return how;
  if (how.value.callback !== undefined)
    return refused({
      field: 'callback',
      allowed: 'must be left out: the audio comes in the reply, and nothing is called back',
    });
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
      namedRate: how.value.sample_rate,
    },
  };
}

/** Names that its clients know; all others are our own in capitals. */
const CODES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'INVALID_AUTH',
  invalid_request: 'Bad Request',
  invalid_json: 'PAYLOAD_ERROR',
  rate_limited: 'TOO_MANY_REQUESTS',
  upstream_rate_limited: 'TOO_MANY_REQUESTS',
};

export const DEEPGRAM: Vendor = {
  fieldNames: FIELD_NAMES,
  key: { schemes: ['token', 'bearer'] },
  idHeader: 'dg-request-id',
  upstreamLimit: 429,
  toBody: ({ error, requestId }) => ({
    err_code: CODES[error.code] ?? error.code.toUpperCase(),
    err_msg: error.message,
    request_id: requestId,
  }),
};

/** A header holds no more than visible ASCII. */
const headerText = (text: string): string => (/^[\x21-\x7e]+$/.test(text) ? text : encodeURIComponent(text));

export function addDeepgramRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
  // Their voices are models. OpenAI's clients ask the same path, and read the same answer: both ways of a key are taken here.
  api.get('/v1/models', { config: { rateRule: 'ask' }, schema: { hide: true } }, async (request) => ({
    object: 'list',
    data: [LISTED_MODEL],
    stt: [],
    tts: (await means.voices.list({ tenant: tenantOf(request) })).map(({ id, name, gender, language }) => ({
      name: name ?? id,
      canonical_name: id,
      architecture: 'voxgate',
      languages: language === undefined ? [] : [language],
      metadata: { tags: gender === undefined ? [] : [gender.toLowerCase()] },
    })),
  }));
  for (const path of ['/v1/speak', '/v2/speak'])
    api.post(
      path,
      { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
      async (request, reply) => {
        const read = readDeepgramSpeech(request.body, request.query);
        if (!read.ok) return refuse(reply, read);
        const { text, voice } = read.value.lines[0]!;
        const tenant = tenantOf(request);
        const speech = await speakAsked(reply, means, read.value, { tenant, words: 'unasked' });
        reply.header('dg-char-count', String(codePointLength(text)));
        if (voice !== undefined) reply.header('dg-model-name', headerText(voice));
        return sendSpeech(reply, speech.sound);
      },
    );
}
