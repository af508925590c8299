import { describe, expect, it } from 'vitest';
import { fitErrorMs } from '../../../src/captions/alignment/fit-error.ts';

describe('error by fit', () => {
  it('rises with the cost, from a frame to half a word and more, and is bounded', () => {
    const errors = Array.from({ length: 100 }, (_, at) => fitErrorMs(at / 4));
    expect(errors[0]).toBe(16);
    expect(errors.at(-1)).toBe(800);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
  });

  it('has the measured points and lines between them', () => {
    expect([7, 8, 11, 13.5].map(fitErrorMs)).toEqual([16, 60, 86, 300]);
    expect([7.5, 9, 12.75].map(fitErrorMs)).toEqual([38, 62.5, 210]);
  });
});
