// Tokens by which a leg is known to be a user's: made without being kept, and worth nothing when anything is altered.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACH_TOKEN_LIFE_MS, createAttachTokens } from '../../src/access/attach-tokens.ts';
import '../support/property-seed.ts';

let nowMs = 1_700_000_000_000;
const tokens = createAttachTokens(['a secret of this process'], () => nowMs);

describe('attach tokens', () => {
  it('name the user again, whatever his name is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' }), (user) => {
        expect(tokens.userOf(tokens.tokenFor(user, 'session-1'))).toBe(user);
      }),
    );
  });

  it('are fit for a path and for the start message of a platform', () => {
    expect(tokens.tokenFor('ann@example.com/ö', 'V1StGXR8_Z5jdHi6')).toMatch(/^[\w.~-]{1,500}$/);
  });

  it('differ from session to session', () => {
    expect(tokens.tokenFor('ann', 'one')).not.toBe(tokens.tokenFor('ann', 'two'));
  });

  it('of another process are nobody’s', () => {
    const other = createAttachTokens(['another secret'], () => nowMs);
    expect(tokens.userOf(other.tokenFor('ann', 'one'))).toBeUndefined();
  });

  it('are worth nothing with any one character altered', () => {
    const token = tokens.tokenFor('ann', 'session-1');
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const altered = token.slice(0, at) + other + token.slice(at + 1);
      // The last character of 16 bytes in base64url has four bits that say nothing.
      const isSame = at === token.length - 1 && tokens.userOf(altered) === 'ann';
      if (!isSame) expect(tokens.userOf(altered)).toBeUndefined();
    }
  });

  it.each(['', '.', '..', 'a.b', 'a.b.c', `${'x'.repeat(400)}.y.z`, 'YW5u.session.', '💥.💥.💥'])(
    '%j is none',
    (token) => {
      expect(tokens.userOf(token)).toBeUndefined();
    },
  );

  it('are good for a week, by the wall clock', () => {
    const token = tokens.tokenFor('ann', 'one');
    nowMs += ATTACH_TOKEN_LIFE_MS - 1;
    expect(tokens.userOf(token)).toBe('ann');
    nowMs += 2_000;
    expect(tokens.userOf(token)).toBeUndefined();
  });

  it('of an older secret stay good while it is there', () => {
    const token = tokens.tokenFor('ann', 'one');
    const newer = createAttachTokens(['a newer one', 'a secret of this process'], () => nowMs);
    expect(newer.userOf(token)).toBe('ann');
    expect(tokens.userOf(newer.tokenFor('ann', 'one'))).toBeUndefined();
  });

  it('cannot be made to name another user by moving the dots', () => {
    const [user, session, until, signature] = tokens.tokenFor('ann', 'one').split('.');
    expect(tokens.userOf(`${user}${session}.${until}.${signature}`)).toBeUndefined();
    expect(tokens.userOf(`${user}.${session}${until}.${signature}`)).toBeUndefined();
    expect(tokens.userOf(`.${user}.${session}.${until}.${signature}`)).toBeUndefined();
  });
});
