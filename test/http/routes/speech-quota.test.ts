// A long text as the reply to an HTTP request, at a key with few requests a minute: a reply that has begun goes on when
// there is quota again.
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { beginSpeech, sendSpeech } from '../../../src/http/routes/speech-reply.ts';
import { createOpenReplies } from '../../../src/http/server/open-replies.ts';
import { NO_WORD_TIMER } from '../../../src/pipeline/word-timing/word-timer.ts';
import { splitIntoRequests } from '../../../src/text/request-text.ts';
import { wholeTextSegments } from '../../../src/text/turn-text.ts';
import { codecs } from '../../support/codecs.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { OPEN_ADMISSION } from '../../support/open-admission.ts';
import { startStrictService } from '../../support/strict-service.ts';
import { trustingRecovery } from '../../support/trusting-recovery.ts';

const SENTENCE = 'The ferry leaves the old harbour at noon and comes back by night. ';
const TEXT = SENTENCE.repeat(Math.ceil(20_000 / SENTENCE.length)).slice(0, 20_000);
/** A reply is one request where it may be; of a dialogue, and behind another service, it is several. */
const REQUEST_CHARACTERS = 1_000;
const SPEECH_MS = 500;

it.each([30_000, 0])('is whole, with no request refused, where first words wait %i ms', async (maxWaitMs) => {
  const clock = createFakeClock();
  const service = startStrictService({
    keys: [{ name: 'a', perMinute: 10, takes: 10 }],
    clock,
    maxWaitMs,
    speechMs: () => SPEECH_MS,
  });
  const runtime = {
    upstream: service.pool,
    recovery: trustingRecovery(),
    codecs,
    timer: NO_WORD_TIMER,
    clock,
  };
  const segments = wholeTextSegments(TEXT, { language: 'english', markup: 'strip' });
  const texts = splitIntoRequests(segments, REQUEST_CHARACTERS);
  const app = Fastify();
  app.get('/', async (_request, reply) => {
    const speech = await beginSpeech(
      reply,
      { runtime, replies: createOpenReplies(clock, OPEN_ADMISSION) },
      {
        tenant: 'ann',
        synthesis: {},
        seed: 1,
        defaultVoice: undefined,
        defaultVoice2: undefined,
        texts,
        output: { format: 'raw', sampleRate: 8000, frameMs: 20 },
        words: 'unasked',
      },
    );
    return sendSpeech(reply, speech.chunks);
  });
  let body: Buffer | undefined;
  void app.inject('/').then((reply) => {
    body = reply.rawPayload;
  });
  for (let n = 0; n < 600 && body === undefined; n += 1) await clock.run(1_000);
  const BYTES_PER_MS = 16;
  expect([service.requests.length, service.refusals()]).toEqual([texts.length, 0]);
  expect(texts.length).toBeGreaterThan(20);
  expect(body!.length / BYTES_PER_MS).toBeGreaterThanOrEqual(texts.length * SPEECH_MS);
  await app.close();
});
