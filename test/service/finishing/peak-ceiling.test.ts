// Room for the peaks that encoders add, and what is done about those that are still too high.
import { describe, expect, it } from 'vitest';
import { CEILING_DBTP } from '../../../src/audio/dsp/loudness-rule.ts';
import { firstCeilingDbtp, nextCeilingDbtp } from '../../../src/service/finishing/peak-ceiling.ts';

describe('the ceiling of peaks', () => {
  it('leaves more room the more an encoder adds', () => {
    const rooms = [
      firstCeilingDbtp('flac', 24_000, undefined),
      firstCeilingDbtp('wav', 8000, undefined),
      firstCeilingDbtp('mulaw', 8000, undefined),
      firstCeilingDbtp('ogg', 24_000, 48),
      firstCeilingDbtp('mp3', 8000, 8),
    ];
    expect(rooms).toEqual(rooms.toSorted((a, b) => b - a));
    expect(rooms.every((ceiling) => ceiling < CEILING_DBTP)).toBe(true);
  });

  it('is lowered by what was too high, and kept when nothing was', () => {
    expect(nextCeilingDbtp(-2.2, -1)).toBeUndefined();
    expect(nextCeilingDbtp(-2.2, Number.NEGATIVE_INFINITY)).toBeUndefined();
    expect(nextCeilingDbtp(-2.2, -0.5)).toBeCloseTo(-2.8);
  });
});
