// OpenAI's speech over HTTP: `POST /v1/audio/speech`, as audio or as server-sent events.

import { z } from 'zod';
import { toAppError } from '../../base/app-error.ts';
import { numberFrom } from '../../speech/speech-request.ts';
import { codePointLength } from '../../text/code-points.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { type AskedSpeech, type Read, readFields, textField, voiceField } from './asked-speech.ts';
import { base64Of, EVENT_STREAM, eventOf } from './event-stream.ts';
import { plainSound, type Sound } from './sound.ts';
import { type SpeakAskedMeans, type SpokenReply, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorRefusal, VendorScope } from './vendor-scope.ts';

// The body of OpenAI's `POST /v1/audio/speech`. Any model is taken: there is one.
type OpenAiSpeech = {
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
  response_format: z.enum(FORMATS).nullish(),
  speed: numberFrom(0.25, 4).nullish(),
  instructions: z.string().max(20_000).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
});

export function readOpenAiSpeech(body: unknown): Read<OpenAiSpeech> {
  const read = readFields(schema, body);
  if (!read.ok) return read;
  const { input, voice, response_format, speed, instructions, stream_format } = read.value;
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

function typeOf({ error, status }: Pick<VendorRefusal, 'error' | 'status'>): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return error.http >= 500 ? 'server_error' : 'invalid_request_error';
}

const errorBody = ({ error, status, field }: Omit<VendorRefusal, 'requestId'>) => ({
  error: {
    message: error.message,
    type: typeOf({ error, status }),
    param: field ?? null,
    code: error.code === 'unauthorized' ? 'invalid_api_key' : error.code,
  },
});

export const OPENAI: Vendor = {
  fieldNames: { text: 'input', prompt: 'instructions', outputFormat: 'response_format' },
  key: { schemes: ['bearer'] },
  idHeader: 'x-request-id',
  upstreamLimit: 429,
  toBody: errorBody,
};

/** Nothing here has tokens. These are what the vendor's come to: 4 characters of text each, 1250 for a minute of speech. */
const CHARACTERS_PER_TOKEN = 4;
const MS_PER_TOKEN = 60_000 / 1250;

async function* eventsOf(speech: SpokenReply, input: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const bytes of speech.sound)
      yield eventOf({ type: 'speech.audio.delta', audio: base64Of(bytes) });
  } catch (thrown) {
    const error = toAppError(thrown);
    yield eventOf({ type: 'error', ...errorBody({ error, status: error.http, field: undefined }) });
    return;
  }
  const input_tokens = Math.ceil(codePointLength(input) / CHARACTERS_PER_TOKEN);
  const output_tokens = Math.ceil(speech.audioMs() / MS_PER_TOKEN);
  yield eventOf({
    type: 'speech.audio.done',
    usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  });
}

/** There is one, under any name; this is the one that is listed. */
export const LISTED_MODEL = {
  id: 'voxgate',
  name: 'voxgate',
  object: 'model',
  created: 0,
  owned_by: 'voxgate',
};

/** What front ends that people run themselves fill their lists from; OpenAI itself has no such routes. */
function addPickerRoutes({ api, tenantOf }: VendorScope, { voices }: SpeakAskedMeans): void {
  const ask = { config: { rateRule: 'ask' }, schema: { hide: true } } as const;
  api.get('/v1/audio/models', ask, () => ({ object: 'list', data: [LISTED_MODEL], models: [LISTED_MODEL] }));
  api.get('/v1/audio/voices', ask, async (request) => ({
    voices: (await voices.list({ tenant: tenantOf(request) })).map((voice) => ({
      ...voice,
      name: voice.name ?? voice.id,
    })),
  }));
}

export function addOpenAiRoutes(scope: VendorScope, means: SpeakAskedMeans): void {
  const { api, tenantOf, refuse } = scope;
  addPickerRoutes(scope, means);
  api.post(
    '/v1/audio/speech',
    { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
    async (request, reply) => {
      const read = readOpenAiSpeech(request.body);
      if (!read.ok) return refuse(reply, read);
      const { asked, stream } = read.value;
      const tenant = tenantOf(request);
      const speech = await speakAsked(reply, means, asked, { tenant, words: 'unasked' });
      if (stream === 'audio') return sendSpeech(reply, speech.sound);
      reply.type(EVENT_STREAM);
      return sendSpeech(reply, eventsOf(speech, asked.lines[0]!.text));
    },
  );
}
