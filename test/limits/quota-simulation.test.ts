// Hours of simulated traffic against every kind of request window; some fifteen seconds of processor in all.
// SIM_HOURS makes the saturated runs longer; SIM_SEEDS (2 or more) has all searches, and each begin in so many ways.

import { describe, expect, it } from 'vitest';
import { WINDOW_KINDS } from '../../testkit/faults/request-windows.ts';
import { type SimulationPlan, simulateQuota } from '../support/quota-simulation.ts';

const HOURS = Number(process.env.SIM_HOURS ?? 0.5);
const SEEDS = Number(process.env.SIM_SEEDS ?? 1);
/** A search is over within minutes; hours tell whether it holds. */
const FOUND_MINUTES = SEEDS > 1 ? 240 : 60;
/** When a limit changes, in a run that is a little more than as long again. */
const CHANGE_MINUTES = SEEDS > 1 ? 120 : 40;
const MINUTE_MS = 60_000;

const usual: Omit<SimulationPlan, 'window'> = {
  limitAt: () => 60,
  keys: 4,
  askers: 1,
  inFlight: 50,
  headers: 'none',
  load: 'saturated',
  minutes: HOURS * 60,
  seed: 1,
};
const shareOf = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(share * (sorted.length - 1))]!;

describe.each(WINDOW_KINDS)('a known limit, saturated, %s windows', (window) => {
  it.each(['none', 'ratelimit'] as const)('is never exceeded and hardly wasted (headers: %s)', (headers) => {
    const { refusedAtMs, used, sent } = simulateQuota({ ...usual, window, headers, perMinute: 60 });
    expect(sent).toBeGreaterThan(HOURS * 14_000);
    expect(refusedAtMs).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(0.99);
  });
});

describe('fixed windows that are told', () => {
  const plan = { ...usual, window: 'clock', headers: 'ratelimit', perMinute: 60 } as const;

  it.each([1, 3])('are used to the full by %i askers of one store', (askers) => {
    const { refusedAtMs, used, states } = simulateQuota({ ...plan, askers });
    expect(states.map(({ mode }) => mode)).toEqual(['phase', 'phase', 'phase', 'phase']);
    expect(refusedAtMs).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(0.998);
  });

  describe('with bursts of ten that come at random, at 80 % of the quota', () => {
    const bursts = { ...plan, load: { burst: 10, share: 0.8 }, minutes: 75 } as const;
    const waitsOf = (phases: 'together' | 'apart', headers: SimulationPlan['headers']) => {
      const results = [1, 2, 3].map((seed) => simulateQuota({ ...bursts, phases, headers, seed }));
      const sorted = (waits: readonly number[]) => [...waits].sort((a, b) => a - b);
      return {
        refused: results.flatMap(({ refusedAtMs }) => refusedAtMs),
        ours: sorted(results.flatMap(({ waitsMs }) => waitsMs)),
        least: sorted(results.flatMap(({ leastWaitsMs }) => leastWaitsMs)),
      };
    };

    it('nobody waits where the windows of the keys begin one after another', () => {
      const { refused, ours } = waitsOf('apart', 'ratelimit');
      expect(refused).toEqual([]);
      expect(shareOf(ours, 0.95)).toBeLessThanOrEqual(50);
      expect(shareOf(ours, 0.99)).toBeLessThanOrEqual(50);
      // Without the windows there is always something in the way.
      expect(shareOf(waitsOf('apart', 'none').ours, 0.95)).toBeGreaterThan(2_000);
    });
    it('nobody waits much longer than anybody must where they all begin together', () => {
      const { refused, ours, least } = waitsOf('together', 'ratelimit');
      expect(refused).toEqual([]);
      expect(shareOf(ours, 0.95)).toBeLessThanOrEqual(50);
      // Resets in whole seconds leave a second open, and the spread of the latency is on top.
      expect(shareOf(ours, 0.99)).toBeLessThanOrEqual(shareOf(least, 0.99) + 3_500);
    });
  });
});

it.each(['first', 'sliding', 'strict', 'bucket'] as const)(
  'three askers share one store at %s windows',
  (window) => {
    const { refusedAtMs, used } = simulateQuota({ ...usual, window, askers: 3, perMinute: 60, minutes: 40 });
    expect(refusedAtMs).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(0.99);
  },
);

describe('a limit that nobody told', () => {
  const unknown = { ...usual, keys: 1, inFlight: 8, minutes: 240 } as const;
  const cases = [
    [60, 2],
    [300, 2],
    [600, 3],
  ] as const;
  /** The second has windows that a search can mistake for more room; the third tells where they begin. */
  const services = [
    { window: 'sliding', headers: 'none' },
    { window: 'clock', headers: 'none' },
    { window: 'clock', headers: 'retry-after' },
  ] as const;
  const everyCase = services.flatMap((service) =>
    [8, 50].flatMap((inFlight) =>
      cases.map(([limit, windows]) => ({ ...service, inFlight, limit, windows })),
    ),
  );
  /** The hardest of the long ones, unless there is time for all. */
  const isTried = ({ limit, headers, inFlight }: (typeof everyCase)[number]) =>
    SEEDS > 1 || limit === 60 || (headers === 'retry-after' && (limit === 300 || inFlight === 50));

  it.each(everyCase.filter(isTried))(
    '$limit a minute is found within $windows windows, $window, headers: $headers, $inFlight under way',
    ({ window, headers, inFlight, limit, windows }) => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const plan = { ...unknown, window, headers, inFlight, seed, minutes: FOUND_MINUTES };
        const result = simulateQuota({ ...plan, limitAt: () => limit });
        expect(result.foundAtMs(limit, 0)).toBeLessThanOrEqual(windows * 60_500);
        expect(result.refusedAtMs.length).toBeLessThanOrEqual(10);
        expect(result.accepted / (limit * FOUND_MINUTES)).toBeGreaterThanOrEqual(0.95);
      }
    },
    60_000 * SEEDS,
  );

  it.each([8, 50])('10 a minute is not met by ten refusals at once (%i under way)', (inFlight) => {
    for (const seed of [1, 2, 3]) {
      const result = simulateQuota({ ...unknown, window: 'first', inFlight, seed, limitAt: () => 10 });
      expect(result.refusedAtMs.filter((atMs) => atMs < MINUTE_MS).length).toBeLessThanOrEqual(7);
      expect(result.refusedAtMs.length).toBeLessThanOrEqual(12);
      expect(result.accepted / 2_400).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('a strict service and a bucket are survived', () => {
    const strict = simulateQuota({ ...unknown, window: 'strict' });
    expect(strict.refusedAtMs.length).toBeLessThanOrEqual(10);
    expect(strict.accepted / (60 * 240)).toBeGreaterThanOrEqual(0.95);
    // A bucket has always saved a little up, so that every search finds too much.
    const bucket = simulateQuota({ ...unknown, window: 'bucket' });
    expect(bucket.refusedAtMs.length).toBeLessThanOrEqual(30);
    expect(bucket.accepted / (60 * 240)).toBeGreaterThanOrEqual(0.95);
  });

  const CHANGE_MS = CHANGE_MINUTES * MINUTE_MS + 12_345;
  it.each([
    ['halved', 60, 30, 10],
    ['doubled', 60, 120, 10],
    // A first refusal is no proof; all that is under way in a burst is refused, but only once.
    ['halved', 300, 150, 10],
    ['halved', 600, 300, 10],
  ] as const)('that is %s in mid-run, from %i to %i, is learned anew', (_, before, after, mostRefusals) => {
    const result = simulateQuota({
      ...unknown,
      window: 'first',
      minutes: 2 * CHANGE_MINUTES,
      limitAt: (atMs) => (atMs < CHANGE_MS ? before : after),
    });
    const later = result.refusedAtMs.filter((atMs) => atMs >= CHANGE_MS);
    // Upwards it is a probe that finds out; it is in the history of limits, and in no refusal.
    const noticedMs = after < before ? later[0]! : result.foundAtMs(before + 1, CHANGE_MS);
    expect(result.foundAtMs(after, CHANGE_MS)).toBeLessThanOrEqual(noticedMs + 2 * 60_500 + 1_000);
    expect(later.filter((atMs) => atMs <= noticedMs + 3 * MINUTE_MS).length).toBeLessThanOrEqual(
      mostRefusals,
    );
  });

  it.each([
    [60, 30],
    [600, 300],
  ])(
    'that is halved, from %i to %i, is learned in two windows with the usual number under way',
    (before, after) => {
      const result = simulateQuota({
        ...unknown,
        window: 'first',
        inFlight: 50,
        minutes: CHANGE_MINUTES + 20,
        limitAt: (atMs) => (atMs < CHANGE_MS ? before : after),
      });
      const noticedMs = result.refusedAtMs.find((atMs) => atMs >= CHANGE_MS)!;
      expect(result.foundAtMs(after, CHANGE_MS)).toBeLessThanOrEqual(noticedMs + 2 * 60_500);
      // Whatever is under way when it happens is refused, and then no more than at the next count.
      const later = result.refusedAtMs.filter(
        (atMs) => atMs >= noticedMs && atMs < noticedMs + 3 * MINUTE_MS,
      );
      expect(later.length).toBeLessThanOrEqual(50 + 5);
    },
  );
});
