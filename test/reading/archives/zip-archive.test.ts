// The gate before every archive: honest ones are read back, and no change of a byte makes it do more than refuse.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { openZip } from '../../../src/reading/archives/zip-archive.ts';
import { zip } from '../hostile-files.ts';

const MB = 1024 * 1024;
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_source') return error.message;
    throw error;
  }
  return 'not refused';
};
const part = (name: string, content: Uint8Array) => ({ name, content });

describe('openZip', () => {
  it('reads back what another program has packed', () => {
    const names = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/);
    // A content that begins as an archive does is refused on purpose.
    const contents = fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Uint8Array.from([0x61, ...bytes]));
    fc.assert(
      fc.property(
        fc.dictionary(names, contents, { minKeys: 1, maxKeys: 8 }),
        fc.constantFrom(0, 9),
        (parts, level) => {
          const archive = openZip(zipSync(parts, { level: level as 0 | 9 }));
          expect([...archive.names].toSorted()).toEqual(Object.keys(parts).toSorted());
          for (const [name, content] of Object.entries(parts))
            expect(Buffer.from(archive.read(name, MB)!).equals(content)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('survives any damage: what it still gives out is never longer than the directory says', () => {
    const good = zip([part('a', Buffer.alloc(3_000, 'ab')), part('b', Buffer.from('text'))]);
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, cut) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        const told = refusal(() => {
          const archive = openZip(bytes.subarray(0, cut % 3 === 0 ? cut : bytes.length));
          for (const name of archive.names)
            expect(archive.read(name, 10_000)?.length ?? 0).toBeLessThanOrEqual(10_000);
        });
        expect(told).toMatch(/^not refused$|\.$/);
      }),
      { numRuns: 400 },
    );
  });

  it('refuses as many members, as much, and as much from as little as no document has', () => {
    const many = Array.from({ length: 2_001 }, (_, i) => part(`${i}`, Buffer.from('x')));
    expect(refusal(() => openZip(zip(many)))).toMatch(/at most 2000 parts/);
    expect(refusal(() => openZip(zip(many.slice(1))))).toBe('not refused');
    expect(refusal(() => openZip(zip([part('a', Buffer.alloc(MB))])))).toMatch(/unpacks to more/);
    // A blank page is small, and shrinks by more.
    expect(refusal(() => openZip(zip([part('a', Buffer.alloc(MB - 1))])))).toBe('not refused');
  });

  it('stops a member at the size that it admits', () => {
    const archive = openZip(zip([{ ...part('a', Buffer.alloc(500_000)), claimedBytes: 1_000 }]));
    expect(refusal(() => archive.read('a', MB))).toMatch(/damaged/);
  });

  it('refuses members beyond what the caller has room for, archives inside, twins, locks and other methods', () => {
    const archive = openZip(zip([part('a', Buffer.alloc(5_000)), part('b', zip([]))]));
    expect(refusal(() => archive.read('a', 4_999))).toMatch(/unpacks to more/);
    expect(archive.read('none', 1)).toBeUndefined();
    expect(refusal(() => openZip(zip([part('a', Buffer.from('PK\x03\x04'))])).read('a', MB))).toMatch(
      /another archive/,
    );
    expect(refusal(() => openZip(zip([part('a', Buffer.alloc(1)), part('a', Buffer.alloc(1))])))).toMatch(
      /damaged/,
    );
    const locked = zip([part('a', Buffer.alloc(9))]);
    locked[locked.lastIndexOf('PK\x01\x02') + 8] = 1;
    expect(refusal(() => openZip(locked))).toMatch(/password/);
    const odd = zip([part('a', Buffer.alloc(9))]);
    odd[odd.lastIndexOf('PK\x01\x02') + 10] = 12;
    expect(refusal(() => openZip(odd))).toMatch(/damaged/);
  });
});
