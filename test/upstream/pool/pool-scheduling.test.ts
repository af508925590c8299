// Who gets the next send, and what becomes of the others: classes, tenants, sessions, a store that takes its time,
// refusals on arrival, hedges.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { silentLog } from '../../../src/base/log.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { WorkClass } from '../../../src/upstream/speech-work.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { type Call, key, poolBench } from '../../support/pool-bench.ts';
import { SPAN_MS } from '../../support/scripted-quota.ts';

const work = (
  of: WorkClass,
  { tenant = '', deadlineMs = 0, session }: { tenant?: string; deadlineMs?: number; session?: string } = {},
) => ({ work: { class: of, tenant, deadlineMs, ...(session === undefined ? {} : { session }) } });

/** Opens requests in turn and tells the order in which they are answered, by name. */
function namedOpens(made: ReturnType<typeof poolBench>) {
  const order: string[] = [];
  return {
    order,
    open: (name: string, options: Parameters<typeof made.open>[0]) => {
      const turn = made.open(options);
      void turn.done.then(() => order.push(name));
      return turn;
    },
    serveAll: async () => {
      for (let seen = 0; seen < made.calls.length; ) {
        for (; seen < made.calls.length; seen++) {
          made.calls[seen]!.answer();
          await settle();
          made.calls[seen]!.end();
        }
        await settle();
      }
    },
  };
}

describe('order', () => {
  it('is by class, then by turns of the tenants, then by deadline', async () => {
    const made = poolBench([key('a')], { maxInFlightPerKey: 1 });
    const { open, order, serveAll } = namedOpens(made);
    open('running', work('first'));
    open('job', work('batch'));
    open('ahead', work('prefetch'));
    open('x-late', work('first', { tenant: 'x', deadlineMs: 9 }));
    open('x-soon', work('next', { tenant: 'x', deadlineMs: 5 }));
    open('y', work('first', { tenant: 'y', deadlineMs: 99 }));
    open('x-resume', work('resume', { tenant: 'x', deadlineMs: 1 }));
    await settle();
    await serveAll();
    expect(order).toEqual(['running', 'x-resume', 'y', 'x-soon', 'x-late', 'ahead', 'job']);
  });

  it('lets a session have two requests under way, and passes over its third', async () => {
    const { open, calls } = poolBench([key('a')], { maxInFlightPerKey: 9 });
    const session = 'one';
    open(work('next', { session, deadlineMs: 1 }));
    open(work('next', { session, deadlineMs: 1 }));
    const third = open(work('next', { session, deadlineMs: 1 }));
    const other = open(work('next', { session: 'two', deadlineMs: 9 }));
    await settle();
    expect(calls).toHaveLength(3);
    expect(third.notices).toEqual([expect.objectContaining({ reason: 'busy', position: 1 })]);
    calls[2]!.answer();
    await other.done;
    expect(other.outcome).toEqual({ queueMs: 0, attempts: 1 });
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls).toHaveLength(4);
  });

  it('bounds one tenant, so that others still find room', async () => {
    const { open, metrics } = poolBench([key('a')], { maxInFlightPerKey: 1, maxWaiting: 4 });
    open(work('first'));
    const flood = [1, 2, 3].map(() => open(work('first', { tenant: 'flood' })));
    const others = [1, 2].map((n) => open(work('first', { tenant: `other-${n}` })));
    await settle();
    expect(flood.map(({ outcome }) => outcome)).toEqual([
      'pending',
      'pending',
      { code: 'busy', retryAfterMs: 2_000 },
    ]);
    expect(others.map(({ outcome }) => outcome)).toEqual(['pending', 'pending']);
    expect(metrics.expose()).toContain('voxgate_requests_refused_total{reason="tenant_full"} 1');
  });

  it('leaves a tenth to the first words, a fifth to what plays, and three tenths to all but jobs', async () => {
    const made = poolBench([key('a', 10)], { maxInFlightPerKey: 99, maxWaitMs: 200_000 });
    const { open, calls } = made;
    const sent = async (of: WorkClass, count: number) => {
      const before = calls.length;
      const turns = Array.from({ length: count }, () => open(work(of)));
      await settle();
      const went = calls.length - before;
      for (const turn of turns) turn.abort.abort();
      for (const call of calls.slice(before)) call.answer();
      await settle();
      return went;
    };
    // Those that go are kept: their requests have been sent when they are cancelled.
    const keepers: Call[] = [];
    const fill = async (of: WorkClass, count: number) => {
      for (let i = 0; i < count; i++) {
        open(work(of));
        await settle();
        keepers.push(calls.at(-1)!);
        calls.at(-1)!.answer();
      }
    };
    await fill('batch', 7);
    expect(await sent('batch', 2)).toBe(0);
    await fill('prefetch', 1);
    expect(await sent('prefetch', 2)).toBe(0);
    await fill('next', 1);
    expect(await sent('next', 2)).toBe(0);
    await fill('first', 1);
    expect(calls).toHaveLength(10);
    const last = open(work('first'));
    await settle();
    expect(calls).toHaveLength(10);
    expect(last.notices[0]).toMatchObject({ reason: 'quota', etaMs: SPAN_MS });
  });

  it('gives what plays a part of the reserve before it runs dry, and foretells so', async () => {
    const { open, calls, clock } = poolBench([key('a', 100)], { maxInFlightPerKey: 200 });
    for (let i = 0; i < 90; i++) open(work('first', { tenant: `t${i}` }));
    const waiting = open(work('next', { deadlineMs: clock.now() + 10_000 }));
    await settle();
    expect(waiting.notices[0]).toMatchObject({ reason: 'quota', etaMs: 7_500 });
    await clock.run(7_499);
    expect(calls).toHaveLength(90);
    await clock.run(1);
    expect(calls).toHaveLength(91);
  });

  it('passes a send on to whoever may have it when the first in line may not', async () => {
    const { open, calls } = poolBench([key('a', 10)], { maxInFlightPerKey: 99 });
    for (let i = 0; i < 9; i++) open(work('first'));
    open(work('next'));
    open(work('first', { deadlineMs: 50 }));
    await settle();
    expect(calls).toHaveLength(10);
  });

  it('prefers the key that is asked for, if it can', async () => {
    const { open, calls, pool } = poolBench([key('a'), key('b')], { maxInFlightPerKey: 2 });
    const prefer = pool.state().keys[1]!.fingerprint;
    for (let i = 0; i < 3; i++) open({ prefer });
    await settle();
    expect(calls.map((call) => call.key).join('')).toBe('bba');
  });
});

describe('a store that takes its time', () => {
  it('is asked one question at a time, and the best placed gets the answer', async () => {
    const made = poolBench([key('a', 60)], { answers: 'when let', maxInFlightPerKey: 1 });
    const { open, order, serveAll } = namedOpens(made);
    open('ordinary', work('first', { deadlineMs: 9 }));
    await settle();
    open('urgent', work('resume', { deadlineMs: 1 }));
    await settle();
    expect(made.quota.asks).toHaveLength(1);
    made.quota.answer();
    await settle();
    await serveAll();
    made.quota.answer();
    await settle();
    await serveAll();
    expect(order).toEqual(['urgent', 'ordinary']);
  });

  it('holds up nobody who leaves, and gets its send back when all have', async () => {
    const { open, quota, calls, clock } = poolBench([key('a', 60)], { answers: 'when let' });
    const turn = open();
    await settle();
    turn.abort.abort('enough');
    await turn.done;
    expect([turn.outcome, clock.timers]).toEqual(['enough', 0]);
    quota.answer();
    await settle();
    expect(calls).toHaveLength(0);
    expect(quota.reports.map(({ report }) => report.kind)).toEqual(['unsent']);
    expect(quota.state()[0]!.used).toBe(0);
  });

  it('does not keep anybody beyond the longest wait, even if it never answers', async () => {
    const { open, clock } = poolBench([key('a', 60)], { answers: 'when let', maxWaitMs: 5_000 });
    const turn = open();
    await clock.run(5_000);
    expect(turn.outcome).toMatchObject({ code: 'busy' });
  });

  it('is waited for by those who do not wait for quota', async () => {
    const { open, quota, calls, clock } = poolBench([key('a', 1)], { answers: 'when let', maxWaitMs: 0 });
    const granted = open();
    await clock.run(50);
    expect(granted.outcome).toBe('pending');
    quota.answer();
    await settle();
    expect(calls).toHaveLength(1);
    const refused = open();
    await clock.run(50);
    quota.answer();
    await clock.run(1);
    expect(refused.outcome).toMatchObject({ code: 'busy' });
    const unheard = open();
    await clock.run(250);
    expect(unheard.outcome).toMatchObject({ code: 'busy' });
  });

  it('gives its grant back after the end', async () => {
    const { open, quota, pool, calls } = poolBench([key('a', 60)], { answers: 'when let' });
    const turn = open();
    await settle();
    pool.close();
    quota.answer();
    await settle();
    expect([turn.outcome, calls.length]).toEqual(['shutting_down', 0]);
    expect(quota.reports.map(({ report }) => report.kind)).toEqual(['unsent']);
  });

  it('may say that something has become free', async () => {
    const { open, quota, calls } = poolBench([key('a', 1)]);
    open();
    open();
    await settle();
    expect(calls).toHaveLength(1);
    quota.limit(quota.state()[0]!.quota, 2);
    await settle();
    expect(calls).toHaveLength(2);
  });
});

describe('refusing on arrival', () => {
  it('takes no time at all while every key is held back, and causes no requests', async () => {
    const { open, calls, clock, metrics } = poolBench([key('a'), key('b'), key('c')], { maxWaitMs: 10_000 });
    const storm = Array.from({ length: 6 }, () => open());
    await settle();
    for (let seen = 0; seen < calls.length; seen++) {
      calls[seen]!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 40_000 } });
      await settle();
    }
    const sent = calls.length;
    expect(sent).toBeLessThanOrEqual(6 * 3);
    expect(storm.every(({ outcome }) => outcome !== 'pending')).toBe(true);
    for (let i = 0; i < 200; i++) {
      const late = open();
      await settle();
      expect(late.outcome).toMatchObject({ code: 'busy', retryAfterMs: expect.any(Number) });
      expect(late.notices).toEqual([]);
      await clock.run(50);
    }
    expect(calls).toHaveLength(sent);
    expect(metrics.expose()).toContain('voxgate_requests_refused_total{reason="too_long"}');
    // When the hold is over, one tries before the rest follow.
    await clock.run(40_000);
    for (let i = 0; i < 12; i++) open();
    await settle();
    expect(calls).toHaveLength(sent + 3);
  });

  it('predicts from the place in the order, not from the number of those who wait', async () => {
    const { open } = poolBench([key('a', 1)], {
      maxWaitMs: { resume: 90_000, first: 90_000, next: 90_000, prefetch: 90_000, batch: 900_000 },
    });
    open();
    const jobs = [open(work('batch')), open(work('batch')), open(work('batch'))];
    await settle();
    const live = open(work('first'));
    const second = open(work('first'));
    await settle();
    expect(jobs.every(({ outcome }) => outcome === 'pending')).toBe(true);
    expect(live.notices[0]).toMatchObject({ position: 1, etaMs: SPAN_MS });
    expect(second.outcome).toEqual({ code: 'busy', retryAfterMs: 2 * SPAN_MS - 90_000 });
  });

  it('goes by the limits where the forecast ends', async () => {
    const { open } = poolBench([key('a', 60)], { maxInFlightPerKey: 999, maxWaitMs: 1e9, maxWaiting: 999 });
    for (let i = 0; i < 60; i++) open();
    const waiting = Array.from({ length: 130 }, (_, i) => open(work('first', { tenant: `t${i}` })));
    await settle();
    const etas = waiting.map(({ notices }) => notices[0]!.etaMs);
    for (let i = 1; i < etas.length; i++) expect(etas[i]).toBeGreaterThanOrEqual(etas[i - 1]!);
    expect(etas[59]).toBe(SPAN_MS);
    expect(etas[129]).toBeGreaterThan(2 * SPAN_MS);
    expect(etas[129]).toBeLessThan(4 * SPAN_MS);
  });

  it('does not count a key that is short of places only as one without quota', async () => {
    const { open, calls } = poolBench([key('a', 1), key('b')], { maxInFlightPerKey: 1, maxWaitMs: 5_000 });
    for (let i = 0; i < 2; i++) open();
    await settle();
    for (const call of calls) call.answer();
    calls.find((call) => call.key === 'a')!.end();
    await settle();
    const third = open();
    await settle();
    expect(third.outcome).toBe('pending');
    expect(third.notices[0]!.etaMs).toBeLessThan(5_000);
  });
});

describe('members that fail', () => {
  it('are left out after five faults, and tried again by one request', async () => {
    const { open, calls, clock, pool } = poolBench([key('a', 1_000), key('b', 900)], {
      maxInFlightPerKey: 9,
    });
    for (let i = 0; i < 5; i++) {
      open();
      await settle();
      expect(calls.at(-1)!.key).toBe('a');
      calls.at(-1)!.fail('upstream_unreachable', { status: 503 });
      await clock.run(50);
      calls.at(-1)!.answer();
      calls.at(-1)!.end();
      await clock.run(20_000);
    }
    expect(pool.state().keys[0]).toMatchObject({ state: 'broken' });
    open();
    await settle();
    expect(calls.at(-1)!.key).toBe('b');
    await clock.run(30_000);
    const before = calls.length;
    for (let i = 0; i < 3; i++) open();
    await settle();
    expect(
      calls
        .slice(before)
        .map((call) => call.key)
        .sort()
        .join(''),
    ).toBe('abb');
  });

  it('are tried as soon as their rest is over by those who wait for the quota of others', async () => {
    const { open, calls, clock, pool } = poolBench([key('a', 1), key('b')]);
    open();
    while (pool.state().keys[1]!.state !== 'broken') {
      for (const call of calls) call.fail('upstream_unreachable', { status: 503 });
      await clock.run(100);
      if (pool.state().keys[1]!.inFlight === 0) open();
      await settle();
    }
    for (const call of calls) call.fail('upstream_rejected', { status: 422 });
    await settle();
    const restMs = pool.state().keys[1]!.doubt!.restMs;
    const before = calls.length;
    const waiting = open();
    await settle();
    expect([waiting.outcome, calls.length]).toEqual(['pending', before]);
    await clock.run(restMs);
    expect(calls.slice(before).map((call) => call.key)).toEqual(['b']);
  });

  it('rest for a 402 as for a 401, and the request goes on elsewhere', async () => {
    const { open, calls, pool } = poolBench([key('a'), key('b')]);
    const turn = open();
    await settle();
    calls[0]!.fail('upstream_unauthorized', { status: 402 });
    await settle();
    calls[1]!.answer();
    await turn.done;
    expect(turn.outcome).toEqual({ queueMs: 0, attempts: 2 });
    expect(pool.state().keys[0]!.doubt).toEqual({ reason: 'refused', restMs: 600_000 });
  });

  it('take fewer at once after a 429 that the count does not explain', async () => {
    const { open, calls, pool, quota, clock } = poolBench([key('a', 600)], { maxInFlightPerKey: 9 });
    for (let i = 0; i < 4; i++) open();
    await settle();
    calls[3]!.fail('upstream_rate_limited', { status: 429, advice: { remaining: 500 } });
    await settle();
    expect(quota.reports.map(({ report }) => report.kind)).toEqual(['failed']);
    expect(pool.state().keys[0]).toMatchObject({ cap: 3, inFlight: 3, heldMs: 0 });
    expect(calls).toHaveLength(4);
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls).toHaveLength(5);
    await clock.run(0);
  });

  it('take fewer at once after such a 429 in front of the store that a single instance has', async () => {
    const clock = createFakeClock();
    const store = createMemoryQuotaStore({
      quotas: [{ quota: quotaIdOf(key('a').apiKey), perMinute: 600 }],
      clock,
      log: silentLog,
    });
    const { open, calls, pool } = poolBench([key('a', 600)], { clock, store, maxInFlightPerKey: 9 });
    for (let i = 0; i < 4; i++) open();
    await settle();
    calls[3]!.fail('upstream_rate_limited', { status: 429, advice: { remaining: 500 } });
    await settle();
    expect(pool.state().keys[0]).toMatchObject({ cap: 3, inFlight: 3, heldMs: 0, limit: 600 });
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls).toHaveLength(5);
  });

  it('say of a 429 that is perhaps about what is under way that it is', async () => {
    const { open, calls, pool, quota } = poolBench([key('a', 600)], { maxInFlightPerKey: 9 });
    for (let i = 0; i < 4; i++) open();
    await settle();
    calls[3]!.fail('upstream_rate_limited', { status: 429 });
    await settle();
    expect(quota.reports[0]!.report).toEqual({ kind: 'refused', advice: {}, perhaps: 'concurrency' });
    expect(pool.state().keys[0]).toMatchObject({ cap: 3 });
  });

  it('rest after five bodies that broke, or that the reader gave up', async () => {
    const { open, calls, pool } = poolBench([key('a', 1_000), key('b', 900)], { hedging: 'off' });
    for (let i = 0; i < 5; i++) {
      const turn = open();
      await settle();
      const call = calls.at(-1)!;
      expect(call.key).toBe('a');
      call.answer();
      await turn.done;
      if (i % 2 === 0) call.fail('upstream_broken');
      else turn.abort.abort(new AppError('upstream_timeout', 'no audio'));
      await settle();
    }
    expect(pool.state().keys[0]).toMatchObject({ state: 'broken', inFlight: 0 });
  });
});

describe('hedging', () => {
  const keys = [key('a', 1_000), key('b', 1_000)];
  /** A pool that has seen a hundred answers of 199 to 100 ms. */
  async function practised(overrides: Parameters<typeof poolBench>[1] = {}, members = keys) {
    const made = poolBench(members, { maxInFlightPerKey: 50, ...overrides });
    for (let i = 0; i < 100; i++) {
      made.open();
      await made.clock.run(199 - i);
      made.calls.at(-1)!.answer();
      made.calls.at(-1)!.end();
      await settle();
    }
    made.calls.length = 0;
    return made;
  }
  const counted = (made: Awaited<ReturnType<typeof practised>>, result: string) =>
    Number(
      new RegExp(`voxgate_hedges_total{result="${result}"} (\\d+)`).exec(made.metrics.expose())?.[1] ?? 0,
    );

  it('asks another key when the first is late, and the first byte wins', async () => {
    const made = await practised();
    const { open, calls, clock, pool } = made;
    const turn = open();
    await clock.run(193);
    expect(calls).toHaveLength(1);
    await clock.run(2);
    expect(calls).toHaveLength(2);
    expect(calls[1]!.key).not.toBe(calls[0]!.key);
    calls[1]!.answer();
    await turn.done;
    expect(turn.outcome).toEqual({ queueMs: 0, attempts: 2 });
    expect([calls[0]!.signal.aborted, calls[0]!.state, calls[1]!.state]).toEqual([true, 'closed', 'open']);
    expect(counted(made, 'won')).toBe(1);
    expect(pool.state().keys.reduce((sum, member) => sum + member.inFlight, 0)).toBe(1);
    calls[1]!.end();
  });

  it('cuts the hedge when the first answers after all', async () => {
    const made = await practised();
    const { open, calls, clock } = made;
    const turn = open();
    await clock.run(195);
    calls[0]!.answer();
    await turn.done;
    expect([calls[0]!.signal.aborted, calls[1]!.signal.aborted]).toEqual([false, true]);
    expect(counted(made, 'lost')).toBe(1);
  });

  it('cuts both when the caller leaves', async () => {
    const { open, calls, clock, pool } = await practised();
    const turn = open();
    await clock.run(195);
    turn.abort.abort('enough');
    await turn.done;
    expect([turn.outcome, ...calls.map(({ state }) => state)]).toEqual(['enough', 'closed', 'closed']);
    expect(pool.state().keys.every(({ inFlight }) => inFlight === 0)).toBe(true);
  });

  it('never has more than a twentieth of the requests', async () => {
    const made = await practised();
    const { open, calls, clock } = made;
    const requests = 400;
    for (let i = 0; i < requests; i++) {
      open();
      await clock.run(300);
      for (const call of calls) {
        call.answer();
        call.end();
      }
      await settle();
      await clock.run(5_000);
    }
    expect(calls.length - requests).toBeLessThanOrEqual((requests + 100) / 20);
    expect(calls.length - requests).toBeGreaterThan(requests / 50);
  });

  it('is not for jobs, for a pool in much use, for one key, or after a 429', async () => {
    const jobs = await practised();
    jobs.open(work('batch'));
    await jobs.clock.run(1_000);
    expect(jobs.calls).toHaveLength(1);

    const used = await practised({ maxInFlightPerKey: 99 }, [key('a', 150), key('b', 150)]);
    for (let i = 0; i < 115; i++) used.open();
    await used.clock.run(1_000);
    expect(used.calls).toHaveLength(115);
    expect(counted(used, 'refused')).toBeGreaterThan(0);

    const crowded = await practised({ maxInFlightPerKey: 5 });
    for (let i = 0; i < 8; i++) crowded.open();
    await crowded.clock.run(1_000);
    expect(crowded.calls).toHaveLength(8);
    expect(counted(crowded, 'refused')).toBeGreaterThan(0);

    const alone = await practised({}, [key('a', 1_000), { ...key('a', 1_000), userId: 'user-other' }]);
    alone.open();
    await alone.clock.run(1_000);
    expect(alone.calls).toHaveLength(1);

    const limited = await practised();
    limited.open();
    await settle();
    limited.calls[0]!.fail('upstream_rate_limited', { status: 429 });
    await limited.clock.run(1_000);
    expect(limited.calls).toHaveLength(2);
  });
});

it('counts what was late', async () => {
  const { open, calls, clock, metrics } = poolBench([key('a')]);
  const late = open(work('next', { deadlineMs: clock.now() + 100 }));
  const good = open(work('next', { deadlineMs: clock.now() + 900 }));
  await clock.run(200);
  for (const call of calls) call.answer();
  await Promise.all([late.done, good.done]);
  expect(metrics.expose()).toContain('voxgate_deadline_missed_total{class="next"} 1');
});

it('tells its keys in numbers, by fingerprint alone', async () => {
  const { open, calls, metrics, pool } = poolBench([key('a', 10)]);
  open();
  await settle();
  calls[0]!.fail('upstream_rejected', { status: 422 });
  await settle();
  const text = metrics.expose();
  const print = pool.state().keys[0]!.fingerprint;
  for (const line of [
    `voxgate_key_limit{key="${print}"} 10`,
    `voxgate_key_window_used_ratio{key="${print}"} 0.1`,
    `voxgate_key_state{key="${print}",state="ready"} 1`,
    `voxgate_quota_mode{key="${print}",mode="sliding"} 1`,
    `voxgate_upstream_responses_total{key="${print}",code="422"} 1`,
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('secret');
});
