// Names of files that lie at addresses: what a person would call them, and never a way to another place.
import { basename, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf } from '../../../src/base/addresses/shown-address.ts';
import '../../support/property-seed.ts';

const named = (address: string) => fileNameOf(new URL(address));

describe('the name of a file at an address', () => {
  it.each([
    ['https://example.com/a/paper.pdf', 'paper.pdf'],
    ['https://example.com/a/paper.pdf?download=1#page=2', 'paper.pdf'],
    ['https://example.com/a%20b/Der%20Bericht%20f%C3%BCr%20alle.docx', 'Der Bericht für alle.docx'],
    ['https://example.com/articles/why/', 'why'],
    ['https://example.com/', undefined],
    ['https://example.com/..%2f..%2fetc%2fpasswd', 'etc passwd'],
    ['https://example.com/.bashrc', 'bashrc'],
    ['https://example.com/-rf', 'rf'],
    ['https://example.com/%2E%2E%2F', undefined],
    ['https://example.com/con.txt', undefined],
    ['https://example.com/100%.txt', '100%.txt'],
    ['https://example.com/a%00b%0A.txt', 'a b .txt'],
  ])('%s is %s', (address, name) => expect(named(address)).toBe(name));

  it('is one name in the folder where it is made, whatever the address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (path) => {
        const url = new URL('https://example.com/');
        url.pathname = path;
        for (const name of [
          fileNameOf(url),
          named(
            `https://example.com/${path.replace(/./gs, (unit) => `%${(unit.charCodeAt(0) % 256).toString(16).padStart(2, '0')}`)}`,
          ),
        ]) {
          if (name === undefined) continue;
          expect([basename(name), win32.basename(name)]).toEqual([name, name]);
          expect(name).not.toMatch(/^[.-]|\p{Cc}/u);
          expect([...name].length).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
