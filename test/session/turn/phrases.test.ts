// Turns that are played from kept speech, through a whole session.
import { expect, test } from 'vitest';
import { createMemoryPhraseStore } from '../../../src/storage/memory-phrase-store.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { startSession } from '../../support/live-session.ts';

const answering = (request: { send(bytes: Uint8Array): void; end(): void }) => {
  request.send(speechMp3(800));
  request.end();
};
const start = (preset: Record<string, unknown> = {}) =>
  startSession({ auto: answering, phrases: createMemoryPhraseStore(1 << 20, createFakeClock()), preset });

const GREETING = { type: 'speak', text: 'Good morning, how can I help you?' };

test('the same greeting is asked for once, and played again from the first frame to the last', async () => {
  const live = start({ cache: 'on' });
  live.send({ ...GREETING, turn: 'a' });
  await live.run(2000);
  const namedAtMs = live.clock.now();
  live.send({ ...GREETING, turn: 'b' });
  await live.run(2000);
  expect(live.upstream.requests).toHaveLength(1);
  expect(live.said('ended', 'a')).toMatchObject([{ outcome: 'complete', requests: 1, cached: false }]);
  expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'complete', requests: 0, cached: true }]);
  expect(live.said('started', 'b')[0]!.seed).toBe(live.said('started', 'a')[0]!.seed);
  expect(Buffer.compare(live.audioOf('b'), live.audioOf('a'))).toBe(0);
  // No time passed between the request and the first frame.
  expect(live.frames('b')[0]!.atMs).toBe(namedAtMs);
});

test('a turn that did not ask is spoken anew, with a seed of its own', async () => {
  const live = start();
  live.send({ ...GREETING, turn: 'a', cache: 'on' });
  await live.run(2000);
  live.send({ ...GREETING, turn: 'b' });
  await live.run(2000);
  expect(live.upstream.requests).toHaveLength(2);
  expect(live.said('ended', 'b')).toMatchObject([{ requests: 1, cached: false }]);
});

test('another voice is another phrase', async () => {
  const live = start({ cache: 'on' });
  live.send({ ...GREETING, turn: 'a', voice: 'one' });
  await live.run(2000);
  live.send({ ...GREETING, turn: 'b', voice: 'two' });
  await live.run(2000);
  expect(live.upstream.requests).toHaveLength(2);
});

test('a cancelled turn keeps nothing', async () => {
  const live = start({ cache: 'on' });
  live.send({ ...GREETING, turn: 'a' });
  live.send({ type: 'cancel', turn: 'a' });
  await live.run(100);
  live.send({ ...GREETING, turn: 'b' });
  await live.run(2000);
  expect(live.said('ended', 'b')).toMatchObject([{ requests: 1, cached: false }]);
});
