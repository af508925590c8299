// What processes hear of each other about a service: a hint that ends, beside what each has found itself.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type HealthEvent,
  isAway,
  NEW_HEALTH,
  type ServiceHealth,
  standing,
  step,
} from '../../../src/upstream/health/service-health.ts';
import { createServiceWatch, type HealthChange } from '../../../src/upstream/health/service-watch.ts';
import {
  createHealthBoard,
  createHealthSharing,
  type HealthExchange,
  MAX_WORDS,
  readWords,
} from '../../../src/upstream/health/shared-health.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

type Kind = HealthEvent['kind'];
const event = (kind: Kind, atMs: number, tryInMs: number, forMs: number): HealthEvent =>
  kind === 'told'
    ? { kind, atMs, forMs, tryInMs }
    : kind === 'proven'
      ? { kind, atMs, forMs }
      : { kind, atMs };
const KINDS: readonly Kind[] = ['spoke', 'fault', 'late', 'tried', 'told', 'proven', 'unsaid'];
const HEARD: readonly Kind[] = ['told', 'proven', 'unsaid'];
/** Any run of events, at times that only go on. */
const runs = (kinds: readonly Kind[]) =>
  fc
    .array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        afterMs: fc.integer({ min: 0, max: 90_000 }),
        tryInMs: fc.integer({ min: -200_000, max: 200_000 }),
        forMs: fc.integer({ min: 0, max: 200_000 }),
      }),
      { maxLength: 60 },
    )
    .map((events) => {
      let atMs = 0;
      return events.map(({ kind, afterMs, tryInMs, forMs }) => {
        atMs += afterMs;
        return event(kind, atMs, tryInMs, forMs);
      });
    });

describe('the machine', () => {
  it('is told nothing that does not end: without one of its own it is as before when nobody says it any more', () => {
    fc.assert(
      fc.property(runs(HEARD), (events) => {
        const health = events.reduce(step, NEW_HEALTH);
        expect(isAway(health)).toBe(health.by === 'others');
        expect(step(health, { kind: 'unsaid', atMs: 1e9 })).toMatchObject({ phase: 'healthy', faults: 0 });
      }),
    );
  });
  it('never waits longer for a try than the longest pause between two', () => {
    fc.assert(
      fc.property(runs(KINDS), (events) => {
        let health = NEW_HEALTH;
        for (const each of events) {
          health = step(health, each);
          expect(health.tryAtMs - each.atMs).toBeLessThanOrEqual(60_000);
        }
      }),
    );
  });
  it('believes its own ears: what it has just heard speak is not out, whatever it is told', () => {
    fc.assert(
      fc.property(runs(KINDS), runs(['told']), (events, words) => {
        let health = events.reduce(step, NEW_HEALTH);
        const { atMs } = events.at(-1) ?? { atMs: 0 };
        // Away by what it has found itself, it has to prove itself here.
        if (isAway(health) && health.by === 'own') return;
        health = step(health, { kind: 'spoke', atMs });
        expect(isAway(health)).toBe(false);
        for (const word of words) {
          if (word.atMs > 3_000) break;
          health = step(health, { ...word, atMs: atMs + word.atMs });
          expect(isAway(health)).toBe(false);
        }
      }),
    );
  });
  it('that has found out itself is moved by no word but that it has held elsewhere since', () => {
    fc.assert(
      fc.property(runs(KINDS), runs(HEARD), (events, words) => {
        let health = events.reduce(step, NEW_HEALTH);
        const { atMs } = events.at(-1) ?? { atMs: 0 };
        for (let faults = 0; faults < 3; faults += 1) health = step(health, { kind: 'fault', atMs });
        const out = health;
        expect(out).toMatchObject({ phase: 'out', by: 'own' });
        for (const word of words) {
          if (word.kind === 'proven' && atMs + word.atMs - word.forMs > out.failedAtMs) {
            const believed = step(out, { ...word, atMs: atMs + word.atMs });
            expect(believed.phase).toBe('suspect');
            expect(step(believed, { kind: 'fault', atMs: atMs + word.atMs }).phase).toBe('out');
          } else expect(step(out, { ...word, atMs: atMs + word.atMs })).toBe(out);
        }
      }),
    );
  });
  it('told that it is out has to prove itself once it was tried here', () => {
    const told = step(NEW_HEALTH, { kind: 'told', atMs: 0, forMs: 0, tryInMs: 5_000 });
    expect(told).toMatchObject({ phase: 'out', by: 'others' });
    expect(standing(told, 'listener', 9_000)).toBe('last');
    const spoke = [
      { kind: 'tried', atMs: 10_000 } as const,
      { kind: 'spoke', atMs: 10_500 } as const,
    ].reduce<ServiceHealth>(step, told);
    expect(spoke).toMatchObject({ phase: 'proving', by: 'own' });
    // What was under way before was no try, and is enough.
    expect(step(told, { kind: 'spoke', atMs: 500 }).phase).toBe('healthy');
  });
});

describe('what others write', () => {
  it('is read only where it is a word', () => {
    const good = { voice: null, phase: 'out', forMs: 5, tryInMs: -7 };
    expect(readWords('s', [good])).toEqual([{ ...good, service: 's' }]);
    for (const wrong of [
      { ...good, voice: 7 },
      { ...good, voice: 'x'.repeat(257) },
      { ...good, phase: 'healthy' },
      { ...good, forMs: '5' },
      { ...good, tryInMs: null },
      'out',
      null,
    ])
      expect(readWords('s', [wrong])).toEqual([]);
    expect(
      readWords(
        's',
        Array.from({ length: 500 }, () => good),
      ),
    ).toHaveLength(MAX_WORDS);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const word of readWords('s', value)) expect(['out', 'proving', 'proven']).toContain(word.phase);
      }),
    );
  });
});

const SERVICE = 'service';
type Process = {
  readonly watch: ReturnType<typeof createServiceWatch>;
  readonly changes: HealthChange[];
  readonly announced: string[];
  close(): void;
};
function openProcess(clock: FakeClock, exchange: HealthExchange, from: string): Process {
  const changes: HealthChange[] = [];
  const announced: string[] = [];
  const watch = createServiceWatch({
    clock,
    onRival() {},
    onSpoke() {},
    onChange(change) {
      changes.push(change);
      const { from: was, to } = change;
      if (isAway(was) === isAway(to) || to.by === 'others' || was.by === 'others') return;
      const state = to.phase === 'out' ? 'out' : 'healthy';
      sharing.announce({ service: SERVICE, state }, () => announced.push(state));
    },
  });
  const sharing = createHealthSharing({
    clock,
    from,
    exchange,
    watches: new Map([[SERVICE, watch.shared]]),
  });
  return { watch, changes, announced, close: () => sharing.close() };
}
const goOut = ({ watch }: Process) => {
  for (let n = 0; n < 3; n += 1) watch.failed('v', 'upstream_unreachable');
};
/** A turn of this process: where the service stands, and what comes of it when it is asked. */
const turn = ({ watch }: Process, isUp: boolean, reader: 'listener' | 'nobody' = 'listener') => {
  const place = watch.standing('v', reader);
  if (place === 'last') return place;
  watch.tried('v');
  if (isUp) watch.spoke('v', 200);
  else watch.failed('v', 'upstream_unreachable');
  return place;
};

describe('processes', () => {
  function start(count: number, change: (exchange: HealthExchange) => HealthExchange = (it) => it) {
    const clock = createFakeClock();
    const exchange = change(createHealthBoard(clock));
    const all = Array.from({ length: count }, (_, n) => openProcess(clock, exchange, `p${n}`));
    const end = () => {
      for (const each of all) each.close();
      expect(clock.timers).toBe(0);
    };
    return { clock, all, end };
  }

  it('hear within a second that a service is out, and announce it once', async () => {
    const { clock, all, end } = start(3);
    await clock.run(100);
    for (const each of all.slice(0, 2)) goOut(each);
    await clock.run(1_100);
    for (const { watch } of all) expect(watch.standing('v', 'nobody')).toBe('last');
    expect(all[2]!.watch.health()).toMatchObject({ phase: 'out', by: 'others', faults: 0 });
    expect(all.flatMap(({ announced }) => announced)).toEqual(['out']);
    end();
  });
  it('do not believe it where the service speaks', async () => {
    const { clock, all, end } = start(2);
    goOut(all[0]!);
    for (let n = 0; n < 300; n += 1) {
      expect(turn(all[1]!, true)).toBe('in-order');
      await clock.run(1_000);
    }
    expect(all[1]!.changes).toEqual([]);
    end();
  });
  it('try it one at a time', async () => {
    const { clock, all, end } = start(3);
    for (const each of all) goOut(each);
    const tries: { readonly atMs: number; readonly by: number }[] = [];
    for (let atMs = 0; atMs < 150_000; atMs += 250) {
      for (const [by, each] of all.entries()) if (turn(each, false) === 'try') tries.push({ atMs, by });
      await clock.run(250);
    }
    expect(tries.length).toBeGreaterThan(3);
    // Who tries has the turn for 5 s at least, and the next pause is 10 s and longer.
    for (const [n, { atMs }] of tries.entries())
      if (n > 0) expect(atMs - tries[n - 1]!.atMs).toBeGreaterThanOrEqual(5_000);
    end();
  });
  it('try it even where turns are rare', async () => {
    const { clock, all, end } = start(1);
    goOut(all[0]!);
    let places: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      await clock.run(45_000);
      places = [...places, turn(all[0]!, false)];
    }
    expect(places).toContain('try');
    end();
  });
  it('let work that nobody listens to try first, wherever it is done', async () => {
    const { clock, all, end } = start(2);
    for (const each of all) goOut(each);
    const tried: string[] = [];
    for (let atMs = 0; atMs < 12_000 && tried.length === 0; atMs += 100) {
      if (turn(all[0]!, true, 'listener') === 'try') tried.push('listener');
      if (turn(all[1]!, true, 'nobody') === 'try') tried.push('nobody');
      await clock.run(100);
    }
    expect(tried).toEqual(['nobody']);
    end();
  });
  it('all have it back when one of them has proved it', async () => {
    const { clock, all, end } = start(3);
    for (const each of all.slice(0, 2)) goOut(each);
    for (let atMs = 0; atMs < 90_000; atMs += 500) {
      turn(all[0]!, true);
      await clock.run(500);
    }
    expect(all.map(({ watch }) => watch.health().phase)).toEqual(['healthy', 'suspect', 'healthy']);
    expect(all.flatMap(({ announced }) => announced)).toEqual(['out', 'healthy']);
    // One that finds it out again is not believed by those who hear it speak.
    goOut(all[1]!);
    turn(all[0]!, true);
    await clock.run(1_100);
    expect(all[0]!.watch.health().phase).toBe('healthy');
    end();
  });
  it('forget what one has said that is gone, within its own pause', async () => {
    const { clock, all, end } = start(2);
    goOut(all[0]!);
    await clock.run(1_100);
    all[0]!.close();
    await clock.run(3_000);
    expect(all[1]!.watch.health().phase).toBe('out');
    await clock.run(2_000);
    expect(all[1]!.watch.health().phase).toBe('healthy');
    end();
  });
  it('go on alone while they cannot be reached, and nobody waits for it', async () => {
    let isAwayNow = false;
    const { clock, all, end } = start(2, (exchange) => async (ask) => {
      if (isAwayNow) throw new Error('away');
      return exchange(ask);
    });
    goOut(all[0]!);
    await clock.run(1_100);
    expect(all[1]!.watch.health()).toMatchObject({ phase: 'out', by: 'others' });
    isAwayNow = true;
    await clock.run(9_900);
    // The hint has ended, and the one that is out tries by itself.
    expect(all[1]!.watch.health().phase).toBe('healthy');
    expect(turn(all[0]!, true)).toBe('try');
    goOut(all[1]!);
    await clock.run(1_100);
    expect(all[1]!.announced).toEqual(['out']);
    end();
  });
  it('of a voice that fails hear it of that voice', async () => {
    const { clock, all, end } = start(2);
    for (let n = 0; n < 5; n += 1) {
      all[0]!.watch.failed('broken', 'upstream_bad_audio');
      all[0]!.watch.spoke('good', 200);
    }
    await clock.run(1_100);
    expect(all[1]!.watch.standing('broken', 'listener')).toBe('last');
    expect(all[1]!.watch.standing('good', 'listener')).toBe('in-order');
    end();
  });
  it('that say less and more of a service do not make it come and go', async () => {
    const { clock, all, end } = start(3);
    // The first cannot reach it, the second has proved it, the third has no turns.
    for (const each of all.slice(0, 2)) goOut(each);
    for (let atMs = 0; atMs < 180_000; atMs += 500) {
      turn(all[1]!, true);
      turn(all[0]!, false);
      await clock.run(500);
    }
    expect(all[1]!.watch.health().phase).toBe('healthy');
    for (const { changes } of all) {
      const away = changes.filter(({ from, to }) => isAway(from) !== isAway(to));
      expect(away.length).toBeLessThanOrEqual(8);
    }
    end();
  });

  for (const turnMs of [500, 3_000])
    it(`change what they prefer at most once a minute while it comes and goes every 20 s, with a turn every ${turnMs} ms`, async () => {
      const { clock, all, end } = start(3);
      const changes = all.map((): number[] => []);
      const preferred = all.map(() => true);
      for (let atMs = 0; atMs < 600_000; atMs += turnMs) {
        const isUp = Math.floor(atMs / 20_000) % 2 === 1;
        for (const [n, each] of all.entries()) {
          turn(each, isUp);
          const isFirst = !isAway(each.watch.health());
          if (isFirst !== preferred[n]) changes[n]!.push(atMs);
          preferred[n] = isFirst;
        }
        await clock.run(turnMs);
      }
      for (const own of changes) {
        for (const atMs of own)
          expect(own.filter((other) => other >= atMs && other < atMs + 60_000)).toHaveLength(1);
        expect(own.length).toBeLessThanOrEqual(10);
      }
      end();
    });
});
