import { afterEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import { silentLog } from '../../../src/base/log.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import { createHttpSpeechUpstream } from '../../../src/upstream/services/http-speech-upstream.ts';
import { createVoxgateService } from '../../../src/upstream/services/voxgate-service.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { type BenchKey, poolBench as bench, key, request, TEXT } from '../../support/pool-bench.ts';
import {
  audio,
  openGate,
  type Script,
  silence,
  startScriptedUpstream,
  status,
} from '../../support/scripted-upstream.ts';

describe('choosing a key', () => {
  it('takes the one with the most room', async () => {
    const { open, calls } = bench([key('a', 2), key('b', 5)]);
    for (let i = 0; i < 4; i++) open();
    await settle();
    expect(calls.map((call) => call.key).join('')).toBe('bbba');
  });

  it('spreads over keys without a limit by what is in flight', async () => {
    const { open, calls } = bench([key('a'), key('b')]);
    for (let i = 0; i < 6; i++) open();
    await settle();
    expect(calls.map((call) => call.key).join('')).toBe('ababab');
  });

  it('tells members by the pair: one API key under two user ids is two of them', () => {
    const pair = { apiKey: 'sk-same' };
    const { pool } = bench([
      { ...pair, userId: 'one' },
      { ...pair, userId: 'two' },
    ]);
    const prints = pool.state().keys.map((member) => member.fingerprint);
    expect(new Set(prints).size).toBe(2);
    for (const print of prints) expect(print).toMatch(/^k_[0-9a-f]{8}$/);
  });

  it('tells its state without telling a key', async () => {
    const { open, calls, pool, clock } = bench([key('a', 9)]);
    open();
    open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 60_000 } });
    await settle();
    clock.advance(1_000);
    expect(pool.state()).toEqual({
      keys: [
        {
          fingerprint: expect.any(String),
          state: 'limited',
          used: 2,
          limit: 9,
          mode: 'sliding',
          heldMs: 59_000,
          inFlight: 1,
          cap: 1,
          doubt: { reason: 'limited', restMs: 0 },
        },
      ],
      waiting: 1,
      waitingByClass: { first: 1 },
      hedge: { budget: 0.1, afterMs: undefined },
    });
    expect(JSON.stringify(pool.state())).not.toContain('secret');
  });

  it('refuses to be without keys', () => {
    expect(() => bench([])).toThrow(RangeError);
  });
});

describe('the line', () => {
  it('waits for the quota, first come first served, and says so at once and every 2 s', async () => {
    const { open, calls, clock } = bench([key('a', 1)]);
    open();
    await settle();
    await clock.run(20_000);
    const waiting = open();
    await settle();
    expect(waiting.notices).toEqual([{ reason: 'quota', position: 1, etaMs: 40_500, atMs: 20_000 }]);
    await clock.run(40_499);
    expect(calls).toHaveLength(1);
    const times = waiting.notices.map((notice) => notice.atMs);
    for (let i = 1; i < times.length; i++) expect(times[i]! - times[i - 1]!).toBeLessThanOrEqual(2_000);
    expect(times.at(-1)).toBeGreaterThan(58_500);
    expect(waiting.notices.every(({ atMs, etaMs }) => atMs + etaMs === 60_500)).toBe(true);
    await clock.run(1);
    expect(calls).toHaveLength(2);
    calls[1]!.answer();
    await waiting.done;
    expect(waiting.outcome).toEqual({ queueMs: 40_500, attempts: 1 });
  });

  it('waits for a place, and tells a positive time', async () => {
    const { open, calls } = bench([key('a')], { maxInFlightPerKey: 1 });
    open();
    const [second, third] = [open(), open()];
    await settle();
    expect(second.notices[0]).toMatchObject({ reason: 'busy', position: 1 });
    expect(third.notices[0]).toMatchObject({ reason: 'busy', position: 2 });
    expect(third.notices[0]!.etaMs).toBeGreaterThan(second.notices[0]!.etaMs);
    calls[0]!.answer();
    await settle();
    expect(calls).toHaveLength(1);
    calls[0]!.end();
    await settle();
    expect(calls).toHaveLength(2);
    second.abort.abort();
    await settle();
    expect(calls).toHaveLength(3);
  });

  it('hands on that a reader wants nothing for a while', async () => {
    const { open, calls } = bench([key('a')]);
    const first = open();
    await settle();
    calls[0]!.answer();
    await settle();
    first.body!.gathering!.rest(400);
    expect(calls[0]!.restsMs).toEqual([400]);
  });

  it('learns from the streams that have ended how long a place is held', async () => {
    const { open, calls, clock } = bench([key('a')], { maxInFlightPerKey: 1 });
    for (let i = 0; i < 40; i++) {
      open();
      await settle();
      calls[i]!.answer();
      await clock.run(100);
      calls[i]!.end();
    }
    open();
    const waiting = open();
    await settle();
    expect(waiting.notices[0]!.etaMs).toBeGreaterThanOrEqual(100);
    expect(waiting.notices[0]!.etaMs).toBeLessThan(200);
  });

  it('wakes for a quota while another key is only short of places', async () => {
    const { open, calls, clock } = bench([key('a', 1), key('b')], { maxInFlightPerKey: 1 });
    open();
    await settle();
    calls[0]!.answer(); // the key without a limit, held from now on
    const second = open();
    await settle();
    calls[1]!.answer();
    calls[1]!.end();
    await second.done;
    const third = open();
    await clock.run(60_499);
    expect([calls.length, third.outcome]).toEqual([2, 'pending']);
    await clock.run(1);
    expect(calls).toHaveLength(3);
  });

  it('serves in the order of arrival, over all keys', async () => {
    const { open, calls, clock } = bench([key('a', 1), key('b', 2)]);
    const order: number[] = [];
    for (let i = 0; i < 6; i++) {
      const waiter = open();
      void waiter.done.then(() => order.push(i));
      await clock.run(100);
    }
    expect(calls).toHaveLength(3);
    await clock.run(60_500);
    expect(calls).toHaveLength(6);
    for (const call of calls) call.answer();
    await settle();
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('tells everyone their position within 2 s, with one timer', async () => {
    const { open, clock } = bench([key('a', 1)], { maxWaitMs: 10_000_000 });
    open();
    const waiters = [];
    for (let i = 0; i < 30; i++) {
      waiters.push(open());
      await clock.run(170);
    }
    expect(clock.timers).toBe(1);
    await clock.run(20_000);
    waiters.forEach(({ notices }, index) => {
      expect(notices[0]!.position).toBe(index + 1);
      for (let i = 1; i < notices.length; i++)
        expect(notices[i]!.atMs - notices[i - 1]!.atMs).toBeLessThanOrEqual(2_000);
      expect(notices.at(-1)!.atMs).toBeGreaterThan(clock.now() - 1_000 - 2_000);
    });
  });

  it('lets a cancelled waiter go at once and moves the others up', async () => {
    const { open, clock, pool } = bench([key('a', 1)], { maxWaitMs: 1_000_000 });
    open();
    const [second, third] = [open(), open()];
    await settle();
    second.abort.abort('enough');
    await second.done;
    expect([second.outcome, pool.state().waiting]).toEqual(['enough', 1]);
    await clock.run(2_000);
    expect(third.notices.at(-1)).toMatchObject({ position: 1 });
    expect(second.notices).toHaveLength(1);
    third.abort.abort();
    await settle();
    expect(clock.timers).toBe(0);
  });

  it('refuses at once whoever would wait too long', async () => {
    const { open, clock, calls } = bench([key('a', 1)], { maxWaitMs: 61_000 });
    open();
    const [fits, tooLong] = [open(), open()];
    await settle();
    expect(fits.outcome).toBe('pending');
    expect(tooLong.outcome).toEqual({ code: 'busy', retryAfterMs: 60_000 });
    expect(tooLong.notices).toEqual([]);
    await clock.run(60_500);
    expect(calls).toHaveLength(2);
  });

  it('refuses at once when it is full', async () => {
    const { open, pool } = bench([key('a')], { maxInFlightPerKey: 1, maxWaiting: 2, maxWaitingPerTenant: 2 });
    const all = [open(), open(), open(), open()];
    await settle();
    expect(all[3]!.outcome).toMatchObject({ code: 'busy' });
    expect(pool.state().waiting).toBe(2);
  });

  it('keeps nobody beyond the longest wait, when the prediction was wrong', async () => {
    const { open, clock, calls } = bench([key('a')], { maxInFlightPerKey: 1, maxWaitMs: 5_000 });
    open();
    await settle();
    calls[0]!.answer();
    const waiting = open();
    await clock.run(4_999);
    expect(waiting.outcome).toBe('pending');
    await clock.run(1);
    expect(waiting.outcome).toMatchObject({ code: 'busy' });
  });

  it('stops at the start for a signal that has fired', async () => {
    const { pool, calls } = bench([key('a')]);
    await expect(pool.open(request, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(calls).toHaveLength(0);
  });

  it('lets a caller cancel from within its own notice', async () => {
    const { open, pool, calls } = bench([key('a')], { maxInFlightPerKey: 1 });
    open();
    const abort = new AbortController();
    const onQueued = () => abort.abort('changed my mind');
    await expect(pool.open(request, { signal: abort.signal, onQueued })).rejects.toBe('changed my mind');
    expect([pool.state().waiting, calls.length]).toEqual([0, 1]);
  });

  it('empties on close, and takes nobody in; what runs goes on', async () => {
    const { open, pool, calls, clock } = bench([key('a')], { maxInFlightPerKey: 1 });
    const running = open();
    const waiting = open();
    await settle();
    pool.close();
    const late = open();
    await settle();
    expect([waiting.outcome, late.outcome]).toEqual(['shutting_down', 'shutting_down']);
    calls[0]!.answer();
    await running.done;
    expect(running.outcome).toMatchObject({ attempts: 1 });
    expect(clock.timers).toBe(0);
  });
});

describe('quota', () => {
  it('counts what was sent, and gives back what was not', async () => {
    const { open, calls, pool } = bench([key('a', 10)]);
    const [unsent, sent] = [open(), open()];
    await settle();
    calls[0]!.fail('upstream_rejected', { status: 400, when: 'unsent' });
    calls[1]!.fail('upstream_rejected', { status: 400 });
    await settle();
    expect([unsent.outcome, sent.outcome]).toEqual(['upstream_rejected', 'upstream_rejected']);
    expect(pool.state().keys[0]).toMatchObject({ used: 1, inFlight: 0 });
  });

  it('gives a refunded send to the next in line', async () => {
    const { open, calls } = bench([key('a', 1)]);
    const first = open();
    open();
    await settle();
    first.abort.abort();
    await settle();
    expect(calls).toHaveLength(2);
  });
});

describe('failures', () => {
  it('moves to the next key at once on a 429, and rests the first for its Retry-After', async () => {
    const { open, calls, pool, clock } = bench([key('a'), key('b')]);
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 12_000 } });
    await settle();
    expect(calls.map((call) => call.key).join('')).toBe('ab');
    calls[1]!.answer();
    await turn.done;
    expect(turn.outcome).toEqual({ queueMs: 0, attempts: 2 });
    expect(pool.state().keys.map((member) => member.heldMs)).toEqual([12_000, 0]);
    await clock.run(11_999);
    open();
    await settle();
    expect(calls[2]!.key).toBe('b');
  });

  it('waits in front of the line when the only key rests', async () => {
    const { open, calls, clock } = bench([key('a')], { maxInFlightPerKey: 1 });
    const first = open();
    const second = open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 3_000 } });
    await settle();
    expect(first.notices.at(-1)).toMatchObject({ reason: 'quota', position: 1, etaMs: 3_000 });
    await clock.run(3_000);
    expect(calls).toHaveLength(2);
    calls[1]!.answer();
    await first.done;
    expect(first.outcome).toEqual({ queueMs: 3_000, attempts: 2 });
    expect(second.outcome).toBe('pending');
  });

  it('tells the caller when to come back if all keys rest for too long', async () => {
    const { open, calls } = bench([key('a'), key('b')], { maxWaitMs: 5_000 });
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 30_000 } });
    await settle();
    calls[1]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 20_000 } });
    await settle();
    expect(turn.outcome).toEqual({ code: 'upstream_rate_limited', retryAfterMs: 15_000 });
    const next = open();
    await settle();
    expect(next.outcome).toEqual({ code: 'busy', retryAfterMs: 15_000 });
    expect(calls).toHaveLength(2);
  });

  it('waits for the first key to come back when all are held, and names it where that would be too long', async () => {
    const refuseAll = async (maxWaitMs: number) => {
      const made = bench([key('a'), key('b'), key('c')], { maxWaitMs });
      const turn = made.open();
      await settle();
      for (const resetMs of [30_000, 4_000, 20_000]) {
        made.calls.at(-1)!.fail('upstream_rate_limited', { status: 429, advice: { resetMs } });
        await settle();
      }
      return { ...made, turn };
    };
    const patient = await refuseAll(70_000);
    expect([patient.calls.length, patient.turn.outcome]).toEqual([3, 'pending']);
    await patient.clock.run(4_000);
    expect(patient.calls.map((call) => call.key).join('')).toBe('abcb');
    patient.calls[3]!.answer();
    await patient.turn.done;
    expect(patient.turn.outcome).toEqual({ queueMs: 4_000, attempts: 4 });
    const hasty = await refuseAll(1_000);
    expect([hasty.calls.length, hasty.turn.outcome]).toEqual([
      3,
      { code: 'upstream_rate_limited', retryAfterMs: 3_000 },
    ]);
  });

  it.each([1, 3, 5])(
    'asks the free one of six keys when %i are at their limit, and no key twice',
    async (limited) => {
      for (const maxWaitMs of [70_000, 0]) {
        const { open, calls, clock } = bench(
          'abcdef'.split('').map((name) => key(name)),
          { maxWaitMs },
        );
        const turn = open();
        await settle();
        for (let n = 0; n < limited; n += 1) {
          clock.advance(1);
          calls.at(-1)!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 30_000 } });
          await settle();
        }
        calls.at(-1)!.answer();
        await turn.done;
        expect(turn.outcome).toEqual({ queueMs: 0, attempts: limited + 1 });
        expect(new Set(calls.map((call) => call.key)).size).toBe(limited + 1);
      }
    },
  );

  it('asks every key that is left when others are refused', async () => {
    const { open, calls } = bench('abcdef'.split('').map((name) => key(name)));
    const turn = open();
    await settle();
    for (let n = 0; n < 5; n += 1) {
      calls.at(-1)!.fail('upstream_unauthorized', { status: 401 });
      await settle();
    }
    calls.at(-1)!.answer();
    await turn.done;
    expect(turn.outcome).toEqual({ queueMs: 0, attempts: 6 });
  });

  it('counts no 429 among the attempts that a request has', async () => {
    const { open, calls, clock } = bench('abcdef'.split('').map((name) => key(name)));
    const turn = open();
    await settle();
    for (let n = 0; n < 5; n += 1) {
      if (n % 2 === 0) calls.at(-1)!.fail('upstream_rate_limited', { status: 429 });
      else calls.at(-1)!.fail('upstream_unreachable', { status: 503 });
      await clock.run(200);
    }
    calls.at(-1)!.answer();
    await turn.done;
    expect(turn.outcome).toMatchObject({ attempts: 6 });
  });

  it('lets a key rest that has no money or may not be used, whatever the status says', async () => {
    const { open, calls, pool, quota } = bench([key('a'), key('b')]);
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_unauthorized', { status: 429 });
    await settle();
    calls[1]!.answer();
    await turn.done;
    expect(pool.state().keys.map(({ state, doubt }) => [state, doubt?.restMs])).toEqual([
      ['refused', 600_000],
      ['ready', undefined],
    ]);
    expect(quota.reports[0]!.report).toEqual({ kind: 'failed' });
  });

  it('does not hammer a service that refuses everything, whether it says when to come again or not', async () => {
    for (const advice of [{}, { resetMs: 0 }, { resetMs: 1_000 }]) {
      const keys = 'abcdef'.split('').map((name) => key(name));
      const clock = createFakeClock();
      const quotas = keys.map(({ apiKey }) => ({ quota: quotaIdOf(apiKey) }));
      const store = createMemoryQuotaStore({ quotas, clock, log: silentLog });
      const { open, calls } = bench(keys, { clock, store, maxWaitMs: 'while-served' });
      for (let n = 0; n < 20; n += 1) open();
      let seen = 0;
      for (let second = 0; second < 600; second += 1) {
        await clock.run(1_000);
        for (; seen < calls.length; seen += 1) {
          calls[seen]!.fail('upstream_rate_limited', { status: 429, advice });
          await settle();
        }
      }
      // Ten minutes: of each key some at once, and then fewer and fewer, down to one a minute.
      expect(calls.length / keys.length).toBeLessThan(30);
      const lastMinutes = calls.filter((call) => call.atMs > clock.now() - 300_000).length;
      expect(lastMinutes / keys.length).toBeLessThanOrEqual(6);
    }
  });

  it('sends one request as a trial after a rest, and the others when it has worked', async () => {
    const { open, calls, clock } = bench([key('a')]);
    const doomed = open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 2_000 } });
    await settle();
    for (let i = 0; i < 3; i++) open();
    await clock.run(2_000);
    expect(calls).toHaveLength(2);
    calls[1]!.answer();
    await doomed.done;
    await settle();
    expect(calls).toHaveLength(5);
  });

  it('takes a refused key out for 10 minutes, tries another, and lets one request try it again', async () => {
    const { open, calls, clock, pool, lines } = bench([key('a'), key('b')]);
    open();
    await settle();
    calls[0]!.fail('upstream_unauthorized', { status: 401 });
    await settle();
    expect(calls[1]!.key).toBe('b');
    expect(pool.state().keys[0]!.doubt?.restMs ?? 0).toBe(600_000);
    expect(lines.join()).toContain('upstream_key_cools');
    calls[1]!.answer();
    await clock.run(600_000);
    open();
    await settle();
    expect(calls[2]!.key).toBe('a');
  });

  it('keeps the last key, whatever it is told', async () => {
    const { open, calls, pool } = bench([key('a'), key('b')]);
    for (let i = 0; i < 3; i++) {
      const turn = open();
      await settle();
      while (turn.outcome === 'pending') {
        calls.at(-1)!.fail('upstream_unauthorized', { status: 401 });
        await settle();
      }
      expect(turn.outcome).toBe('upstream_unauthorized');
    }
    expect(pool.state().keys.map((member) => member.doubt?.restMs ?? 0)).toEqual([600_000, 0]);
    expect(calls.map((call) => call.key).join('')).toBe('abbb');
  });

  it('takes a key out at the third 403 in a row, not before', async () => {
    const { open, calls, pool } = bench([key('a', 100), key('b', 9)]);
    const rests = [];
    for (let i = 0; i < 3; i++) {
      open();
      await settle();
      calls.at(-1)!.fail('upstream_unauthorized', { status: 403 });
      await settle();
      calls.at(-1)!.answer();
      calls.at(-1)!.end();
      await settle();
      rests.push(pool.state().keys[0]!.doubt?.restMs ?? 0);
    }
    expect(calls.map((call) => call.key).join('')).toBe('ababab');
    expect(rests).toEqual([0, 0, 600_000]);
  });

  it('tries twice more when the service fails, after a pause, on other keys', async () => {
    const { open, calls, clock } = bench([key('a'), key('b'), key('c')]);
    const turn = open();
    await settle();
    for (const [index, expected] of ['a', 'b', 'c'].entries()) {
      expect(calls).toHaveLength(index + 1);
      expect(calls[index]!.key).toBe(expected);
      calls[index]!.fail('upstream_unreachable', { status: 503 });
      await settle();
      await clock.run(50);
    }
    expect([turn.outcome, calls.length]).toEqual(['upstream_unreachable', 3]);
  });

  it('does not try again what was rejected', async () => {
    const { open, calls } = bench([key('a'), key('b')]);
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_rejected', { status: 422 });
    await turn.done;
    expect([turn.outcome, calls.length]).toEqual(['upstream_rejected', 1]);
  });

  it('keeps an outage from becoming a storm: at most a fifth more requests', async () => {
    const { open, calls, clock, metrics } = bench([key('a')], { maxInFlightPerKey: 1000 });
    const turns = Array.from({ length: 100 }, () => open());
    await settle();
    for (let failed = 0; failed < calls.length; ) {
      for (; failed < calls.length; failed++) calls[failed]!.fail('upstream_unreachable', { status: 503 });
      await settle();
      await clock.run(200);
    }
    expect(calls).toHaveLength(120);
    expect(turns.every((turn) => turn.outcome === 'upstream_unreachable')).toBe(true);
    expect(metrics.expose()).toContain('voxgate_upstream_retries_total{reason="upstream_unreachable"} 20');
  });

  it('leaves the pause before a retry when cancelled', async () => {
    const { open, calls, clock } = bench([key('a')]);
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_unreachable', { status: 500 });
    await settle();
    turn.abort.abort('gone');
    await turn.done;
    expect([turn.outcome, calls.length, clock.timers]).toEqual(['gone', 1, 0]);
  });

  it('frees the place of a trial that was cancelled', async () => {
    const { open, calls, clock, pool } = bench([key('a')]);
    const first = open();
    await settle();
    calls[0]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 2_000 } });
    await clock.run(2_000);
    expect(calls).toHaveLength(2);
    first.abort.abort();
    open();
    await settle();
    expect(calls).toHaveLength(3);
    expect(pool.state().keys[0]!.inFlight).toBe(1);
  });
});

it('counts what happened', async () => {
  const { open, calls, metrics, clock } = bench([key('a')]);
  const turn = open();
  await settle();
  calls[0]!.answer();
  await turn.done;
  expect(metrics.expose()).toContain('voxgate_upstream_in_flight 1');
  await clock.run(3_000);
  calls[0]!.end();
  const text = metrics.expose();
  for (const line of [
    'voxgate_upstream_in_flight 0',
    'voxgate_upstream_requests_total{outcome="ok"} 1',
    'upstream_ttfb_seconds_count 1',
    'queue_wait_seconds_count{class="first"} 1',
  ])
    expect(text).toContain(line);
});

describe('over real sockets', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  const deadlines = { connectMs: 2_000, firstByteMs: 8_000, stallMs: 3_000 };

  async function served(script: Script | readonly Script[], keys: readonly BenchKey[]) {
    const upstream = await startScriptedUpstream(script);
    const clock = createFakeClock();
    const transport = createHttpSpeechUpstream({
      kind: createVoxgateService(),
      baseUrl: upstream.url,
      maxConnections: 8,
      deadlines,
      clock,
    });
    cleanups.push(
      () => upstream.close(),
      () => transport.close(),
    );
    return { upstream, ...bench(keys, { transport, clock, maxWaitMs: 5_000 }) };
  }

  it('speaks with the second key at once when the first is limited', async () => {
    const { upstream, pool } = await served(
      [status(429, { 'retry-after': '30' }), audio(new Uint8Array(300))],
      [key('a'), key('b')],
    );
    const body = await pool.open(request, { signal: new AbortController().signal });
    let total = 0;
    for await (const chunk of body.chunks) total += chunk.length;
    expect([total, body.attempts]).toEqual([300, 2]);
    expect(upstream.requests.map((seen) => seen.headers['x-user-id'])).toEqual(['user-a', 'user-b']);
    expect(pool.state().keys.map(({ inFlight, heldMs }) => [inFlight, heldMs])).toEqual([
      [0, 30_000],
      [0, 0],
    ]);
  });

  it('frees the place when the body has arrived, read or not', async () => {
    const { pool } = await served(audio(new Uint8Array(300)), [key('a')]);
    await pool.open(request, { signal: new AbortController().signal });
    while (pool.state().keys[0]!.inFlight > 0) await settle();
  });

  it('closes the socket of a cancelled request and counts it as sent', async () => {
    const { upstream, pool } = await served(silence, [key('a', 5)]);
    const abort = new AbortController();
    const opened = pool.open(request, { signal: abort.signal });
    const seen = await upstream.request(1);
    abort.abort('barge-in');
    await expect(opened).rejects.toBe('barge-in');
    await seen.hungUp;
    expect(pool.state().keys[0]).toMatchObject({ used: 1, inFlight: 0 });
  });

  it('tells no key and no text: not in errors, logs, metrics or its state', async () => {
    const echo = `${TEXT} sk-secret-a sk-secret-b user-a user-b`;
    const refuse = (code: number) =>
      status(code, { 'x-echo': echo }, JSON.stringify({ errorId: 'SK_SECRET', errorMessage: echo }));
    const gate = openGate();
    const scripts: Script[] = [
      refuse(401),
      refuse(403),
      refuse(429),
      refuse(422),
      async (reply) => {
        reply.start();
        reply.write('x');
        await gate.opened;
        reply.raw(`${echo}\r\n`);
      },
    ];
    const { pool, lines, metrics, clock } = await served(scripts, [key('a'), key('b')]);
    const told: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const opened = pool.open(request, { signal: new AbortController().signal }).then(async (body) => {
        gate.open();
        for await (const _ of body.chunks);
      });
      const settled = opened.then(
        () => 'fine',
        (error: unknown) => error,
      );
      let over = false;
      void settled.then(() => {
        over = true;
      });
      while (!over) {
        await settle();
        clock.advance(10);
      }
      told.push(await settled);
    }
    expect(told.map((error) => (error as AppError).code)).toContain('upstream_rejected');
    const everything = [
      ...told.map(
        (error) => `${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)}`,
      ),
      ...lines,
      metrics.expose(),
      JSON.stringify(pool.state()),
    ].join('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of [TEXT, 'sk-secret', 'user-a', 'user-b']) expect(everything).not.toContain(secret);
  });
});
