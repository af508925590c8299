import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/limits/retry-after.ts';

describe('Retry-After', () => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
  it.each([
    ['5', undefined, 5_000],
    [' 0 ', undefined, 0],
    ['1.5', undefined, 1_500],
    ['3600', undefined, 3_600_000],
    ['Fri, 20 Nov 2026 10:00:42 GMT', date, 42_000],
  ])('%s is read', (value, at, ms) => {
    expect(parseRetryAfter(value, at)).toBe(ms);
  });

  it.each([
    [undefined, date],
    ['', date],
    ['-1', date],
    ['NaN', date],
    ['Infinity', date],
    ['0x10', date],
    ['1e3', date],
    ['3601', date],
    ['99999999999999999999999', date],
    ['soon', date],
    ['Fri, 20 Nov 2026 09:59:59 GMT', date],
    ['Fri, 20 Nov 2026 11:00:01 GMT', date],
    ['Fri, 20 Nov 2026 10:00:42 GMT', undefined],
    ['Fri, 99 Nov 2026 10:00:42 GMT', date],
    ['2026-11-20T10:00:42Z', date],
    ['5, 6', date],
  ])('%s is ignored', (value, at) => {
    expect(parseRetryAfter(value, at)).toBeUndefined();
  });
});
