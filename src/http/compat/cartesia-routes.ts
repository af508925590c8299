// Cartesia's speech over HTTP: `POST /tts/bytes` as audio, `POST /tts/sse` as events with the times of words.

import { toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import { COMPLETE, PARTIAL, wordTimestamps } from '../../dialects/cartesia/cartesia-messages.ts';
import { SPEECH_BODY_BYTES, sendSpeech } from '../routes/speech-reply.ts';
import { readCartesiaSpeech } from './cartesia-request.ts';
import { base64Of, EVENT_STREAM, eventOf } from './event-stream.ts';
import { type SpeakAskedMeans, type SpokenReply, speakAsked } from './speak-asked.ts';
import { createToldWords } from './told-words.ts';
import type { Vendor, VendorRefusal, VendorScope } from './vendor-scope.ts';

/** Both shapes that its clients know, the old one's `error` and the new one's fields. */
const errorBody = ({ error, status, requestId }: Omit<VendorRefusal, 'field'>) => ({
  type: 'error',
  done: true,
  error: error.message,
  title: error.code.replaceAll('_', ' '),
  message: error.message,
  error_code: error.code,
  status_code: status,
  request_id: requestId,
});

export const CARTESIA: Vendor = {
  key: { header: 'x-api-key', schemes: ['bearer'] },
  idHeader: 'x-request-id',
  // A 4xx is the end to its clients; only a 5xx is tried again.
  upstreamLimit: 503,
  toBody: errorBody,
};

type EventsAbout = {
  readonly context: { readonly context_id?: string };
  readonly requestId: string;
  readonly clock: Pick<Clock, 'now'>;
};

async function* eventsOf(
  speech: SpokenReply,
  words: 'timed' | 'unasked',
  about: EventsAbout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { context, requestId, clock } = about;
  const timesOf = (words: readonly TimedWord[]) => ({
    type: 'timestamps',
    done: false,
    status_code: PARTIAL,
    ...context,
    word_timestamps: wordTimestamps(words),
  });
  const told = words === 'timed' ? createToldWords(speech) : undefined;
  let sinceMs = clock.now();
  try {
    for await (const bytes of speech.sound) {
      const nowMs = clock.now();
      const step_time = Math.round((nowMs - sinceMs) * 1000) / 1000;
      sinceMs = nowMs;
      const data = base64Of(bytes);
      yield eventOf(
        { type: 'chunk', data, done: false, status_code: PARTIAL, step_time, ...context },
        'chunk',
      );
      const now = told?.next() ?? [];
      if (now.length > 0) yield eventOf(timesOf(now), 'timestamps');
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    yield eventOf({ ...errorBody({ error, status: error.http, requestId }), ...context }, 'error');
    return;
  }
  const rest = told?.rest() ?? [];
  if (rest.length > 0) yield eventOf(timesOf(rest), 'timestamps');
  yield eventOf({ type: 'done', done: true, status_code: COMPLETE, ...context }, 'done');
}

export function addCartesiaRoutes(
  { api, tenantOf, requestIdOf, refuse }: VendorScope,
  means: SpeakAskedMeans,
): void {
  for (const [path, as] of [
    ['/tts/bytes', 'bytes'],
    ['/tts/sse', 'events'],
  ] as const)
    api.post(
      path,
      { config: { rateRule: 'make' }, bodyLimit: SPEECH_BODY_BYTES, schema: { hide: true } },
      async (request, reply) => {
        const read = readCartesiaSpeech(request.body, as);
        if (!read.ok) return refuse(reply, read);
        const { asked, words, contextId } = read.value;
        const speech = await speakAsked(reply, means, asked, { tenant: tenantOf(request), words });
        if (as === 'bytes') return sendSpeech(reply, speech.sound);
        reply.type(EVENT_STREAM);
        const about = {
          context: contextId === undefined ? {} : { context_id: contextId },
          requestId: requestIdOf(reply),
          clock: means.runtime.clock,
        };
        return sendSpeech(reply, eventsOf(speech, words, about));
      },
    );
}
