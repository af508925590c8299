import { describe, expect, it } from 'vitest';
import { spreadOf, spreadRow } from '../../../bench/lab/spread.ts';

describe('spreadOf', () => {
  it('takes the nearest rank, whatever the order', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(spreadOf(values)).toEqual({ count: 200, p50: 100, p90: 180, p99: 198, max: 200 });
  });

  it('is all one value for one value', () => {
    expect(spreadOf([3])).toEqual({ count: 1, p50: 3, p90: 3, p99: 3, max: 3 });
  });

  it('has no numbers without values, and says so in a table', () => {
    expect(spreadOf([]).p50).toBeNaN();
    expect(spreadRow('none', spreadOf([]))).toEqual(['none', '0', '–', '–', '–', '–']);
  });
});
