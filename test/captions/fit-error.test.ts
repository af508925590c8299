import { describe, expect, it } from 'vitest';
import { fitErrorMs } from '../../src/captions/fit-error.ts';

describe('error by fit', () => {
  it('rises with the cost, from a frame to half a word and more, and is bounded', () => {
    const errors = Array.from({ length: 100 }, (_, at) => fitErrorMs(at / 4));
    expect(errors[0]).toBe(10);
    expect(errors.at(-1)).toBe(800);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
  });

  it('has the measured points and lines between them', () => {
    expect(fitErrorMs(8.5)).toBe(60);
    expect(fitErrorMs(6)).toBe(12.5);
  });
});
