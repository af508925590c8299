// Whatever callers, the service and time do: nobody is forgotten, no place and no send is lost or held twice.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { quotaIdOf } from '../../../src/upstream/key-digest.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { QuotaReport } from '../../../src/upstream/quota/quota-store.ts';
import { WORK_CLASSES } from '../../../src/upstream/speech-work.ts';
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts';
import { key, poolBench } from '../../support/pool-bench.ts';

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      class: fc.constantFrom(...WORK_CLASSES),
      tenant: fc.constantFrom('', 'a', 'b'),
      session: fc.constantFrom(undefined, 'x', 'y'),
      dueMs: fc.integer({ min: 0, max: 20_000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('answer', 'end', 'abort', '429', '503', '401', 'unsent' as const),
      which: fc.nat(40),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(30_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('store answers' as const) }) },
);

/** The store of a single instance, with its grants and reports counted: one limit is configured, one is sought. */
function createCountedMemory(clock: FakeClock) {
  const quotas = [key('a', 5), key('b')].map(({ apiKey, perMinute }) => ({
    quota: quotaIdOf(apiKey),
    perMinute,
  }));
  const store = createMemoryQuotaStore({ quotas, clock, log: silentLog });
  const reports: QuotaReport['kind'][] = [];
  let grants = 0;
  const counted = {
    ...store,
    reports,
    get grants() {
      return grants;
    },
    ask(question: Parameters<typeof store.ask>[0]) {
      const answer = store.ask(question);
      if (answer.granted) grants += 1;
      return answer;
    },
    report(...[quota, reservation, report]: Parameters<typeof store.report>) {
      reports.push(report.kind);
      store.report(quota, reservation, report);
    },
  };
  return counted;
}

it('keeps every promise of the pool', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 50 }),
      fc.constantFrom('at once' as const, 'when let' as const, 'in memory' as const),
      async (steps, answers) => {
        const keys = [key('a', 5), key('b'), { ...key('a', 5), userId: 'user-c' }];
        const bounds = { maxInFlightPerKey: 2, maxWaitMs: 20_000, maxWaiting: 6 };
        const clock = createFakeClock();
        const memory = createCountedMemory(clock);
        const made = poolBench(
          keys,
          answers === 'in memory' ? { ...bounds, clock, store: memory } : { ...bounds, clock, answers },
        );
        const { calls, quota, pool, open } = made;
        const store = answers === 'in memory' ? memory : quota;
        const turns: ReturnType<typeof open>[] = [];
        for (const taken of steps) {
          if (taken.do === 'open') {
            const { class: of, tenant, session, dueMs } = taken;
            const deadlineMs = clock.now() + dueMs;
            const work = { class: of, tenant, deadlineMs, ...(session === undefined ? {} : { session }) };
            turns.push(open({ work }));
          } else if (taken.do === 'wait') await clock.run(taken.ms);
          else if (taken.do === 'store answers') quota.answer();
          else {
            const call = calls[taken.which % Math.max(1, calls.length)];
            const turn = turns[taken.which % Math.max(1, turns.length)];
            if (taken.do === 'abort') turn?.abort.abort('enough');
            else if (taken.do === 'answer') call?.answer();
            else if (taken.do === 'end') {
              // A body that has come to its end in one piece.
              call?.answer();
              call?.end();
            } else if (taken.do === '429') call?.fail('upstream_rate_limited', { status: 429 });
            else if (taken.do === '503') call?.fail('upstream_unreachable', { status: 503 });
            else if (taken.do === '401') call?.fail('upstream_unauthorized', { status: 401 });
            else call?.fail('upstream_unreachable', { when: 'unsent' });
          }
          await settle();
          for (const { inFlight, cap } of pool.state().keys) {
            expect(inFlight).toBeGreaterThanOrEqual(0);
            expect(inFlight).toBeLessThanOrEqual(Math.max(cap, 2));
          }
          const [limited] = store.state();
          expect(limited!.used).toBeLessThanOrEqual(5);
          expect(pool.state().waiting).toBeLessThanOrEqual(3 * 6 + turns.length);
        }
        // The end: whoever still waits is refused in time, and what runs is let go.
        for (let i = 0; i < 6; i++) {
          quota.answer();
          await clock.run(20_001);
          for (const call of calls) call.fail('upstream_rejected', { status: 422 });
          await settle();
        }
        expect(turns.filter(({ outcome }) => outcome === 'pending')).toEqual([]);
        const state = pool.state();
        expect([state.waiting, ...state.keys.map(({ inFlight }) => inFlight)]).toEqual([0, 0, 0, 0]);
        for (const call of calls) call.end();
        pool.close();
        quota.answer();
        await settle();
        expect(clock.timers).toBe(0);
        // Every grant has had its word, and not two.
        expect(store.reports.length).toBe(store.grants);
      },
    ),
    { numRuns: 200 },
  );
});
