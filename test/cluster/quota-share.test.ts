// One store before several pools: nothing is granted twice, and whoever gives back wakes the others.
import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createQuotaShare, type QuotaShare } from '../../src/cluster/quota-share.ts';
import {
  CHARACTER_SPAN_MS,
  createMemoryCharacterCount,
  withCharacterLimits,
} from '../../src/upstream/quota/character-limits.ts';
import { createMemoryQuotaStore } from '../../src/upstream/quota/memory-quota-store.ts';
import type { QuotaAnswer, QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';

let share: QuotaShare;
let first: QuotaStore;
let second: QuotaStore;
let woken: string[];
let clock: FakeClock;

function open(places: number, perMinute: number | 'unlimited' = 'unlimited') {
  clock = createFakeClock();
  const store = createMemoryQuotaStore({ quotas: [{ quota: 'a', perMinute }], clock, log: silentLog });
  share = createQuotaShare({ store, placesOf: () => places, clock });
  [first, second] = [share.open(), share.open()];
  woken = [];
  first.onChange(() => woken.push('first'));
  second.onChange(() => woken.push('second'));
}
beforeEach(() => open(2));

const ask = (pool: QuotaStore, reservation: string) =>
  pool.ask({ reservation, among: ['a'], leave: 0, forecast: 1 }) as QuotaAnswer;

describe('a shared quota', () => {
  it('is one: what one pool has taken the other has not', () => {
    open(100, 3);
    expect([ask(first, '1'), ask(second, '2'), ask(first, '3')].map(({ granted }) => granted)).toEqual([
      true,
      true,
      true,
    ]);
    expect([ask(first, '4'), ask(second, '5')].map(({ granted }) => granted)).toEqual([false, false]);
    expect(second.state()[0]!.used).toBe(3);
  });

  it('has so many places for all of them, and tells the others when one comes free', () => {
    expect(ask(first, '1').granted).toBe(true);
    expect(ask(first, '2').granted).toBe(true);
    expect(ask(second, '3')).toEqual({ granted: false, waitsMs: [250] });
    first.report('a', '1', { kind: 'accepted', advice: {} as never });
    expect(ask(second, '4').granted).toBe(false);
    woken = [];
    first.released?.('a', '1');
    expect(woken).toEqual(['second']);
    first.released?.('a', '1');
    expect(ask(second, '5').granted).toBe(true);
    expect(ask(first, '6').granted).toBe(false);
  });

  it('asked again the same, is counted once', () => {
    expect(ask(first, '1').granted).toBe(true);
    expect(ask(first, '1').granted).toBe(true);
    expect(ask(second, '2').granted).toBe(true);
    expect(ask(second, '3').granted).toBe(false);
  });

  it('wakes the others when a grant is given back', () => {
    open(100, 1);
    expect(ask(first, '1').granted).toBe(true);
    woken = [];
    first.report('a', '1', { kind: 'unsent' });
    expect(woken).toContain('second');
    expect(ask(second, '2').granted).toBe(true);
  });

  it('of a pool that is gone keeps what was counted, and lets its places go', () => {
    open(2, 3);
    ask(first, '1');
    ask(first, '2');
    expect(ask(second, '3').granted).toBe(false);
    void first.close();
    expect(ask(second, '4').granted).toBe(true);
    expect(ask(second, '5').granted).toBe(false);
    expect(second.state()[0]!.used).toBe(3);
  });

  it('never grants more than there are places when the store takes its time', async () => {
    const slow: QuotaStore = {
      ask: async () => ({ granted: true, quota: 'a' }),
      report: (_quota, reservation, { kind }) => void reports.push(`${reservation} ${kind}`),
      state: () => [],
      onChange() {},
      close: async () => {},
    };
    const reports: string[] = [];
    share = createQuotaShare({ store: slow, placesOf: () => 1, clock });
    [first, second] = [share.open(), share.open()];
    const asked = (pool: QuotaStore, reservation: string) =>
      Promise.resolve(pool.ask({ reservation, among: ['a'], leave: 0, forecast: 1 }));
    const answers = await Promise.all([asked(first, '1'), asked(second, '2')]);
    expect(answers.map(({ granted }) => granted)).toEqual([true, false]);
    expect(reports).toEqual(['2 unsent']);
  });

  it('gives places to those that wait in turn, whoever is quicker, and wakes all of them', () => {
    open(1);
    const by = (pool: QuotaStore, asker: string, reservation: string) =>
      (pool.ask({ reservation, among: ['a'], leave: 0, forecast: 1, asker }) as QuotaAnswer).granted;
    // Two services of one process that share a limit, and one of another process.
    expect(by(first, 'deep', '1')).toBe(true);
    expect([by(first, 'wide', '2'), by(second, 'far', '3'), by(first, 'deep', '4')]).toEqual([
      false,
      false,
      false,
    ]);
    woken = [];
    first.released?.('a', '1');
    expect(woken).toEqual(['first', 'second']);
    expect([by(first, 'deep', '5'), by(second, 'far', '6'), by(first, 'wide', '7')]).toEqual([
      false,
      false,
      true,
    ]);
    first.released?.('a', '7');
    expect([by(first, 'wide', '8'), by(first, 'deep', '9'), by(second, 'far', '10')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('holds nobody back whose turn the store says it is: one line is enough', () => {
    open(1);
    let turn = 'other';
    const inLine: QuotaStore = {
      ask: ({ asker }) =>
        asker === turn ? { granted: true, quota: 'a' } : { granted: false, waitsMs: [250] },
      report() {},
      keepsLine: () => true,
      state: () => [],
      onChange() {},
      close: async () => {},
    };
    share = createQuotaShare({ store: inLine, placesOf: () => 1, clock });
    first = share.open();
    const by = (asker: string, reservation: string) =>
      (first.ask({ reservation, among: ['a'], leave: 0, forecast: 1, asker }) as QuotaAnswer).granted;
    expect(by('other', '1')).toBe(true);
    expect([by('wide', '2'), by('deep', '3')]).toEqual([false, false]);
    first.released?.('a', '1');
    // `wide` has waited longer here; at the store `deep` is before it.
    turn = 'deep';
    expect([by('wide', '4'), by('deep', '5')]).toEqual([false, true]);
  });

  it('passes the turn of a pool that does not come', () => {
    open(1);
    ask(first, '1');
    ask(second, '2');
    first.released?.('a', '1');
    const answer = ask(first, '3');
    expect(answer).toEqual({ granted: false, waitsMs: [100] });
    clock.advance(100);
    expect(ask(first, '4').granted).toBe(true);
  });

  it('loses no place to a process that died while it asked', async () => {
    const answers: ((answer: QuotaAnswer) => void)[] = [];
    const reports: string[] = [];
    const slow: QuotaStore = {
      ask: () => new Promise((resolve) => answers.push(resolve)),
      report: (_quota, reservation, { kind }) => void reports.push(`${reservation} ${kind}`),
      state: () => [],
      onChange() {},
      close: async () => {},
    };
    share = createQuotaShare({ store: slow, placesOf: () => 1, clock });
    [first, second] = [share.open(), share.open()];
    const asked = (pool: QuotaStore, reservation: string) =>
      Promise.resolve(pool.ask({ reservation, among: ['a'], leave: 0, forecast: 1 }));
    const lost = asked(first, '1');
    void first.close();
    answers.shift()!({ granted: true, quota: 'a' });
    expect((await lost).granted).toBe(false);
    const next = asked(second, '2');
    answers.shift()!({ granted: true, quota: 'a' });
    expect((await next).granted).toBe(true);
    expect(reports).toEqual(['1 unsent']);
  });

  it('in characters is one, too; a text of a process that died counts as sent, until its minute is over', () => {
    open(100);
    const quotas = [{ quota: 'a', charactersPerMinute: 1000, charactersPerMonth: 2500 }];
    const requests = createMemoryQuotaStore({
      quotas: [{ quota: 'a', perMinute: 'unlimited' }],
      clock,
      log: silentLog,
    });
    const count = createMemoryCharacterCount({ quotas, clock, unixMs: () => Date.UTC(2026, 10, 2) });
    const store = withCharacterLimits({ store: requests, quotas, count, clock });
    share = createQuotaShare({ store, placesOf: () => 100, clock });
    [first, second] = [share.open(), share.open()];
    const text = (pool: QuotaStore, reservation: string, characters: number) =>
      pool.ask({ reservation, among: ['a'], leave: 0, forecast: 1, characters }) as QuotaAnswer;
    expect(text(first, '1', 600).granted).toBe(true);
    expect(text(second, '2', 500).granted).toBe(false);
    expect(text(second, '3', 400).granted).toBe(true);
    second.report('a', '3', { kind: 'unsent' });
    void first.close();
    expect(text(second, '4', 400).granted).toBe(true);
    expect(text(second, '5', 1).granted).toBe(false);
    clock.advance(CHARACTER_SPAN_MS);
    expect(text(second, '6', 1000).granted).toBe(true);
    clock.advance(CHARACTER_SPAN_MS);
    expect(text(second, '7', 501)).toMatchObject({ granted: false, spent: ['a'] });
    expect(text(second, '8', 500).granted).toBe(true);
  });
});
