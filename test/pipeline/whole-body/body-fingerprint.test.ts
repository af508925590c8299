import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createBodyFingerprint,
  type FingerprintCheck,
} from '../../../src/pipeline/whole-body/body-fingerprint.ts';
import { chunksOf } from '../../support/mp3-fixtures.ts';
import { noise } from '../../support/tone.ts';

const SOME = new Uint8Array(noise(6000, 3).buffer);
const fingerprintOf = (bytes: Uint8Array, lengths: readonly number[]) => {
  const fingerprint = createBodyFingerprint();
  for (const chunk of chunksOf(bytes, lengths)) fingerprint.push(chunk);
  return fingerprint;
};
/** What is left behind the printed part, or `different`. */
const rest = (check: FingerprintCheck, bytes: Uint8Array, lengths: readonly number[]) => {
  const left: number[] = [];
  for (const chunk of chunksOf(bytes, lengths)) {
    const known = check.push(chunk);
    if (known === 'different') return 'different';
    left.push(...chunk.subarray(known));
  }
  return Buffer.from(left);
};
const lengths = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 4 });

describe('a body fingerprint', () => {
  it('finds in the same bytes where the new ones begin, however both are cut', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 20_000 }),
        fc.nat({ max: 4000 }),
        lengths,
        lengths,
        (at, more, one, other) => {
          const fingerprint = fingerprintOf(SOME.subarray(0, at), one);
          const check = fingerprint.check();
          const whole = SOME.subarray(0, at + more);
          const found = rest(check, whole, other);
          expect(found).not.toBe('different');
          expect((found as Buffer).equals(SOME.subarray(at, at + more))).toBe(true);
          expect([check.isWhole(), fingerprint.bytes()]).toEqual([true, at]);
        },
      ),
    );
  });

  it('has one digest, however the bytes are cut, and another one for each byte more', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20_000 }), lengths, lengths, (at, one, other) => {
        const digest = fingerprintOf(SOME.subarray(0, at), one).digest();
        expect(fingerprintOf(SOME.subarray(0, at), other).digest()).toBe(digest);
        expect(fingerprintOf(SOME.subarray(0, at + 1), other).digest()).not.toBe(digest);
      }),
    );
  });

  it('finds any byte that differs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        lengths,
        lengths,
        (at, share, one, other) => {
          const check = fingerprintOf(SOME.subarray(0, at), one).check();
          const changed = SOME.slice(0, at + 5000);
          changed[Math.floor(share * at)]! ^= 1;
          expect(rest(check, changed, other)).toBe('different');
          expect(check.isWhole()).toBe(false);
        },
      ),
    );
  });

  it('is not whole before all of it has come, and not moved by what is printed later', () => {
    const fingerprint = fingerprintOf(SOME.subarray(0, 5000), [700]);
    const check = fingerprint.check();
    fingerprint.push(new Uint8Array(5000));
    expect(check.push(SOME.subarray(0, 4999))).toBe(4999);
    expect(check.isWhole()).toBe(false);
    expect(check.push(SOME.subarray(4999, 6000))).toBe(1);
    expect([check.isWhole(), check.push(SOME)]).toEqual([true, 0]);
  });
});
