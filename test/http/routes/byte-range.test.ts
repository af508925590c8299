import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRange } from '../../../src/http/routes/file-routes.ts';

describe('a byte range', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['bytes=-', undefined],
    ['bytes=1-2,4-5', undefined],
    ['bytes=3-1', undefined],
    ['BYTES=0-1', undefined],
    [' bytes=0-1 ', { start: 0, end: 1 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ])('%j of 100 bytes is %j', (header, range) => {
    expect(readRange(header, 100)).toEqual(range);
  });

  it('of an empty file is never satisfied', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
      expect(readRange(header, 0)).toBe('unsatisfiable');
  });

  it('lies in the file, whatever was asked for', () => {
    const number = fc.oneof(fc.constant(''), fc.nat(2000).map(String), fc.stringMatching(/^\d{1,20}$/));
    fc.assert(
      fc.property(number, number, fc.nat(1000), (first, last, bytes) => {
        const range = readRange(`bytes=${first}-${last}`, bytes);
        if (typeof range !== 'object') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeLessThan(bytes);
        expect(range.start).toBeLessThanOrEqual(range.end);
      }),
    );
  });

  it('is read from no other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\s*bytes=/.test(text));
        expect(readRange(text, 10)).toBeUndefined();
      }),
    );
  });
});
