// A service that speaks this project's own interface: POST /api/v1/tts/stream. Dialogues of two voices are one request.

import { acceptOf } from '../../audio/bodies/body-type.ts';
import { MP3_SAMPLE_RATES } from '../../speech/audio-format.ts';
import { MAX_REQUEST_TEXT } from '../../speech/speech-request.ts';
import { asking } from '../sound-offer.ts';
import type { ServiceKind } from './service-kind.ts';

export const createVoxgateService = (): ServiceKind => ({
  shape: { voices: 'two', maxText: MAX_REQUEST_TEXT },
  ignored: [],
  names: {},
  warmPath: '/livez',
  // 4.4 and 4.5 of the interface. MP3 unless the operator wants otherwise: what callers of today get stays byte for byte.
  sounds: {
    sounds: [
      { format: 'mp3', rates: MP3_SAMPLE_RATES },
      { format: 'mulaw', rates: 'any' },
      { format: 'raw', rates: 'any' },
    ],
    prefers: 'mp3',
    limit: 'requests',
  },
  toHttp: (request, { userId, apiKey }, sound) => ({
    path: '/api/v1/tts/stream',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'x-user-id': userId,
      'content-type': 'application/json',
      accept: acceptOf(sound),
      // Lets the service send the length of the body after it (speech/body-bytes.ts). The field should be named in Connection,
      // too (RFC 9110, 10.1.4), but the HTTP client controls that field.
      te: 'trailers',
    },
    body: JSON.stringify(asking(request, sound)),
  }),
});
