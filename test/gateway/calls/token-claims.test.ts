import { describe, expect, it } from 'vitest';
import { createTokenClaims } from '../../../src/gateway/calls/local-leg-registry.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const TEN_MINUTES = 600_000;

describe('a token that nobody has signed', () => {
  it('belongs to the first who claims it, and to no other', () => {
    const claims = createTokenClaims(createFakeClock());
    expect(claims.ownerOf('t')).toBeUndefined();
    expect(claims.claim('t', 'ann')).toBe('claimed');
    expect(claims.claim('t', 'bob')).toBe('taken');
    expect(claims.claim('t', 'ann')).toBe('claimed');
    expect(claims.ownerOf('t')).toBe('ann');
  });

  it('is free again ten minutes after it was last claimed', () => {
    const clock = createFakeClock();
    const claims = createTokenClaims(clock);
    claims.claim('t', 'ann');
    clock.advance(TEN_MINUTES - 1);
    claims.claim('t', 'ann');
    clock.advance(TEN_MINUTES - 1);
    expect(claims.claim('t', 'bob')).toBe('taken');
    clock.advance(1);
    expect(claims.ownerOf('t')).toBeUndefined();
    expect(claims.claim('t', 'bob')).toBe('claimed');
    expect(claims.ownerOf('t')).toBe('bob');
  });

  it('is forgotten, the oldest first, when its user claims more than a thousand, and others keep theirs', () => {
    const claims = createTokenClaims(createFakeClock());
    claims.claim('of bob', 'bob');
    for (let index = 0; index <= 1000; index += 1) claims.claim(`t${index}`, 'ann');
    expect(claims.ownerOf('t0')).toBeUndefined();
    expect(claims.ownerOf('t1')).toBe('ann');
    expect(claims.ownerOf('t1000')).toBe('ann');
    expect(claims.ownerOf('of bob')).toBe('bob');
  });
});
