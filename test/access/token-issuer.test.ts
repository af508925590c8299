// Tokens in use: what one lets its bearer do, until when, and that taking it back is known at once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallerTokens } from '../../src/access/caller-tokens.ts';
import {
  createTokenIssuer,
  REVOCATION_BOUNDS,
  type RevocationBounds,
} from '../../src/access/token-issuer.ts';
import { AppError } from '../../src/base/app-error.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import '../support/property-seed.ts';

const issuer = (clock = createFakeClock(), secret = 'a secret', bounds?: RevocationBounds) =>
  createTokenIssuer(createCallerTokens([secret]), clock, systemRandom, bounds);
const refusal = (task: () => unknown): string => {
  try {
    task();
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
  }
  return 'let in';
};
const watching = { scope: 'watch', session: 's1', media: ['captions'] } as const;

describe('a token', () => {
  it('is one word of base64url, and names its user again', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), (user) => {
        const tokens = issuer();
        const { id, token } = tokens.issue(user, { scope: 'speak' }, 1000);
        expect(token).toMatch(/^[\w-]+$/);
        expect(id).toMatch(/^[\w-]{24}$/);
        expect(tokens.checkSpeak(token)).toBe(user);
      }),
    );
  });

  it('is worth nothing with any one character altered, and elsewhere', () => {
    const tokens = issuer();
    const { token } = tokens.issue('ann', watching, 1000);
    for (let at = 0; at < token.length - 1; at += 1) {
      const altered = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(refusal(() => tokens.checkWatch(altered, 's1', 'captions'))).toMatch(/^unauthorized/);
    }
    expect(refusal(() => issuer(undefined, 'other').checkWatch(token, 's1', 'captions'))).toMatch(
      /^unauthor/,
    );
    for (const none of ['', 'x', '.', 'ä', 'A'.repeat(5000)])
      expect(refusal(() => tokens.checkSpeak(none))).toMatch(/^unauthorized/);
  });

  it('lets in for what it is, and no other', () => {
    const tokens = issuer();
    const { token } = tokens.issue('ann', watching, 1000);
    const speaking = tokens.issue('ann', { scope: 'speak' }, 1000).token;
    expect(tokens.checkWatch(token, 's1', 'captions')).toMatchObject({ userId: 'ann' });
    expect(refusal(() => tokens.checkWatch(token, 's2', 'captions'))).toBe(
      'forbidden: The token is for another session; get one for this session.',
    );
    expect(refusal(() => tokens.checkWatch(token, 's1', 'audio'))).toBe(
      'forbidden: The token is for captions, not for audio; get one for it.',
    );
    expect(refusal(() => tokens.checkSpeak(token))).toMatch(/^forbidden: .*for watching/);
    expect(refusal(() => tokens.checkWatch(speaking, 's1', 'audio'))).toMatch(/^forbidden: .*for speaking/);
  });

  it('expires', () => {
    const clock = createFakeClock();
    const tokens = issuer(clock);
    const { token } = tokens.issue('ann', { scope: 'speak' }, 60_000);
    clock.advance(59_999);
    expect(tokens.checkSpeak(token)).toBe('ann');
    clock.advance(1);
    expect(refusal(() => tokens.checkSpeak(token))).toMatch(/^unauthorized: The token has expired/);
  });
});

describe('a revoked token', () => {
  it('lets nobody in, and tells those who wait for it', () => {
    const tokens = issuer();
    const { id, token } = tokens.issue('ann', watching, 1000);
    const other = tokens.issue('ann', watching, 1000).token;
    let told = 0;
    tokens.onRevoked(id, () => {
      told += 1;
    });
    const giveUp = tokens.onRevoked(id, () => {
      told += 10;
    });
    giveUp();
    tokens.revoke('ann', id);
    expect(told).toBe(1);
    expect(refusal(() => tokens.checkWatch(token, 's1', 'captions'))).toBe(
      'unauthorized: The token has been revoked; send Authorization: Bearer with a valid key, or get another token.',
    );
    expect(tokens.checkWatch(other, 's1', 'captions').userId).toBe('ann');
  });

  it('is the business of its user alone', () => {
    const tokens = issuer();
    const { id, token } = tokens.issue('ann', { scope: 'speak' }, 1000);
    for (const made of [id.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), 'x'.repeat(24), ''])
      expect(refusal(() => tokens.revoke('ann', made))).toMatch(/^not_found/);
    expect(refusal(() => tokens.revoke('bob', id))).toMatch(/^not_found/);
    expect(tokens.checkSpeak(token)).toBe('ann');
  });

  it('is remembered for as long as it could be used, and not for ever', () => {
    const clock = createFakeClock();
    const tokens = issuer(clock);
    const { id, token } = tokens.issue('ann', { scope: 'speak' }, 900_000);
    tokens.revoke('ann', id);
    clock.advance(899_999);
    expect(refusal(() => tokens.checkSpeak(token))).toMatch(/revoked/);
  });
});

describe('revocations', () => {
  const PER_USER = 50;
  const BOUNDS = { perUser: PER_USER, inAll: 200, sharePerUser: 10, withReserve: 400 };
  const small = (clock = createFakeClock()) => issuer(clock, undefined, BOUNDS);
  const WINDOW_MS = 900_000;
  const revokeMany = (tokens: ReturnType<typeof issuer>, user: string, count: number) => {
    for (let i = 0; i < count; i++) tokens.revoke(user, tokens.issue(user, { scope: 'speak' }, 1000).id);
  };

  it('of one user have a bound of their own, and stand in nobody else’s way', () => {
    const clock = createFakeClock();
    const tokens = small(clock);
    revokeMany(tokens, 'ann', 1);
    clock.advance(60_000);
    revokeMany(tokens, 'ann', PER_USER - 1);
    const { id } = tokens.issue('ann', { scope: 'speak' }, 1000);
    expect(() => tokens.revoke('ann', id)).toThrow(
      expect.objectContaining({
        code: 'too_many',
        message: expect.stringMatching(/This user has revoked 50 tokens/),
        retryAfterMs: WINDOW_MS - 60_000,
      }),
    );
    revokeMany(tokens, 'bob', 1);
    clock.advance(WINDOW_MS - 60_000);
    tokens.revoke('ann', id);
  });

  it('of many users that fill the room for all leave each other user its share', () => {
    const tokens = small();
    for (let i = 0; i < BOUNDS.inAll / PER_USER; i++) revokeMany(tokens, `flood ${i}`, PER_USER);
    revokeMany(tokens, 'ann', BOUNDS.sharePerUser);
    expect(refusal(() => revokeMany(tokens, 'ann', 1))).toMatch(/^too_many: As many tokens/);
    const { id, token } = tokens.issue('bob', { scope: 'speak' }, 1000);
    tokens.revoke('bob', id);
    expect(refusal(() => tokens.checkSpeak(token))).toMatch(/revoked/);
  });

  it('have bounds of which one user fills only a small part', () => {
    const { perUser, inAll, sharePerUser, withReserve } = REVOCATION_BOUNDS;
    expect(perUser * 10).toBeLessThan(inAll);
    expect(inAll + 500 * sharePerUser).toBeLessThan(withReserve);
  });

  it('are none the more when one token is taken back again', () => {
    const tokens = small();
    const { id } = tokens.issue('ann', { scope: 'speak' }, 1000);
    for (let i = 0; i < PER_USER + 1; i++) tokens.revoke('ann', id);
    expect(tokens.revoked()).toHaveLength(1);
  });

  it('are forgotten when their tokens have expired, whoever looks in next', () => {
    const clock = createFakeClock();
    const tokens = small(clock);
    revokeMany(tokens, 'ann', PER_USER);
    clock.advance(WINDOW_MS);
    expect(tokens.revoked()).toEqual([]);
    revokeMany(tokens, 'ann', PER_USER);
    expect(tokens.revoked()).toHaveLength(PER_USER);
  });
});
