import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drainInTurn } from '../../../src/gateway/sockets/drain-in-turn.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

describe('connections that are told to leave', () => {
  it('all at once where nobody waits for them', () => {
    const told: number[] = [];
    drainInTurn(
      Array.from({ length: 5 }, () => ({ drain: (ms: number) => void told.push(ms) })),
      { deadlineMs: 60_000, spreadMs: 0 },
      createFakeClock(),
    );
    expect(told).toEqual(Array(5).fill(60_000));
  });

  it('each once, in their order, within the spread, at most ten a second where there is time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 1, max: 60_000 }),
        (count, spreadMs) => {
          const clock = createFakeClock();
          const told: { readonly at: number; readonly ms: number; readonly leftMs: number }[] = [];
          const leavers = Array.from({ length: count }, (_, at) => ({
            drain: (leftMs: number) => void told.push({ at, ms: clock.now(), leftMs }),
          }));
          const fromMs = clock.now();
          drainInTurn(leavers, { deadlineMs: 100_000, spreadMs }, clock);
          clock.advance(spreadMs + 100);
          expect(told.map(({ at }) => at)).toEqual(leavers.map((_, at) => at));
          for (const { ms, leftMs } of told) expect(leftMs).toBe(100_000 - (ms - fromMs));
          if (count > 0 && spreadMs >= count * 100) {
            for (const { at, ms } of told) expect(ms - fromMs).toBe(at * 100);
          }
        },
      ),
    );
  });

  it('is over when it is ended', () => {
    const clock = createFakeClock();
    const told: number[] = [];
    const cancel = drainInTurn(
      Array.from({ length: 5 }, () => ({ drain: () => void told.push(0) })),
      { deadlineMs: 60_000, spreadMs: 30_000 },
      clock,
    );
    clock.advance(150);
    cancel();
    clock.advance(60_000);
    expect(told).toHaveLength(2);
  });
});
