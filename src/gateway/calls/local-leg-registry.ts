// Brings the sessions and telephony legs of this instance together: each leg belongs to one user, at most one session
// owns it, and the one that comes first waits a while for the other.

import type { AttachTokens } from '../../access/attach-tokens.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { CallLeg, LegListener } from '../../playout/call-leg.ts';
import type { LegBroker, LegWanted } from '../../session/leg-broker.ts';
import type { LiveCall } from '../../session/live-sessions.ts';

// Unsigned tokens of a platform, such as the UUID of an AudioSocket: they belong to the user who named them first, before
// the call or within its first seconds, and to no other user as long as they may still be used.

type TokenClaims = {
  /** Claims it anew, too; `taken`: another user has it. */
  claim(token: string, userId: string): 'claimed' | 'taken';
  ownerOf(token: string): string | undefined;
};

/** A call that a bot asks for may ring for minutes; once it is there, it has an owner and needs no claim. */
const KEPT_MS = 600_000;
/** Of one user; the oldest is forgotten. */
const MAX_CLAIMS = 1000;

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
      if (claims.size > MAX_CLAIMS) forget(claims.keys().next().value!, userId);
      return 'claimed';
    },
  };
}

/** What the registry itself asks of a leg and of the session that has it. */
type Named = Pick<CallLeg, 'id' | 'kind' | 'callId'>;
type Told = Pick<LegListener, 'onGone'>;

/** A leg of `userId`, with the token that it brought; undefined: it will belong to the first user who names that token. */
export type ArrivedLeg<Leg extends Named = CallLeg> = {
  readonly leg: Leg;
  readonly userId: string | undefined;
  readonly token: string | undefined;
  /** No session has named it; the leg is to be closed. */
  onUnclaimed(): void;
  /** No session has had it for a while; the leg is to be closed. */
  onForsaken(): void;
};

export type LegPlace<Listener extends Told = LegListener> = {
  /** The session that has it. */
  listener(): Listener | undefined;
  /** The session lets it go; another may have it then. */
  release(): void;
  /** The leg is gone. */
  leave(reason: string): void;
};

/** A call that came and cannot be served. */
export type TurnedAwayLeg = Pick<Named, 'callId'> &
  Pick<ArrivedLeg, 'userId' | 'token'> & {
    readonly error: AppError;
  };

export type LegArrivals<Leg extends Named = CallLeg, Listener extends Told = LegListener> = {
  readonly arrive: (arrived: ArrivedLeg<Leg>) => LegPlace<Listener>;
  /** The refusal goes to the session that waits for it, or asks for it soon. */
  readonly turnAway: (leg: TurnedAwayLeg) => void;
};

/** `owner`: the user that it belongs to by now; undefined: nobody has named it. */
type OwnedPlace<Listener extends Told> = LegPlace<Listener> & { owner(): string | undefined };

export type LocalLegRegistry<Leg extends Named = CallLeg, Listener extends Told = LegListener> = LegBroker<
  Leg,
  Listener
> &
  Omit<LegArrivals<Leg, Listener>, 'arrive'> & {
    readonly arrive: (arrived: ArrivedLeg<Leg>) => OwnedPlace<Listener>;
    legs(): number;
    /** Those that are there, in the order in which they came. */
    calls(): readonly LiveCall[];
  };

/** A call that was answered and a bot that was told of it find each other well within this. */
const WAIT_MS = 10_000;
/**
 * A bot that has lost its connection is back within this; a caller who hears nothing for longer is better off hung up
 * on.
 */
const FORSAKEN_MS = 60_000;

/** Kept for sessions that ask for them after they came; beyond this the oldest is forgotten. */
const MAX_TURNED_AWAY = 1000;

type Entry<Leg extends Named, Listener> = Omit<ArrivedLeg<Leg>, 'userId'> & {
  userId: string | undefined;
  readonly arrivedAtMs: number;
  listener: Listener | undefined;
  stopWaiting: () => void;
};
type Waiting<E> = {
  readonly userId: string;
  readonly wanted: LegWanted;
  take(entry: E): void;
  refuse(error: AppError): void;
};

const isWanted = (
  { leg, userId, token }: { readonly leg: Pick<Named, 'callId'> } & Pick<ArrivedLeg, 'userId' | 'token'>,
  by: Pick<Waiting<never>, 'userId' | 'wanted'>,
): boolean =>
  userId === by.userId &&
  (by.wanted.token === undefined
    ? plainId(leg.callId) === plainId(by.wanted.callSid)
    : token === by.wanted.token);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Case does not matter. */
const uuidOf = (id: string | undefined): string | undefined =>
  id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined;
export const plainId = (id: string | undefined): string | undefined => uuidOf(id) ?? id;

export function createLocalLegRegistry<Leg extends Named = CallLeg, Listener extends Told = LegListener>(
  clock: Clock,
  tokens: AttachTokens,
): LocalLegRegistry<Leg, Listener> {
  type Mine = Entry<Leg, Listener>;
  const entries = new Set<Mine>();
  const waiting = new Set<Waiting<Mine>>();
  const turnedAway = new Set<{
    readonly leg: TurnedAwayLeg;
    userId: string | undefined;
    token: string | undefined;
  }>();
  const claims = createTokenClaims(clock);
  const ownerOf = ({ userId, token }: Pick<ArrivedLeg, 'userId' | 'token'>) =>
    userId ?? (token === undefined ? undefined : claims.ownerOf(token));

  const give = (entry: Mine, listener: Listener) => {
    entry.stopWaiting();
    entry.listener = listener;
  };
  const awaitSession = (entry: Mine) => {
    entry.stopWaiting =
      entry.userId === undefined
        ? clock.after(WAIT_MS, () => {
            if (entry.userId === undefined) entry.onUnclaimed();
          })
        : clock.after(FORSAKEN_MS, () => entry.onForsaken());
  };

  return {
    tokenFor: (userId, session) => tokens.tokenFor(userId, session),
    attach(userId, asked, answer) {
      const uuid = uuidOf(asked.token);
      const wanted = { ...asked, token: uuid ?? asked.token };
      if (uuid !== undefined && claims.claim(uuid, userId) === 'claimed') {
        for (const entry of [...entries, ...turnedAway]) if (entry.token === uuid) entry.userId ??= userId;
      }
      const found = [...entries].filter((entry) => isWanted(entry, { userId, wanted }));
      const free = found.find(({ listener }) => listener === undefined);
      if (free !== undefined) {
        give(free, answer.onAttached(free.leg));
        return () => {};
      }
      if (found.length > 0) {
        answer.onRefused(new AppError('leg_taken', 'Another session has this leg.'));
        return () => {};
      }
      const gone = [...turnedAway].findLast((each) => isWanted(each, { userId, wanted }));
      if (gone !== undefined) {
        answer.onRefused(gone.leg.error);
        return () => {};
      }
      const stopWaiting = () => {
        cancelDeadline();
        waiting.delete(self);
      };
      const cancelDeadline = clock.after(WAIT_MS, () => {
        stopWaiting();
        answer.onRefused(
          new AppError('leg_not_found', `No such leg of this user came within ${WAIT_MS / 1000} s.`),
        );
      });
      const self: Waiting<Mine> = {
        userId,
        wanted,
        take(entry) {
          stopWaiting();
          give(entry, answer.onAttached(entry.leg));
        },
        refuse(error) {
          stopWaiting();
          answer.onRefused(error);
        },
      };
      waiting.add(self);
      return stopWaiting;
    },
    arrive(arrived) {
      const userId = ownerOf(arrived);
      const arrivedAtMs = clock.now();
      const entry: Mine = { ...arrived, userId, arrivedAtMs, listener: undefined, stopWaiting: () => {} };
      entries.add(entry);
      awaitSession(entry);
      const first = [...waiting].find((each) => isWanted(entry, each));
      first?.take(entry);
      return {
        listener: () => entry.listener,
        owner: () => entry.userId,
        release() {
          entry.listener = undefined;
          awaitSession(entry);
        },
        leave(reason) {
          if (!entries.delete(entry)) return;
          entry.stopWaiting();
          const { listener } = entry;
          entry.listener = undefined;
          listener?.onGone(reason);
        },
      };
    },
    turnAway(leg) {
      const kept = { leg, userId: ownerOf(leg), token: leg.token };
      for (const each of waiting) if (isWanted(kept, each)) each.refuse(leg.error);
      turnedAway.add(kept);
      if (turnedAway.size > MAX_TURNED_AWAY) turnedAway.delete(turnedAway.values().next().value!);
      clock.after(WAIT_MS, () => void turnedAway.delete(kept));
    },
    legs: () => entries.size,
    calls: () =>
      [...entries].map(({ leg: { id, kind, callId }, userId, arrivedAtMs }) => ({
        id,
        kind,
        ...(callId !== undefined && { callSid: callId }),
        ...(userId !== undefined && { tenant: userId }),
        ageMs: Math.round(clock.now() - arrivedAtMs),
      })),
  };
}
