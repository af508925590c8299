// A reply whose caller has left before the speech for it could begin: while the store of limits was asked, for one.

import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { beginSpeech, sendSpeech } from '../../../src/http/routes/speech-reply.ts';
import { createOpenReplies } from '../../../src/http/server/open-replies.ts';
import { NO_WORD_TIMER } from '../../../src/pipeline/word-timing/word-timer.ts';
import { splitIntoRequests } from '../../../src/text/request-text.ts';
import { wholeTextSegments } from '../../../src/text/turn-text.ts';
import { codecs } from '../../support/codecs.ts';
import { createMemoryUpstream } from '../../support/memory-upstream.ts';
import { OPEN_ADMISSION } from '../../support/open-admission.ts';
import { trustingRecovery } from '../../support/trusting-recovery.ts';

it('asks the speech service for nothing, and holds up no end of the program, when nobody is there any more', async () => {
  const upstream = createMemoryUpstream();
  const replies = createOpenReplies(systemClock, OPEN_ADMISSION);
  const runtime = {
    upstream,
    recovery: trustingRecovery(),
    codecs,
    timer: NO_WORD_TIMER,
    clock: systemClock,
  };
  const texts = splitIntoRequests(
    wholeTextSegments('Hello.', { language: 'english', markup: 'strip' }),
    20_000,
    {},
  );
  const app = Fastify();
  const spoken = new Promise<unknown>((resolve) => {
    app.get('/', async (_request, reply) => {
      client.destroy();
      await new Promise((left) => reply.raw.once('close', left));
      const speaking = beginSpeech(
        reply,
        { runtime, replies },
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
      speaking.then(resolve, resolve);
      return sendSpeech(reply, (await speaking).chunks);
    });
  });
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const client = connect(Number(port), '127.0.0.1', () => {
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
  const begun = await Promise.race([spoken, new Promise((resolve) => setTimeout(resolve, 300, 'waiting'))]);
  const drained = await Promise.race([
    replies.drain(60_000).then(() => 'drained'),
    new Promise((resolve) => setTimeout(resolve, 300, 'waiting')),
  ]);
  expect([begun, upstream.requests.length, drained]).toEqual([expect.any(Error), 0, 'drained']);
  await app.close();
});
