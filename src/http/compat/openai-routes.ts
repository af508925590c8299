// OpenAI's speech over HTTP: `POST /v1/audio/speech`, as audio or as server-sent events.

import { toAppError } from '../../base/app-error.ts';
import { codePointLength } from '../../text/code-points.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { base64Of, EVENT_STREAM, eventOf } from './event-stream.ts';
import { readOpenAiSpeech } from './openai-request.ts';
import { type SpeakAskedMeans, type SpokenReply, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorRefusal, VendorScope } from './vendor-scope.ts';

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

export function addOpenAiRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
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
