// What an instance that shares quotas believes of time: with a server and a clock that the test holds in its hand. What
// is counted is tested against a real one, in integration/.

import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { firstKnowledge, type QuotaKnowledge } from '../../../src/limits/quota-knowledge.ts';
import { LATE_MS } from '../../../src/upstream/quota/quota-scripts.ts';
import type {
  Acquired,
  Exchanged,
  ExchangeRequest,
  QuotaServer,
} from '../../../src/upstream/quota/quota-server.ts';
import { createSharedQuotaStore } from '../../../src/upstream/quota/shared-quota-store.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const AHEAD_MS = 1_700_000_000_000;
const PULSE_MS = 250;
const AHEAD: Exchanged = { kind: 'ahead', shiftMs: 7, serverMs: AHEAD_MS + 90_000 };

/** An instance that shares its quota. */
async function open(acquired: Acquired = { kind: 'ahead' }, tookMs = 2) {
  const clock = createFakeClock(5_000);
  const requests: ExchangeRequest[] = [];
  const answers: ((answer: Exchanged) => void)[] = [];
  let always: Exchanged | undefined;
  const server: QuotaServer = {
    isReady: () => true,
    acquire: () => Promise.resolve(acquired),
    exchange(request) {
      requests.push(request);
      if (always !== undefined) return Promise.resolve(always);
      return new Promise((resolve) => answers.push(resolve));
    },
    onConnection() {},
    close() {},
  };
  const store = createSharedQuotaStore({
    server,
    quotas: [{ quota: 'a', first: firstKnowledge(60) }],
    maxInstances: 1,
    clock,
    random: fixedRandom(),
    log: silentLog,
  });
  const answer = async (told: Exchanged, tookMs: number) => {
    clock.advance(tookMs);
    answers.shift()!(told);
    await settle();
  };
  /** The server's time is that of the question. */
  const tell = () => {
    const quota = { version: 0, state: undefined, sends: [], gone: [], othersOpen: 0, lease: undefined };
    const storeMs = clock.now() + AHEAD_MS;
    const rest = { epoch: 'e', shiftMs: 0, isRebuilding: false, instances: 1, quotas: [quota] };
    return answer({ kind: 'told', storeMs, ...rest }, tookMs);
  };
  await tell(); // what time it is
  await tell();
  expect(store.state()[0]!.mode).not.toBe('local');
  clock.advance(PULSE_MS);
  const answerAlways = (told: Exchanged) => {
    always = told;
  };
  return { clock, store, requests, answer, answerAlways, tell };
}

describe('a server that is ahead of what an instance knows', () => {
  it('had its clock set, if it said so at once; that is told, and once', async () => {
    const { clock, requests, answer, tell } = await open();
    await answer(AHEAD, 20);
    const { estimate } = requests.at(-2)!;
    expect(requests.at(-1)!.step).toEqual({ from: 7, to: estimate - (AHEAD_MS + 90_000) });
    await tell();
    clock.advance(PULSE_MS);
    expect(requests.at(-1)!.step).toBeUndefined();
  });

  it('was asked late, if it took long to say so; it is asked again', async () => {
    const { requests, answer } = await open();
    const before = requests.length;
    await answer(AHEAD, LATE_MS);
    expect(requests.length).toBe(before + 1);
    expect(requests.at(-1)!.step).toBeUndefined();
    expect(requests.at(-1)!.estimate).toBeGreaterThan(requests.at(-2)!.estimate);
  });

  it('keeps no caller waiting, and is not asked without end', async () => {
    const { store, requests, answerAlways, tell } = await open();
    await tell();
    answerAlways(AHEAD);
    const before = requests.length;
    const answer = await store.ask({ reservation: 'r', among: ['a'], leave: 0, forecast: 1 });
    expect(answer).toEqual({ granted: true, quota: 'a' }); // by its own share
    expect(store.state()[0]!.mode).toBe('local');
    expect(requests.length - before).toBeLessThanOrEqual(4 * 4);
  });
});

it('never believes that a window ends before it does, however long the server takes to say what time it is', async () => {
  const { clock, store, requests, tell } = await open({ kind: 'granted', quota: 'a' }, 150);
  await tell();
  expect(await store.ask({ reservation: 'r', among: ['a'], leave: 0, forecast: 1 })).toEqual({
    granted: true,
    quota: 'a',
  });
  const endsMs = clock.now() + AHEAD_MS + 30_007;
  store.report('a', 'r', { kind: 'accepted', advice: { resetMs: 30_007 } });
  await tell(); // what was under way
  const { knowledge } = JSON.parse(requests.at(-1)!.quotas[0]!.state) as { knowledge: QuotaKnowledge };
  expect(knowledge.phase!.hiMs).toBeGreaterThanOrEqual(endsMs);
});
