// What those who wait are told as the forecast changes, through the whole pool on a clock that stands still.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { WorkClass } from '../../../src/upstream/speech-work.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { key, poolBench } from '../../support/pool-bench.ts';
import { SPAN_MS } from '../../support/scripted-quota.ts';

const as = (of: WorkClass, deadlineMs = 0, tenant = '') => ({ work: { class: of, tenant, deadlineMs } });

describe('a forecast that becomes worse', () => {
  it('refuses at once who cannot make it any more, and says when it is worth coming back', async () => {
    const { open, calls, clock } = poolBench([key('a', 40)], { maxInFlightPerKey: 9, maxWaitMs: 30_000 });
    for (let i = 0; i < 9; i++) open();
    await settle();
    const waiting = Array.from({ length: 31 }, (_, i) => open(as('first', 0, `t${i}`)));
    await settle();
    expect(waiting.every(({ outcome }) => outcome === 'pending')).toBe(true);
    for (const call of calls) call.answer();
    await clock.run(10_000);
    const tried = open({ work: { class: 'resume', tenant: '', deadlineMs: 0 } });
    calls[0]!.end();
    await settle();
    calls.at(-1)!.fail('upstream_rate_limited', { status: 429, advice: { resetMs: 60_000 } });
    await settle();
    const refused = [tried, ...waiting].map(({ outcome }) => outcome);
    expect(refused.every((outcome) => outcome !== 'pending')).toBe(true);
    // Twenty of thirty seconds were left, and the hold lasts sixty.
    expect(waiting[3]!.outcome).toMatchObject({ code: 'busy' });
    for (const { outcome } of waiting)
      expect((outcome as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(40_000);
  });

  it('is noticed when another instance finds that a limit is less', async () => {
    const { open, quota, clock } = poolBench([key('a', 10)], { maxInFlightPerKey: 99, maxWaitMs: 70_000 });
    for (let i = 0; i < 10; i++) open();
    await settle();
    await clock.run(1_000);
    const waiting = Array.from({ length: 5 }, (_, i) => open(as('first', 0, `t${i}`)));
    await settle();
    expect(waiting.map(({ outcome }) => outcome)).toEqual(Array(5).fill('pending'));
    quota.limit(quota.state()[0]!.quota, 2);
    await settle();
    expect(waiting.map(({ outcome }) => (outcome === 'pending' ? 'stays' : 'goes'))).toEqual([
      'stays',
      'stays',
      'goes',
      'goes',
      'goes',
    ]);
    expect(waiting[2]!.outcome).toMatchObject({ code: 'busy', retryAfterMs: 2 * SPAN_MS - 71_000 });
  });

  it('does not drive away whoever waits for a place, which may come free at any moment', async () => {
    const { open, calls, clock } = poolBench([key('a')], { maxInFlightPerKey: 1, maxWaitMs: 3_000 });
    open();
    await settle();
    const waiting = open();
    await clock.run(2_900);
    expect(waiting.outcome).toBe('pending');
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls).toHaveLength(2);
  });
});

it('tells a thousand who wait, in turns of a hundred', async () => {
  const { open, clock } = poolBench([key('a', 1)], {
    maxInFlightPerKey: 9,
    maxWaitMs: 1e9,
    maxWaiting: 1_000,
  });
  open();
  await settle();
  const waiting = Array.from({ length: 300 }, (_, i) => open(as('first', 0, `t${i % 3}`)));
  await clock.run(1_600);
  expect(waiting.map(({ notices }) => notices.length)).toEqual(Array(300).fill(2));
  expect(waiting.map(({ notices }) => notices[1]!.position).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 300 }, (_, i) => i + 1),
  );
});

it('looks at the quotas a few times, not once for everybody who waits', async () => {
  const { open, clock, quota } = poolBench([key('a', 1)], { maxWaitMs: 1e9, maxWaiting: 1_000 });
  open();
  await settle();
  for (let i = 0; i < 300; i++) open(as('first', 0, `t${i % 3}`));
  await settle();
  let looks = 0;
  const state = quota.state.bind(quota);
  Object.assign(quota, {
    state() {
      looks += 1;
      return state();
    },
  });
  await clock.run(1_600);
  expect(looks).toBeLessThanOrEqual(10);
});

it('looks at those who wait when time changes something for them, not whenever a send comes free', async () => {
  const { open, clock } = poolBench([key('a', 20)], { maxInFlightPerKey: 99, maxWaiting: 1_000 });
  for (let i = 0; i < 20; i++) {
    open({ work: { class: 'resume', tenant: '', deadlineMs: 0 } });
    await clock.run(50);
  }
  let looks = 0;
  for (let i = 0; i < 300; i++)
    open({
      work: {
        class: 'next',
        tenant: `t${i % 3}`,
        deadlineMs: clock.now() + 1e9,
        waitsUntilMs() {
          looks += 1;
          return Number.POSITIVE_INFINITY;
        },
      },
    });
  await clock.run(58_000);
  looks = 0;
  // Twenty sends come free in one of these three seconds.
  await clock.run(3_000);
  expect(looks).toBeLessThanOrEqual(3 * 2 * 300);
});

it('looks at no more than a hundred in a millisecond, however many have their moments close together', async () => {
  const { open, clock } = poolBench([key('a', 1)], { maxInFlightPerKey: 99, maxWaiting: 1_000 });
  open();
  await settle();
  let looks = 0;
  // Each becomes urgent one millisecond after the one before.
  for (let i = 0; i < 600; i++)
    open({
      work: {
        class: 'next',
        tenant: `t${i % 3}`,
        deadlineMs: clock.now() + 20_000 + i,
        waitsUntilMs() {
          looks += 1;
          return Number.POSITIVE_INFINITY;
        },
      },
    });
  await clock.run(17_400);
  looks = 0;
  await clock.run(800);
  // Each look reads the end of the wait and the next moment; a notice to all may fall among them.
  expect(looks).toBeGreaterThan(600);
  expect(looks).toBeLessThanOrEqual(2 * (100 * 800 + 2 * 600));
});

describe('a turn made ahead whose time comes', () => {
  it('goes before what was to go before it, and takes of the reserve', async () => {
    const { open, calls, clock } = poolBench([key('a', 10)], { maxInFlightPerKey: 99 });
    for (let i = 0; i < 9; i++) open(as('first', 0, `t${i}`));
    await settle();
    let standing: { class: WorkClass; deadlineMs: number } = {
      class: 'next',
      deadlineMs: clock.now() + 60_000,
    };
    let rise = () => {};
    const ahead = open({
      work: {
        tenant: 'x',
        get class() {
          return standing.class;
        },
        get deadlineMs() {
          return standing.deadlineMs;
        },
        onRise(listener) {
          rise = listener;
          return () => {
            rise = () => {};
          };
        },
      },
    });
    await clock.run(5_000);
    expect([calls.length, ahead.notices.length > 0]).toEqual([9, true]);
    standing = { class: 'first', deadlineMs: clock.now() + 1_000 };
    rise();
    await settle();
    expect(calls).toHaveLength(10);
  });
});

it('sends a hundred at once to a service that has not refused anything yet, within a few answers', async () => {
  const clock = createFakeClock();
  const store = createMemoryQuotaStore({
    quotas: [{ quota: quotaIdOf(key('a').apiKey) }],
    clock,
    log: silentLog,
  });
  const bounds = { maxInFlightPerKey: 200, maxWaitMs: 10_000, maxWaiting: 200, maxWaitingPerTenant: 200 };
  const { open, calls } = poolBench([key('a')], { clock, store, ...bounds });
  const turns = Array.from({ length: 100 }, () => open());
  for (let seen = 0, i = 0; i < 60; i++) {
    await clock.run(100);
    for (const end = calls.length; seen < end; seen++) {
      calls[seen]!.answer();
      calls[seen]!.end();
    }
  }
  await settle();
  expect(turns.filter(({ outcome }) => typeof outcome === 'string')).toEqual([]);
  expect(turns.filter(({ outcome }) => (outcome as { code?: string }).code === 'busy')).toEqual([]);
  expect(calls).toHaveLength(100);
});

describe('a key that is refused while another is busy', () => {
  it('has its request wait for the other', async () => {
    const { open, calls } = poolBench([key('a'), key('b')], { maxInFlightPerKey: 1, hedging: 'off' });
    open();
    const second = open();
    await settle();
    calls[1]!.fail('upstream_unauthorized', { status: 401 });
    await settle();
    expect([second.outcome, calls.length]).toEqual(['pending', 2]);
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls[2]!.key).toBe(calls[0]!.key);
    calls[2]!.answer();
    await second.done;
    expect(second.outcome).toMatchObject({ attempts: 2 });
  });

  it('is not asked again after a 403, though it is free', async () => {
    const { open, calls, clock } = poolBench([key('a'), key('b')], { maxInFlightPerKey: 1, hedging: 'off' });
    open();
    open();
    await settle();
    calls[1]!.fail('upstream_unauthorized', { status: 403 });
    await clock.run(5_000);
    expect(calls).toHaveLength(2);
    const other = open();
    await settle();
    expect([calls.length, calls[2]!.key]).toEqual([3, calls[1]!.key]);
    other.abort.abort();
    calls[0]!.answer();
    calls[0]!.end();
    await settle();
    expect(calls[3]!.key).toBe(calls[0]!.key);
  });

  it('ends with its error when the other has nothing in time', async () => {
    const { open, calls } = poolBench([key('a', 1), key('b', 9)], {
      maxInFlightPerKey: 9,
      maxWaitMs: 5_000,
      hedging: 'off',
    });
    const first = open();
    await settle();
    const other = calls[0]!.key;
    expect(other).toBe('b');
    const used = open({ prefer: '' });
    await settle();
    const turns = [first, used];
    for (let i = 0; i < 8; i++) {
      turns.push(open());
      await settle();
    }
    // The only send of `a` is used up by now.
    expect(calls.map((call) => call.key)).toContain('a');
    calls[0]!.fail('upstream_unauthorized', { status: 401 });
    await settle();
    expect(first.outcome).toBe('upstream_unauthorized');
  });
});

it('ends a pause whose request was cancelled as it began', async () => {
  const { open, calls, clock } = poolBench([key('a')], { hedging: 'off' });
  const turn = open();
  await settle();
  calls[0]!.fail('upstream_unreachable', { status: 503 });
  turn.abort.abort('enough');
  await settle();
  expect([turn.outcome, clock.timers]).toEqual(['enough', 0]);
});
