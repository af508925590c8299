// Characters a minute and a month: no window of a minute ever holds more than its limit, whatever is asked when, and a month that is
// used up is told as such.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import {
  CHARACTER_SPAN_MS,
  type CharacterLimits,
  type CharacterMonths,
  createMemoryCharacterCount,
  withCharacterLimits,
} from '../../../src/upstream/quota/character-limits.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { QuotaAnswer, QuotaReport } from '../../../src/upstream/quota/quota-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const START_UNIX_MS = Date.UTC(2026, 10, 27, 12);

function open(limits: Readonly<Record<string, CharacterLimits>>, saved: CharacterMonths = {}) {
  const clock = createFakeClock();
  const quotas = Object.entries(limits).map(([quota, its]) => ({ quota, ...its }));
  let months = saved;
  const count = createMemoryCharacterCount({
    quotas,
    clock,
    unixMs: () => START_UNIX_MS + clock.now(),
    memory: {
      load: () => months,
      save(next) {
        months = next;
      },
    },
  });
  const requests = createMemoryQuotaStore({
    quotas: quotas.map(({ quota }) => ({ quota, perMinute: 'unlimited' })),
    clock,
    log: silentLog,
  });
  const store = withCharacterLimits({ store: requests, quotas, count, clock });
  let asked = 0;
  const ask = (characters: number, among: readonly string[] = Object.keys(limits)) => {
    const reservation = `r${asked++}`;
    const ask = { reservation, among, leave: 0, forecast: 1, characters };
    return { reservation, answer: store.ask(ask) as QuotaAnswer };
  };
  const use = (quota = 'a') => {
    const state = store.state().find((each) => each.quota === quota);
    return state?.characters && [state.characters.inMinute, state.characters.inMonth];
  };
  return { clock, store, ask, use, months: () => months };
}

const granted = ({ answer }: { readonly answer: QuotaAnswer }) => answer.granted;

describe('characters a minute', () => {
  it('are never more than the limit in any 60 s, and what waits is told when it may go', () => {
    const step = fc.record({
      characters: fc.integer({ min: 1, max: 1200 }),
      ms: fc.integer({ min: 0, max: 40_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const { clock, ask } = open({ a: { charactersPerMinute: 1000 } });
        const sent: { atMs: number; characters: number }[] = [];
        for (const { characters, ms } of steps) {
          clock.advance(ms);
          let { answer } = ask(characters);
          for (let tries = 0; !answer.granted; tries += 1) {
            expect(tries).toBeLessThan(20);
            clock.advance(answer.waitsMs[0]!);
            ({ answer } = ask(characters));
          }
          sent.push({ atMs: clock.now(), characters: Math.min(characters, 1000) });
        }
        for (const { atMs } of sent) {
          const window = sent.filter((each) => each.atMs <= atMs && atMs - each.atMs < CHARACTER_SPAN_MS);
          expect(window.reduce((sum, each) => sum + each.characters, 0)).toBeLessThanOrEqual(1000);
        }
      }),
    );
  });

  it('are used to the last one', () => {
    const { clock, ask, use } = open({ a: { charactersPerMinute: 1000 } });
    expect([ask(600), ask(400)].map(granted)).toEqual([true, true]);
    expect(ask(1).answer).toEqual({ granted: false, waitsMs: [10_000] });
    expect(use()).toEqual([1000, 1000]);
    clock.advance(CHARACTER_SPAN_MS);
    expect(use()).toEqual([0, 1000]);
    expect(granted(ask(1000))).toBe(true);
  });

  it('come back when nothing was sent; a text that was refused counts in the minute alone', () => {
    const { store, ask, use } = open({ a: { charactersPerMinute: 1000 } });
    const [first, second] = [ask(600), ask(400)];
    store.report('a', first.reservation, { kind: 'unsent' });
    expect(use()).toEqual([400, 400]);
    store.report('a', second.reservation, { kind: 'refused', advice: {} });
    expect(use()).toEqual([400, 0]);
  });

  it('are taken from another key where one has none left', () => {
    const { ask } = open({ a: { charactersPerMinute: 1000 }, b: { charactersPerMinute: 1000 }, c: {} });
    const keys = ['a', 'b'];
    const taken = [ask(900, keys), ask(800, keys)].map(({ answer }) => answer.granted && answer.quota);
    // The one that is asked first may have been full: then the answer is to ask again at once.
    const again = ask(900, keys).answer;
    expect(new Set(taken.filter((each) => each !== false)).size).toBeGreaterThan(0);
    expect(again.granted ? 'granted' : again.waitsMs[0]).not.toBe(0);
    expect(granted(ask(5000, ['c']))).toBe(true);
  });
});

describe('characters a month', () => {
  it('are told as spent, not as a wait, to texts that have no room; another month has them again', () => {
    const { clock, ask, use } = open({ a: { charactersPerMonth: 1000 } });
    expect(granted(ask(700))).toBe(true);
    expect(ask(301).answer).toMatchObject({ granted: false, spent: ['a'] });
    expect(granted(ask(300))).toBe(true);
    expect(use()).toEqual([300 + 700, 1000]);
    clock.advance(Date.UTC(2026, 11, 1) - START_UNIX_MS);
    expect(use()).toEqual([0, 0]);
    expect(granted(ask(1000))).toBe(true);
  });

  it('are what the service says that a text has cost', () => {
    const { store, ask, use } = open({ a: { charactersPerMonth: 1000 } });
    const { reservation } = ask(600);
    const report: QuotaReport = { kind: 'accepted', advice: { characterCost: 300 } };
    store.report('a', reservation, report);
    store.released?.('a', reservation);
    expect(use()).toEqual([600, 300]);
    store.report('a', reservation, { kind: 'unsent' });
    expect(use()).toEqual([600, 300]);
  });

  it('are known after a start anew, and of an older month are none', async () => {
    const first = open({ a: { charactersPerMonth: 1000 } });
    first.ask(800);
    await first.store.close();
    expect(first.months()).toEqual({ a: { month: '2026-11', used: 800 } });
    expect(open({ a: { charactersPerMonth: 1000 } }, first.months()).ask(201).answer).toMatchObject({
      spent: ['a'],
    });
    const old = { a: { month: '2026-10', used: 800 } };
    expect(granted(open({ a: { charactersPerMonth: 1000 } }, old).ask(1000))).toBe(true);
  });

  it('leave a store alone that has no such limit', () => {
    const { store, use } = open({ a: {} });
    expect(use()).toBeUndefined();
    expect('released' in store).toBe(false);
  });
});
