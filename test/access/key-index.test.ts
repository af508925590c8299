// One digest for each look-up, however many keys there are, and no key in what is kept.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

  it('looks each secret of its own up: the same key has another digest in another index', () => {
    const seen: string[] = [];
    const spied = new Map<string, number>();
    const set = Map.prototype.set;
    Map.prototype.set = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
      if (value === spied) seen.push(String(key));
      return set.call(this, key, value);
    };
    try {
      createKeyIndex([['a key', spied]]);
      createKeyIndex([['a key', spied]]);
    } finally {
      Map.prototype.set = set;
    }
    expect(seen).toHaveLength(2);
    expect(seen[0]).not.toBe(seen[1]);
    expect(seen.join()).not.toContain('a key');
  });
});
