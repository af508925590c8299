import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../../src/base/log.ts';
import { firstKnowledge, UNPROVEN_SENDS } from '../../../src/limits/quota-knowledge.ts';
import {
  createMemoryQuotaStore,
  type MemoryQuotaStoreOptions,
} from '../../../src/upstream/quota/memory-quota-store.ts';
import type { LearnedQuota } from '../../../src/upstream/quota/quota-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const UNIX_AHEAD_MS = 1_763_000_000_000;

function open(options: Partial<MemoryQuotaStoreOptions> = {}, startMs = 1_000) {
  const clock = createFakeClock(startMs);
  const store = createMemoryQuotaStore({
    quotas: [{ quota: 'a', perMinute: 2 }],
    clock,
    log: silentLog,
    unixMs: () => clock.now() + UNIX_AHEAD_MS,
    ...options,
  });
  let asked = 0;
  const ask = (more: Partial<Parameters<typeof store.ask>[0]> = {}) =>
    store.ask({ reservation: `r${asked++}`, among: ['a'], leave: 0, forecast: 1, ...more });
  return { clock, store, ask };
}

describe('quota store in memory', () => {
  it('grants up to the limit and then says when sends come free', () => {
    const { clock, ask } = open();
    expect([ask(), ask()]).toEqual([
      { granted: true, quota: 'a' },
      { granted: true, quota: 'a' },
    ]);
    clock.advance(500);
    expect(ask({ forecast: 3 })).toEqual({ granted: false, waitsMs: [60_000, 60_000, 120_500] });
    clock.advance(60_000);
    expect(ask().granted).toBe(true);
  });

  describe('without a known limit', () => {
    const quotas = [{ quota: 'a' }];
    const askUntilFull = (ask: ReturnType<typeof open>['ask']) => {
      let granted = 0;
      while (ask().granted) granted += 1;
      return granted;
    };
    it('goes on when sends fail, as it does when they are accepted', () => {
      const { ask, store } = open({ quotas });
      expect(askUntilFull(ask)).toBe(UNPROVEN_SENDS);
      for (let n = 0; n < UNPROVEN_SENDS; n++) store.report('a', `r${n}`, { kind: 'failed' });
      expect(askUntilFull(ask)).toBe(UNPROVEN_SENDS);
    });
    it('waits when one of them was refused', () => {
      const { ask, store } = open({ quotas });
      askUntilFull(ask);
      store.report('a', 'r0', { kind: 'refused', advice: {} });
      for (let n = 1; n < UNPROVEN_SENDS; n++) store.report('a', `r${n}`, { kind: 'failed' });
      expect(ask().granted).toBe(false);
    });
  });

  it('counts a reservation once', () => {
    const { store, ask } = open();
    for (let n = 0; n < 3; n++) expect(ask({ reservation: 'same' }).granted).toBe(true);
    expect(store.state()[0]!.used).toBe(1);
  });

  it('takes the quota with the most room, among equals the first, and forecasts all of them together', () => {
    const quotas = [
      { quota: 'a', perMinute: 2 },
      { quota: 'b', perMinute: 3 },
    ];
    const { clock, ask } = open({ quotas });
    const among = ['a', 'b'];
    const got = Array.from({ length: 5 }, () => {
      clock.advance(10);
      const answer = ask({ among });
      return answer.granted && answer.quota;
    });
    expect(got).toEqual(['b', 'a', 'b', 'a', 'b']);
    expect(ask({ among, forecast: 3 })).toEqual({ granted: false, waitsMs: [60_460, 60_470, 60_480] });
    expect(ask({ forecast: 2 })).toEqual({ granted: false, waitsMs: [60_470, 60_490] });
  });

  it('spends first what lapses first', () => {
    const quotas = ['a', 'b'].map((quota) => ({ quota, perMinute: 60 }));
    const { clock, store, ask } = open({ quotas }, 0);
    const among = ['a', 'b'];
    // Windows of a end at 30 s past the minute, those of b at 50 s.
    const endsMs = { a: 30_000, b: 50_000 };
    for (let minute = 0; minute < 3; minute++) {
      for (const [quota, endMs] of Object.entries(endsMs)) {
        const reservation = `${quota}${minute}`;
        ask({ reservation, among: [quota] });
        store.report(quota, reservation, { kind: 'accepted', advice: { resetMs: endMs + 0.5 } });
      }
      clock.advance(60_000);
    }
    expect(store.state().map(({ mode }) => mode)).toEqual(['phase', 'phase']);
    const taken = () => {
      const answer = ask({ among });
      return answer.granted && answer.quota;
    };
    clock.advance(1_000);
    expect([taken(), taken()]).toEqual(['a', 'a']);
    // What goes so late is counted in the next window of a, too.
    clock.advance(28_700);
    expect(taken()).toBe('b');
    clock.advance(2_000);
    expect(taken()).toBe('b');
  });

  it('lets one more go after a refusal only when all that went are answered', () => {
    const { clock, store, ask } = open({ quotas: [{ quota: 'a', perMinute: 60 }] });
    const send = (reservation: string) => expect(ask({ reservation }).granted).toBe(true);
    const answered = (reservation: string, kind: 'accepted' | 'refused') =>
      store.report('a', reservation, { kind, advice: {} });
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(name);
    for (const name of ['a', 'b', 'c', 'd']) answered(name, 'accepted');
    answered('e', 'refused');
    clock.advance(61_000);
    // Half of four, and of those the later one is answered first.
    send('f');
    clock.advance(1);
    send('g');
    expect(ask().granted).toBe(false);
    answered('g', 'accepted');
    expect(ask().granted).toBe(false);
    answered('f', 'accepted');
    send('h');
    expect(ask().granted).toBe(false);
  });

  it('gives an unsent request back and tells that something came free', () => {
    const { store, ask } = open();
    let changes = 0;
    store.onChange(() => changes++);
    ask({ reservation: 'x' });
    ask();
    store.report('a', 'x', { kind: 'unsent' });
    store.report('a', 'x', { kind: 'unsent' });
    expect([changes, store.state()[0]!.used, ask().granted]).toEqual([1, 1, true]);
  });

  it('holds a key after a 429, also one without a limit', () => {
    const { clock, store, ask } = open({ quotas: [{ quota: 'a', perMinute: 'unlimited' }] });
    ask({ reservation: 'x' });
    clock.advance(100);
    store.report('a', 'x', { kind: 'refused', advice: { resetMs: 7_000 } });
    expect(ask({ forecast: 2 })).toEqual({ granted: false, waitsMs: [7_000, 7_000] });
    expect(store.state()).toEqual([
      { quota: 'a', rule: { kind: 'unlimited' }, used: 1, heldMs: 7_000, mode: 'unlimited' },
    ]);
    clock.advance(7_000);
    expect(ask().granted).toBe(true);
  });

  it('leaves the reserve to others', () => {
    const { ask } = open({ quotas: [{ quota: 'a', perMinute: 10 }] });
    const grants = Array.from({ length: 12 }, () => ask({ leave: 0.2 }).granted).filter(Boolean);
    expect(grants).toHaveLength(8);
    expect([ask().granted, ask().granted, ask().granted]).toEqual([true, true, false]);
  });

  it('tells how many requests may run at once when the service said so, and learns a limit that it told', () => {
    const { store, ask } = open({ quotas: [{ quota: 'a' }] });
    ask({ reservation: 'x' });
    expect(store.state()[0]!.mode).toBe('learning');
    store.report('a', 'x', { kind: 'accepted', advice: { limit: 90, windowMs: 60_000, concurrent: 3 } });
    expect(store.state()[0]).toMatchObject({ mode: 'sliding', concurrent: 3, rule: { limit: 90 } });
  });

  it('does not know a quota that nobody configured, and ignores reports of sends that are gone', () => {
    const { store, ask } = open();
    expect(() => ask({ among: ['z'] })).toThrow(RangeError);
    store.report('a', 'never asked', { kind: 'refused', advice: {} });
    store.report('a', 'never asked', { kind: 'failed' });
    expect(ask().granted).toBe(true);
  });

  it('logs what it found out, without the key', () => {
    const lines: string[] = [];
    const note = (event: string) => lines.push(event);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const { store, ask } = open({ log });
    ask({ reservation: 'x' });
    store.report('a', 'x', { kind: 'refused', advice: {} });
    expect(lines).toContain('quota_refused');
  });
});

describe('a limit that is not known', () => {
  it('is expected to grow as fast as answers come, over the whole line', () => {
    const { clock, store, ask } = open({ quotas: [{ quota: 'a' }] });
    for (let n = 0; n < UNPROVEN_SENDS; n++) ask({ reservation: `x${n}` });
    clock.advance(400);
    store.report('a', 'x0', { kind: 'accepted', advice: {} });
    ask();
    const answer = ask({ forecast: 64 });
    if (answer.granted) throw new Error('granted');
    expect(answer.waitsMs).toHaveLength(64);
    expect(answer.waitsMs[0]).toBe(400);
    expect(answer.waitsMs[63]).toBe(400 * (1 + Math.floor(63 / UNPROVEN_SENDS)));
  });
});

describe('a restart', () => {
  it('neither forgets a limit nor spends it twice, though clocks begin anew', async () => {
    let saved: readonly LearnedQuota[] = [];
    const learned = { load: () => saved, save: (entries: readonly LearnedQuota[]) => (saved = entries) };
    const before = open({ quotas: [{ quota: 'a' }], learned }, 50_000);
    before.ask({ reservation: 'x' });
    before.store.report('a', 'x', { kind: 'accepted', advice: { limit: 3, windowMs: 60_000 } });
    expect(saved).toEqual([]);
    before.clock.advance(5_000);
    expect(saved).toMatchObject([
      { quota: 'a', known: { limit: 3 }, sentAtUnixMs: [50_000 + UNIX_AHEAD_MS] },
    ]);
    before.ask();
    await before.store.close();
    await before.store.close();
    expect(saved[0]!.sentAtUnixMs).toEqual([50_000 + UNIX_AHEAD_MS, 55_000 + UNIX_AHEAD_MS]);

    const unixMs = () => 60_000 + UNIX_AHEAD_MS;
    const after = open({ quotas: [{ quota: 'a' }, { quota: 'new' }], learned, unixMs }, 7);
    expect(after.store.state()[0]).toMatchObject({ used: 2, rule: { limit: 3 } });
    expect(after.ask().granted).toBe(true);
    expect(after.ask()).toEqual({ granted: false, waitsMs: [50_500] });
  });

  it('remembers after a crash what was sent, though nothing was learned', () => {
    let saved: readonly LearnedQuota[] = [];
    let saves = 0;
    const learned = {
      load: () => saved,
      save: (entries: readonly LearnedQuota[]) => {
        saved = entries;
        saves += 1;
      },
    };
    const before = open({ quotas: [{ quota: 'a', perMinute: 60 }], learned });
    for (let n = 0; n < 60; n++) before.ask();
    before.clock.advance(5_000);
    before.clock.advance(100_000);
    expect(saves).toBe(1);
    const unixMs = () => 7_000 + UNIX_AHEAD_MS;
    const after = open({ quotas: [{ quota: 'a', perMinute: 60 }], learned, unixMs });
    expect(after.store.state()[0]!.used).toBe(60);
    expect(after.ask().granted).toBe(false);
  });

  it('keeps the sends of two windows and no more', async () => {
    let saved: readonly LearnedQuota[] = [];
    const learned = { load: () => saved, save: (entries: readonly LearnedQuota[]) => (saved = entries) };
    const { clock, store, ask } = open({ quotas: [{ quota: 'a', perMinute: 60 }], learned });
    ask();
    clock.advance(119_000);
    ask();
    clock.advance(2_000);
    await store.close();
    expect(saved[0]!.sentAtUnixMs).toEqual([120_000 + UNIX_AHEAD_MS]);
  });

  it('does not believe times that a wrong clock has told', () => {
    const wrongMs = UNIX_AHEAD_MS + 6 * 24 * 3_600_000;
    const known = {
      ...firstKnowledge(60),
      heldUntilMs: wrongMs,
      refusedAtMs: wrongMs,
      windowFromMs: wrongMs,
      raisedAtMs: wrongMs,
      slidingUntilMs: wrongMs,
    };
    const load = () => [{ quota: 'a', known, learnedAtUnixMs: wrongMs, sentAtUnixMs: [wrongMs] }];
    const learned = { load, save() {} };
    const { clock, store, ask } = open({ quotas: [{ quota: 'a', perMinute: 60 }], learned });
    expect(store.state()[0]!.heldMs).toBe(3_600_000);
    clock.advance(3_600_000);
    expect(ask({ reservation: 'x' }).granted).toBe(true);
    clock.advance(10);
    // A fresh refusal is news, and no straggler of one to come.
    store.report('a', 'x', { kind: 'refused', advice: { resetMs: 30_000 } });
    expect(store.state()[0]!.heldMs).toBe(30_000);
  });

  it('believes a configured number that has changed', () => {
    const former = open({ quotas: [{ quota: 'a', perMinute: 5 }] });
    let saved: readonly LearnedQuota[] = [];
    const learned = { load: () => saved, save: (entries: readonly LearnedQuota[]) => (saved = entries) };
    const before = createMemoryQuotaStore({
      quotas: [{ quota: 'a', perMinute: 5 }],
      clock: former.clock,
      log: silentLog,
      learned,
    });
    void before.close();
    expect(open({ quotas: [{ quota: 'a', perMinute: 9 }], learned }).store.state()[0]!.rule).toMatchObject({
      limit: 9,
    });
  });
});
