import { describe, expect, it } from 'vitest';
import { createSilenceGauge } from '../../../src/captions/alignment/silence-gauge.ts';
import { framesIn } from '../../../src/captions/alignment/speech-features.ts';

function gaugeOf(levels: readonly number[]) {
  const gauge = createSilenceGauge();
  for (const level of levels) gauge.hear(level);
  return gauge;
}
/** Half a second of each. */
const turns = (...levels: number[]) =>
  levels.flatMap((level) => new Array<number>(framesIn(500)).fill(level));

describe('silence gauge', () => {
  it('calls silent what is 8 nats below the loudest of a clean voice', () => {
    const gauge = gaugeOf(turns(-11, 1, -11));
    expect(gauge.above(-7.5)).toBe(0);
    expect(gauge.above(-5)).toBe(2);
  });

  it('calls the noise under a voice silent', () => {
    const gauge = gaugeOf(turns(-6, 1, -6));
    expect(gauge.above(-5)).toBe(0);
    expect(gauge.above(1)).toBeGreaterThan(5);
  });

  it('does not take speech without a pause for noise', () => {
    expect(gaugeOf(turns(0, -2, 1)).above(-2)).toBe(2);
  });

  it('forgets a noise that has ended, and follows one that has begun', () => {
    const quiet = new Array(10).fill(turns(1, -11)).flat();
    const noisy = new Array(10).fill(turns(1, -5.5)).flat();
    expect(gaugeOf([...noisy, ...quiet]).above(-5.5)).toBeGreaterThan(1);
    expect(gaugeOf([...quiet, ...noisy]).above(-5.5)).toBe(0);
  });
});
