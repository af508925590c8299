// Jobs at a key with few requests a minute: they take their time, and the service refuses nothing.
import { expect, it } from 'vitest';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import type { PartShelf, SpokenPart } from '../../src/service/part-shelf.ts';
import { speakParts } from '../../src/service/speak-parts.ts';
import { splitIntoRequests } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { codecs } from '../support/codecs.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type StrictKey, startStrictService } from '../support/strict-service.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const SENTENCE = 'The ferry leaves the old harbour at noon and comes back by night. ';
const TEXT = SENTENCE.repeat(Math.ceil(50_000 / SENTENCE.length)).slice(0, 50_000);
/** As jobs are split. */
const PART_CHARACTERS = 2_000;

const shelf: PartShelf = {
  find: async () => undefined,
  async keep(index, chunks, facts): Promise<SpokenPart> {
    for await (const _ of chunks);
    return { path: `part ${index}`, ...facts() };
  },
};

async function speak(key: StrictKey) {
  const clock = createFakeClock();
  const service = startStrictService({ keys: [key], clock, speechMs: (text) => text.length });
  const segments = wholeTextSegments(TEXT, { language: 'english', markup: 'strip' });
  let parts: readonly SpokenPart[] | undefined;
  const spoken = speakParts(
    {
      runtime: { upstream: service.pool, recovery: trustingRecovery(), codecs, timer: NO_WORD_TIMER, clock },
      synthesis: {},
      seed: 1,
      defaultVoice: undefined,
      defaultVoice2: undefined,
      texts: splitIntoRequests(segments, PART_CHARACTERS),
      tenant: 'ann',
      work: 'job',
      shelf,
      atOnce: 2,
      onProgress() {},
    },
    new AbortController().signal,
  );
  void spoken.then((made) => {
    parts = made;
  });
  const fromMs = clock.now();
  for (let n = 0; n < 3_600 && parts === undefined; n += 1) await clock.run(1_000);
  await spoken;
  return { service, parts: parts!, tookMs: clock.now() - fromMs };
}

it('makes 50,000 characters with ten requests a minute, none of which is refused', async () => {
  const { service, parts, tookMs } = await speak({ name: 'a', perMinute: 10, takes: 10 });
  expect([parts.length, service.requests.length, service.refusals()]).toEqual([
    parts.length,
    parts.length,
    0,
  ]);
  expect(parts.length).toBeGreaterThan(25);
  // Three of ten are left to whoever listens.
  expect(tookMs).toBeLessThan((parts.length / 7) * 61_000 + 61_000);
});

it('finds out as soon that a service refuses nothing', async () => {
  const { parts, tookMs } = await speak({ name: 'a' });
  expect(parts.length).toBeGreaterThan(25);
  expect(tookMs).toBeLessThan(10_000);
});
