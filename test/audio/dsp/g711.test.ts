import { describe, expect, it } from 'vitest';
import {
  ALAW_SILENCE,
  ALAW_VALUES,
  encodeAlaw,
  encodeMulaw,
  MULAW_SILENCE,
  MULAW_VALUES,
} from '../../../src/audio/dsp/g711.ts';

// An independent statement of the law: a code is the number of decision values at or below the magnitude
// (G.711 tables 1a and 2a), where G.191 takes the one's complement of negative values as their magnitude.
const decisionValues = (
  runs: readonly (readonly [count: number, step: number])[],
  first: number,
): number[] => {
  const values: number[] = [];
  let value = first;
  for (const [count, step] of runs)
    for (let i = 0; i < count; i++) {
      values.push(value);
      value += step;
    }
  return values;
};
/** 14-bit magnitudes: 1, 3, 5 … 31, 35 … 95, 103 … 223 up to 8159, each segment's steps twice as long. */
const MULAW_DECISIONS = decisionValues(
  [[15, 2], ...[4, 8, 16, 32, 64, 128, 256].map((step) => [16, step] as const)],
  1,
);
/** In units of half of G.711's: 1, 2, 3 … 32, 34 … 64, 68 … 128 up to 1984. */
const ALAW_DECISIONS = decisionValues(
  [[31, 1], ...[2, 4, 8, 16, 32, 64].map((step) => [16, step] as const)],
  1,
);
const countAtOrBelow = (decisions: readonly number[], magnitude: number): number =>
  decisions.filter((decision) => decision <= magnitude).length;

const mulawByTheBook = (value: number): number => {
  const magnitude = value < 0 ? -value - 1 : value;
  const steps = Math.min(countAtOrBelow(MULAW_DECISIONS, Math.floor(magnitude / 4)), 127);
  return (value < 0 ? 127 : 255) - steps;
};
const alawByTheBook = (value: number): number => {
  const magnitude = value < 0 ? -value - 1 : value;
  const steps = countAtOrBelow(ALAW_DECISIONS, Math.floor(magnitude / 16));
  return ((value < 0 ? 0 : 128) + steps) ^ 0x55;
};

const ALL_VALUES = Int32Array.from({ length: 65_536 }, (_, i) => i - 32_768);
const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);
const encodeValues = (encode: typeof encodeMulaw, values: Iterable<number>): Uint8Array => {
  const samples = Float32Array.from([...values].map((value) => value / 32_768));
  const codes = new Uint8Array(samples.length);
  encode(samples, codes);
  return codes;
};
const differing = (codes: Uint8Array, expected: (value: number) => number) =>
  [...ALL_VALUES].filter((value, i) => codes[i] !== expected(value)).slice(0, 5);

describe('G.711', () => {
  it('has the decision values of the tables', () => {
    expect([MULAW_DECISIONS.length, ALAW_DECISIONS.length]).toEqual([127, 127]);
    expect([15, 31, 47, 63, 79, 95, 111].map((i) => MULAW_DECISIONS[i])).toEqual([
      31, 95, 223, 479, 991, 2015, 4063,
    ]);
    expect([MULAW_DECISIONS.at(-1), ALAW_DECISIONS.at(-1)]).toEqual([7903, 1984]);
  });

  it('encodes all 65,536 values as G.191 does', () => {
    expect(differing(encodeValues(encodeMulaw, ALL_VALUES), mulawByTheBook)).toEqual([]);
    expect(differing(encodeValues(encodeAlaw, ALL_VALUES), alawByTheBook)).toEqual([]);
  });

  it('decodes to the reconstruction values of the recommendation', () => {
    expect([0x80, 0x81, 0x8f, 0x90, 0xfe, 0xff, 0x00, 0x7e, 0x7f].map((code) => MULAW_VALUES[code])).toEqual([
      32124, 31100, 16764, 15996, 8, 0, -32124, -8, 0,
    ]);
    expect([0xaa, 0x80, 0xd5, 0xd4, 0x55, 0x54, 0x2a].map((code) => ALAW_VALUES[code])).toEqual([
      32256, 5504, 8, 24, -8, -24, -32256,
    ]);
  });

  it('gives back every code but the negative zero of µ-law', () => {
    const changed = (encode: typeof encodeMulaw, values: Readonly<Int16Array>) => {
      const again = encodeValues(encode, values);
      return ALL_CODES.filter((code) => again[code] !== code);
    };
    expect(changed(encodeMulaw, MULAW_VALUES)).toEqual([0x7f]);
    expect(encodeValues(encodeMulaw, [MULAW_VALUES[0x7f]!])[0]).toBe(0xff);
    expect(changed(encodeAlaw, ALAW_VALUES)).toEqual([]);
  });

  it('keeps order and sign, and errs by at most half a step', () => {
    for (const [encode, values] of [
      [encodeMulaw, MULAW_VALUES],
      [encodeAlaw, ALAW_VALUES],
    ] as const) {
      const decoded = [...encodeValues(encode, ALL_VALUES)].map((code) => values[code]!);
      const falling = decoded.filter((value, i) => i > 0 && value < decoded[i - 1]!);
      expect(falling).toEqual([]);
      // The longest step is 1024; values beyond the last one clip.
      const far = decoded.filter((value, i) => {
        const exact = ALL_VALUES[i]!;
        return Math.abs(value - exact) > Math.max(8, Math.abs(exact) / 31 + 5);
      });
      expect(far).toEqual([]);
    }
  });

  it('knows silence', () => {
    expect(encodeValues(encodeMulaw, [0, -0, Number.NaN])).toEqual(new Uint8Array(3).fill(MULAW_SILENCE));
    expect(encodeValues(encodeAlaw, [0, -0, Number.NaN])).toEqual(new Uint8Array(3).fill(ALAW_SILENCE));
  });

  it('clips what is too loud', () => {
    const loud = [32_768, 40_000, 1e9, 1e30, Number.POSITIVE_INFINITY];
    const deep = loud.map((value) => -value);
    expect(new Set(encodeValues(encodeMulaw, loud))).toEqual(new Set([0x80]));
    expect(new Set(encodeValues(encodeMulaw, deep))).toEqual(new Set([0x00]));
    expect(new Set(encodeValues(encodeAlaw, loud))).toEqual(new Set([0xaa]));
    expect(new Set(encodeValues(encodeAlaw, deep))).toEqual(new Set([0x2a]));
  });
});
