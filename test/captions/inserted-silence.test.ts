// The two times of a turn with silence in it: the speech's own, and that of what is sent.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InsertedSilence } from '../../src/captions/inserted-silence.ts';

describe('inserted silence', () => {
  it('moves what comes behind it, and stands still inside', () => {
    const silence = new InsertedSilence();
    silence.add(100, 15);
    silence.add(300, 20);
    expect([50, 100, 101, 300, 400].map((ms) => silence.toSent(ms))).toEqual([50, 100, 116, 315, 420]);
    expect([50, 100, 110, 115, 116, 315, 318, 320, 420].map((ms) => silence.toOwn(ms))).toEqual([
      50, 100, 100, 100, 101, 300, 300, 300, 400,
    ]);
  });

  it('takes no place that adds nothing', () => {
    const silence = new InsertedSilence();
    silence.add(100, 0);
    expect([silence.toSent(200), silence.toOwn(200)]).toEqual([200, 200]);
  });

  it('maps there and back, in order, wherever the silences are', () => {
    const places = fc.array(fc.tuple(fc.nat(1000), fc.nat(20)), { maxLength: 8 });
    fc.assert(
      fc.property(places, fc.array(fc.nat(9000), { minLength: 2 }), (steps, times) => {
        const silence = new InsertedSilence();
        let ownMs = 0;
        let totalMs = 0;
        for (const [gapMs, fillMs] of steps) {
          ownMs += gapMs;
          totalMs += fillMs;
          silence.add(ownMs, totalMs);
        }
        for (const time of times) expect(silence.toOwn(silence.toSent(time))).toBe(time);
        const sorted = [...times].sort((a, b) => a - b).map((ms) => silence.toOwn(ms));
        for (let i = 1; i < sorted.length; i += 1) expect(sorted[i]!).toBeGreaterThanOrEqual(sorted[i - 1]!);
        for (const time of times) expect(silence.toSent(silence.toOwn(time))).toBeLessThanOrEqual(time);
      }),
    );
  });
});
