// Tokens that a platform brings and nobody signed, such as the UUID of an AudioSocket: they belong to the user who named
// them first, before the call or within its first seconds, and to no other as long as he may still use them.

import type { Clock } from '../../base/clock.ts';

export type TokenClaims = {
  /** Claims it anew, too; `taken`: another user has it. */
  claim(token: string, userId: string): 'claimed' | 'taken';
  ownerOf(token: string): string | undefined;
};

/** A call that a bot asks for may ring for minutes, and outlives its claim by being his. */
const KEPT_MS = 600_000;
/** Of one user; the oldest is forgotten. */
const MOST_CLAIMS = 1000;

export function createTokenClaims(clock: Clock): TokenClaims {
  /** By user, oldest first. */
  const byUser = new Map<string, Map<string, number>>();
  const owners = new Map<string, string>();

  const forget = (token: string, userId: string) => {
    const claims = byUser.get(userId);
    claims?.delete(token);
    if (claims?.size === 0) byUser.delete(userId);
    owners.delete(token);
  };
  const ownerOf = (token: string): string | undefined => {
    const owner = owners.get(token);
    if (owner === undefined) return undefined;
    if (byUser.get(owner)!.get(token)! + KEPT_MS > clock.now()) return owner;
    forget(token, owner);
    return undefined;
  };

  return {
    ownerOf,
    claim(token, userId) {
      const owner = ownerOf(token);
      if (owner !== undefined && owner !== userId) return 'taken';
      forget(token, userId);
      const claims = byUser.get(userId) ?? new Map<string, number>();
      byUser.set(userId, claims);
      claims.set(token, clock.now());
      owners.set(token, userId);
      if (claims.size > MOST_CLAIMS) forget(claims.keys().next().value!, userId);
      return 'claimed';
    },
  };
}
