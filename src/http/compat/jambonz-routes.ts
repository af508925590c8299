// jambonz's custom vendor without streaming: `POST /jambonz/tts`. It looks at the status of a refusal and at nothing else,
// so refusals have our own shape.

import { toErrorBody } from '../../base/app-error.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { readJambonzSpeech } from './jambonz-request.ts';
import { type SpeakAskedMeans, speakAsked } from './speak-asked.ts';
import type { Vendor, VendorScope } from './vendor-scope.ts';

export const JAMBONZ: Vendor = {
  key: { schemes: ['bearer'] },
  idHeader: 'x-request-id',
  upstreamLimit: 503,
  toBody: ({ error }) => toErrorBody(error),
};

export function addJambonzRoutes({ api, tenantOf, refuse }: VendorScope, means: SpeakAskedMeans): void {
  api.post(
    '/jambonz/tts',
    { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
    async (request, reply) => {
      const read = readJambonzSpeech(request.body, request.headers.accept);
      if (!read.ok) return refuse(reply, read);
      const tenant = tenantOf(request);
      return sendSpeech(
        reply,
        (await speakAsked(reply, means, read.value, { tenant, words: 'unasked' })).sound,
      );
    },
  );
}
