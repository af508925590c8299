// Deepgram's speech over HTTP: `POST /v1/speak` and, the same thing, `/v2/speak`. Upgrades on these paths are a dialect's.

import type { ErrorCode } from '../../base/app-error.ts';
import { codePointLength } from '../../text/code-points.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { readDeepgramSpeech } from './deepgram-request.ts';
import { type SpeakAskedMeans, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

/** Names that its clients know; all others are our own in capitals. */
const CODES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'INVALID_AUTH',
  invalid_request: 'Bad Request',
  invalid_json: 'PAYLOAD_ERROR',
  rate_limited: 'TOO_MANY_REQUESTS',
  upstream_rate_limited: 'TOO_MANY_REQUESTS',
};

export const DEEPGRAM: Vendor = {
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
