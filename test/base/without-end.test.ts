import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutEnd } from '../../src/base/without-end.ts';

describe('a text without its end', () => {
  it('is what a regular expression leaves, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', ' ', '…', '😀') }), (text) => {
        expect(withoutEnd(text, /[\s.…]/u)).toBe(text.replace(/[\s.…]+$/u, ''));
      }),
    );
    const run = '.'.repeat(2_000_000);
    expect(withoutEnd(`${run}a${run}`, /\./u)).toBe(`${run}a`);
  });
});
