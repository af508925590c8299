// The line through points of a bench, against lines that are known.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineThrough } from '../../../bench/lab/line-through.ts';

const number = fc.double({ min: -1000, max: 1000, noNaN: true });

describe('lineThrough', () => {
  it('finds the line on which the points lie', () => {
    fc.assert(
      fc.property(
        number,
        number,
        fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2 }),
        (slope, start, xs) => {
          const line = lineThrough(xs.map((x) => [x, start + slope * x]));
          expect(line.slope).toBeCloseTo(slope, 6);
          expect(line.start).toBeCloseTo(start, 6);
        },
      ),
    );
  });

  it('lies between points that are not on one line', () => {
    expect(
      lineThrough([
        [0, 0],
        [1, 3],
        [2, 0],
      ]),
    ).toEqual({ slope: 0, start: 1 });
  });

  it('knows no slope of a single place', () => {
    expect(
      lineThrough([
        [1, 2],
        [1, 5],
      ]).slope,
    ).toBeNaN();
    expect(lineThrough([]).slope).toBeNaN();
  });
});
