// Against the signals of EBU Tech 3341 (v4, table 1, cases 1 to 5), made for one channel: what the document gives for
// two equal channels reads 3.01 LU lower in one, so levels are raised by as much; steady tones are shorter than there.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLoudnessMeter, kWeighting } from '../../../src/audio/dsp/loudness-meter.ts';
import { noise, tone } from '../../support/tone.ts';

const RATES = [8000, 11_025, 24_000, 48_000];
const ONE_CHANNEL_DB = 3.0103;

type Step = { readonly dbfs: number; readonly seconds: number };

/** One sine whose level changes, as LUFS. */
function lufsOf(steps: readonly Step[], sampleRate: number, hz = 1000): number {
  const meter = createLoudnessMeter(sampleRate);
  for (const { dbfs, seconds } of steps)
    meter.push(tone(hz, sampleRate, seconds * sampleRate, 10 ** ((dbfs + ONE_CHANNEL_DB) / 20)));
  return meter.integrated();
}

describe('loudness meter', () => {
  it('has the filters of BS.1770-4, tables 1 and 2, at 48 kHz', () => {
    const [shelf, highPass] = kWeighting(48_000);
    expect(shelf.b0).toBeCloseTo(1.53512485958697, 10);
    expect(shelf.b1).toBeCloseTo(-2.69169618940638, 10);
    expect(shelf.b2).toBeCloseTo(1.19839281085285, 10);
    expect(shelf.a1).toBeCloseTo(-1.69065929318241, 10);
    expect(shelf.a2).toBeCloseTo(0.73248077421585, 10);
    expect(highPass.a1).toBeCloseTo(-1.99004745483398, 10);
    expect(highPass.a2).toBeCloseTo(0.99007225036621, 10);
    expect([highPass.b0, highPass.b1, highPass.b2]).toEqual([1, -2, 1]);
  });

  it.each(RATES)('reads steady tones right at %i Hz (cases 1 and 2)', (sampleRate) => {
    expect(lufsOf([{ dbfs: -23, seconds: 5 }], sampleRate)).toBeCloseTo(-23, 1);
    expect(lufsOf([{ dbfs: -33, seconds: 5 }], sampleRate)).toBeCloseTo(-33, 1);
  });

  it('is −3.01 LUFS for 997 Hz at full scale in one channel (BS.1770-4, annex 1)', () => {
    const meter = createLoudnessMeter(48_000);
    meter.push(tone(997, 48_000, 5 * 48_000));
    expect(meter.integrated()).toBeCloseTo(-3.01, 2);
  });

  it('leaves out what is far quieter than the rest (cases 3 and 4)', () => {
    const quiet = { dbfs: -36, seconds: 10 };
    const loud = { dbfs: -23, seconds: 60 };
    const silent = { dbfs: -72, seconds: 10 };
    expect(lufsOf([quiet, loud, quiet], 8000)).toBeCloseTo(-23, 1);
    expect(lufsOf([silent, quiet, loud, quiet, silent], 8000)).toBeCloseTo(-23, 1);
  });

  it('averages power, not levels (case 5)', () => {
    const quiet = { dbfs: -26, seconds: 20 };
    expect(lufsOf([quiet, { dbfs: -20, seconds: 20.1 }, quiet], 8000)).toBeCloseTo(-23, 1);
  });

  it('knows no loudness of silence, of less than a block, or of what lies below the gate', () => {
    expect(lufsOf([{ dbfs: -80, seconds: 2 }], 24_000)).toBe(Number.NEGATIVE_INFINITY);
    expect(lufsOf([{ dbfs: -20, seconds: 0.399 }], 24_000)).toBe(Number.NEGATIVE_INFINITY);
    expect(lufsOf([{ dbfs: -20, seconds: 0.4 }], 24_000)).toBeCloseTo(-20, 0);
    const meter = createLoudnessMeter(8000);
    meter.push(new Float32Array(80_000));
    expect(meter.integrated()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('does not care how the samples are split, even where a step is no whole number of samples', () => {
    const samples = noise(30_000).map((sample) => sample / 8);
    const whole = createLoudnessMeter(11_025);
    whole.push(samples);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 }), (sizes) => {
        const meter = createLoudnessMeter(11_025);
        for (let at = 0, turn = 0; at < samples.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          meter.push(samples.subarray(at, at + size));
          at += size;
        }
        expect(meter.integrated()).toBe(whole.integrated());
      }),
      { numRuns: 20 },
    );
  });
});
