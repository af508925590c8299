import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestAudioMs, stallLimitMs } from '../../../src/pipeline/whole-body/speech-guard.ts';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';

describe('the limit of a stall', () => {
  it('leaves the listener 0.3 s, between half a second and two', () => {
    expect([0, 700, 800, 1300, 2300, 9000].map((ms) => stallLimitMs(ms, 0, 1))).toEqual([
      500, 500, 500, 1000, 2000, 2000,
    ]);
  });

  it('is the longest before the first frame, and longer after each stall', () => {
    expect([0, 1, 2, 3].map((stalls) => stallLimitMs(0, stalls, 0))).toEqual([2000, 4000, 8000, 8000]);
    expect([0, 1, 2, 3].map((stalls) => stallLimitMs(0, stalls, 9))).toEqual([500, 2000, 8000, 8000]);
  });

  it('is never longer than the program allows', () => {
    const { stallLimitMs: limitMs } = createSpeechRecovery({ mostStallMs: 700 });
    expect([0, 1, 2].map((stalls) => limitMs(0, stalls, 9))).toEqual([500, 700, 700]);
  });
});

describe('the longest audio', () => {
  it('is half a minute for a word, four times the slowest for a text, twenty minutes for all but the longest', () => {
    expect(longestAudioMs(2, 6)).toBe(30_000);
    expect(longestAudioMs(600, 6)).toBe(400_000);
    expect(longestAudioMs(4000, 6)).toBe(1_200_000);
    // 20,000 characters rightly take longer.
    expect(longestAudioMs(18_000, 6)).toBe(4_500_000);
  });

  it('is always a time, and grows with the text', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 20_000 }),
        fc.nat({ max: 500 }),
        fc.double({ min: 0.2, max: 120, noNaN: true }),
        (n, more, pace) => {
          const ms = longestAudioMs(n, pace);
          expect(ms).toBeGreaterThanOrEqual(30_000);
          expect(longestAudioMs(n + more, pace)).toBeGreaterThanOrEqual(ms);
        },
      ),
    );
  });
});
