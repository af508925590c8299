import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServiceAddress } from '../../src/service/service-address.ts';

const address = createServiceAddress([Buffer.alloc(32, 1)]);
const signatureOf = (work: string, name: string) =>
  /^http:\/\/h\/v1\/files\/[^/]*\/([\w-]{22})\//.exec(address.urlOf('http://h', work, name))![1]!;
const part = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);

describe('the address of a file', () => {
  it('is the same each time, and one that a browser keeps as it is', () => {
    const url = address.urlOf('https://voice.example', 'w', 'a b.mp3');
    expect(url).toBe(address.urlOf('https://voice.example', 'w', 'a b.mp3'));
    expect(new URL(url).href).toBe(url);
  });

  it('is signed for this file of this work and for no other', () => {
    fc.assert(
      fc.property(part, part, part, part, (work, name, otherWork, otherName) => {
        const signature = signatureOf(work, name);
        expect(address.isSigned(work, name, signature)).toBe(true);
        if (work !== otherWork || name !== otherName)
          expect(address.isSigned(otherWork, otherName, signature)).toBe(false);
      }),
    );
  });

  it('does not move a border between work and name', () => {
    expect(address.isSigned('ab', 'c', signatureOf('a', 'bc'))).toBe(false);
    expect(address.isSigned('a","b', 'c', signatureOf('a', 'b","c'))).toBe(false);
  });

  it('is signed with the secret', () => {
    expect(createServiceAddress([Buffer.alloc(32, 2)]).isSigned('w', 'a', signatureOf('w', 'a'))).toBe(false);
  });

  it('takes no signature of another length or form', () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        expect(address.isSigned('w', 'a', signature)).toBe(false);
      }),
    );
    expect(address.isSigned('w', 'a', `${signatureOf('w', 'a')}AAAA`)).toBe(false);
  });
});
