// One digest for each look-up, however many keys there are, and no key in what is kept.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createKeyIndex } from '../../src/access/key-index.ts';
import '../support/property-seed.ts';

describe('the index of keys', () => {
  it('finds what belongs to a key, and nothing for any other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.string(), (keys, other) => {
        const index = createKeyIndex(keys.map((key, at) => [key, at] as const));
        expect(keys.map((key) => index.find(key))).toEqual(keys.map((_key, at) => at));
        if (!keys.includes(other)) expect(index.find(other)).toBeUndefined();
        expect(index.isEmpty).toBe(keys.length === 0);
      }),
    );
  });

  it('counts the later one of two entries', () => {
    const index = createKeyIndex([
      ['k', 1],
      ['k', 2],
    ]);
    expect(index.find('k')).toBe(2);
  });

  it.each([1, 5_000])('takes one digest for a wrong key among %d', (count) => {
    let digests = 0;
    const digest = (key: string) => {
      digests += 1;
      return createHmac('sha256', 'a secret').update(key).digest('hex');
    };
    const index = createKeyIndex(
      Array.from({ length: count }, (_, at) => [`key ${at}`, at] as const),
      digest,
    );
    digests = 0;
    expect(index.find('wrong')).toBeUndefined();
    expect(index.find('key 0')).toBe(0);
    expect(digests).toBe(2);
  });

  it('keeps digests under a secret of its own', () => {
    const keep = vi.spyOn(Map.prototype, 'set');
    createKeyIndex([['a key', 1]]);
    createKeyIndex([['a key', 1]]);
    const kept = keep.mock.calls.map(([digest]) => String(digest));
    keep.mockRestore();
    expect(kept).toHaveLength(2);
    expect(kept[0]).not.toBe(kept[1]);
    expect(kept.join()).not.toContain('a key');
  });
});
