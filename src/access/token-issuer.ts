// Tokens in use: given out to callers with a key, looked at when somebody comes with one, taken back. What is kept is only
// what was taken back, for as long as its token could still be used.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { CallerToken, CallerTokens, Medium, TokenGrant } from './caller-tokens.ts';

export type IssuedToken = { readonly id: string; readonly token: string };

export type TokenIssuer = {
  issue(userId: string, grant: TokenGrant, lifeMs: number): IssuedToken;
  /** True for a word that only this gateway can have made, whatever has become of it. */
  isToken(text: string): boolean;
  /** Its user. Throws `unauthorized` or `forbidden`. */
  checkSpeak(text: string): string;
  /** The id of a token that was checked. */
  idOf(text: string): string | undefined;
  isRevoked(id: string): boolean;
  /** Throws `unauthorized`, or `forbidden` when it is for something else. */
  checkWatch(text: string, session: string, medium: Medium): CallerToken;
  /** Throws `not_found` for an id that is not one of this user. */
  revoke(userId: string, id: string): void;
  /** As `revoke`, of one that another process of this gateway has taken back; remembered for `leftMs`. */
  noteRevoked(id: string, leftMs: number): void;
  /** Those taken back that could still be used, each for how long, ms. */
  revoked(): readonly { readonly id: string; readonly leftMs: number }[];
  /** Calls `task` when the token is taken back; the result gives up waiting. */
  onRevoked(id: string, task: () => void): () => void;
};

export const MAX_TOKEN_LIFE_MS = 900_000;
const NONCE_BYTES = 9;
/**
 * How many tokens can be remembered as taken back within one life of a token; one more is refused, for a forgotten one would
 * open again. Each user has a bound of its own. When `inAll` are remembered, a user that has few of them still gets its
 * share, from a reserve, so that no other user's revocations stand in its way.
 */
export type RevocationBounds = {
  readonly perUser: number;
  readonly inAll: number;
  readonly sharePerUser: number;
  readonly withReserve: number;
};
export const REVOCATION_BOUNDS: RevocationBounds = {
  perUser: 5_000,
  inAll: 100_000,
  sharePerUser: 100,
  withReserve: 200_000,
};

const unusable = (why: string) => new AppError('unauthorized', `The token ${why}.`);

export function createTokenIssuer(
  tokens: CallerTokens,
  clock: Clock,
  random: Random,
  bounds: RevocationBounds = REVOCATION_BOUNDS,
): TokenIssuer {
  /** Until when each is remembered, and who took it back if that was here; oldest first. */
  const revoked = new Map<string, { readonly untilMs: number; readonly userId: string | undefined }>();
  /** Those of each user, oldest first. */
  const byUser = new Map<string, Set<string>>();
  const listeners = new Map<string, Set<() => void>>();

  const drop = (id: string) => {
    const userId = revoked.get(id)?.userId;
    revoked.delete(id);
    if (userId === undefined) return;
    const mine = byUser.get(userId);
    mine?.delete(id);
    if (mine?.size === 0) byUser.delete(userId);
  };
  const forgetOld = () => {
    const nowMs = clock.now();
    for (const [id, { untilMs }] of revoked) {
      if (untilMs > nowMs) return;
      drop(id);
    }
  };
  /** Throws `too_many`, with the time until the oldest that is in the way can be forgotten. */
  const refuseFlood = (userId: string) => {
    const mine = byUser.get(userId) ?? new Set();
    const isOwnFlood = mine.size >= bounds.perUser;
    const bound = mine.size < bounds.sharePerUser ? bounds.withReserve : bounds.inAll;
    if (!isOwnFlood && revoked.size < bound) return;
    const [oldest] = isOwnFlood ? mine : revoked.keys();
    const untilMs = (oldest === undefined ? undefined : revoked.get(oldest))?.untilMs ?? clock.now();
    const message = isOwnFlood
      ? `This user has revoked ${bounds.perUser.toLocaleString('en')} tokens within 15 minutes, as many as are remembered; let some expire.`
      : 'As many tokens have been revoked as can be remembered; let others expire.';
    throw new AppError('too_many', message, { retryAfterMs: Math.max(1000, untilMs - clock.now()) });
  };
  const check = (text: string): CallerToken => {
    forgetOld();
    const token = tokens.read(text);
    if (token === undefined) throw unusable('is none of this gateway');
    if (clock.now() >= token.expiresAtMs) throw unusable('has expired; get another one from POST /v1/tokens');
    if (revoked.has(token.id)) throw unusable('has been revoked');
    return token;
  };

  const takeBack = (id: string, leftMs: number, userId: string | undefined) => {
    drop(id);
    revoked.set(id, { untilMs: clock.now() + leftMs, userId });
    if (userId !== undefined) byUser.set(userId, (byUser.get(userId) ?? new Set()).add(id));
    for (const close of [...(listeners.get(id) ?? [])]) close();
  };

  return {
    issue(userId, grant, lifeMs) {
      const id = tokens.idFor(userId, random.id(NONCE_BYTES));
      const expiresAtMs = clock.now() + lifeMs;
      return { id, token: tokens.sign({ ...grant, id, userId, expiresAtMs }) };
    },
    isToken: (text) => tokens.read(text) !== undefined,
    idOf: (text) => tokens.read(text)?.id,
    isRevoked(id) {
      forgetOld();
      return revoked.has(id);
    },
    checkSpeak(text) {
      const token = check(text);
      if (token.scope === 'speak') return token.userId;
      throw new AppError('forbidden', 'The token is for watching; a session needs one of scope "speak".');
    },
    checkWatch(text, session, medium) {
      const token = check(text);
      if (token.scope !== 'watch')
        throw new AppError('forbidden', 'The token is for speaking; onlookers need one of scope "watch".');
      if (token.session !== session)
        throw new AppError('forbidden', 'The token is for another session; get one for this session.');
      if (!token.media.includes(medium))
        throw new AppError(
          'forbidden',
          `The token is for ${token.media.join(' and ')}, not for ${medium}; get one for it.`,
        );
      return token;
    },
    revoke(userId, id) {
      if (!tokens.isIdOf(userId, id)) throw new AppError('not_found', 'There is no token of this id.');
      forgetOld();
      if (!revoked.has(id)) refuseFlood(userId);
      takeBack(id, MAX_TOKEN_LIFE_MS, userId);
    },
    noteRevoked(id, leftMs) {
      forgetOld();
      takeBack(id, leftMs, undefined);
    },
    revoked() {
      forgetOld();
      const nowMs = clock.now();
      return [...revoked].map(([id, { untilMs }]) => ({ id, leftMs: untilMs - nowMs }));
    },
    onRevoked(id, task) {
      const mine = listeners.get(id) ?? new Set();
      listeners.set(id, mine.add(task));
      return () => {
        mine.delete(task);
        if (mine.size === 0 && listeners.get(id) === mine) listeners.delete(id);
      };
    },
  };
}
