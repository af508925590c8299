// A service that speaks this project's own interface: POST /api/v1/tts/stream. Dialogues of two voices are one request.

import { MAX_REQUEST_TEXT } from '../../speech/speech-request.ts';
import type { ServiceKind } from './service-kind.ts';

export const createVoxgateService = (): ServiceKind => ({
  shape: { voices: 'two', maxText: MAX_REQUEST_TEXT },
  ignored: [],
  warmPath: '/livez',
  toHttp: (request, { userId, apiKey }) => ({
    path: '/api/v1/tts/stream',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'x-user-id': userId,
      'content-type': 'application/json',
      accept: 'audio/mpeg',
      // Lets the service send the length of the body after it (speech/body-bytes.ts). The field should be named in Connection,
      // too (RFC 9110, 10.1.4), but the HTTP client controls that field.
      te: 'trailers',
    },
    body: JSON.stringify(request),
  }),
});
