import { describe, expect, it } from 'vitest';
import { createFilterBanks, type FilterBank } from '../../../src/audio/dsp/filter-bank.ts';
import { MP3_SAMPLE_RATES } from '../../../src/speech/audio-format.ts';

const rowSums = ({ rows, taps }: FilterBank) =>
  Array.from({ length: rows.length / taps }, (_, row) =>
    rows.subarray(row * taps, (row + 1) * taps).reduce((sum, weight) => sum + weight, 0),
  );
const worstGain = (bank: FilterBank) => Math.max(...rowSums(bank).map((sum) => Math.abs(sum - 1)));

describe('filter bank', () => {
  it('has a row for every phase of a simple ratio', () => {
    const banks = createFilterBanks();
    expect(banks.of(24_000, 8000)).toMatchObject({ up: 1, down: 3, phases: 1, taps: 168 });
    const bank = banks.of(44_100, 8000);
    expect(bank).toMatchObject({ up: 80, down: 441, phases: 80 });
    expect(bank.rows).toHaveLength(80 * bank.taps);
  });

  it('has a table to read between for an awkward one', () => {
    const bank = createFilterBanks().of(44_100, 8009);
    expect(bank).toMatchObject({ up: 8009, down: 44_100 });
    expect(bank.phases).toBeLessThan(100);
    expect(bank.rows).toHaveLength((bank.phases + 1) * bank.taps);
    // The row that closes the table is the first one, a sample later.
    const last = bank.rows.subarray(bank.phases * bank.taps);
    for (let tap = 1; tap < bank.taps; tap++) expect(last[tap]).toBeCloseTo(bank.rows[tap - 1]!, 12);
  });

  it('is symmetric around its centre, so that it delays all frequencies alike', () => {
    const { rows, taps } = createFilterBanks().of(24_000, 8000);
    for (let tap = 0; tap < taps - 1; tap++) expect(rows[tap]).toBeCloseTo(rows[taps - 2 - tap]!, 15);
    expect(rows[taps - 1]).toBe(0);
  });

  it('weighs each phase to exactly one, within 288 KiB', () => {
    const banks = createFilterBanks();
    for (const from of MP3_SAMPLE_RATES)
      for (const to of [8000, 8001, 11_025, 24_000, 44_099, 48_000]) {
        if (from === to) continue;
        const bank = banks.of(from, to);
        expect(worstGain(bank)).toBeLessThan(1e-14);
        expect(bank.taps % 8).toBe(0);
        expect(bank.rows.byteLength).toBeLessThanOrEqual(288 * 1024);
      }
  });

  it('shares a bank by the ratio of the rates, and keeps the ones used last', () => {
    const banks = createFilterBanks(2);
    const third = banks.of(24_000, 8000);
    expect(banks.of(48_000, 16_000)).toBe(third);
    banks.of(16_000, 8000);
    expect(banks.of(24_000, 8000)).toBe(third);
    banks.of(32_000, 8000);
    expect(banks.of(24_000, 8000)).toBe(third);
    banks.of(16_000, 8000);
    banks.of(32_000, 8000);
    expect(banks.of(24_000, 8000)).not.toBe(third);
  });

  it('refuses what is no sample rate', () => {
    const banks = createFilterBanks();
    for (const rate of [0, -8000, 7999, 192_001, 8000.5, Number.NaN, Infinity]) {
      expect(() => banks.of(rate, 8000)).toThrow(RangeError);
      expect(() => banks.of(8000, rate)).toThrow(RangeError);
    }
  });
});
