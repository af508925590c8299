// Sessions and telephony legs of this instance, brought together: each leg is one user's, is had by one session at most,
// and whoever comes first waits a while for the other.

import type { AttachTokens } from '../access/attach-tokens.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { CallLeg, LegListener } from '../playout/call-leg.ts';
import type { LegDesk, LegWanted } from '../session/leg-desk.ts';
import { createTokenClaims } from './token-claims.ts';

/** What the desk itself asks of a leg and of the session that has it. */
type Named = { readonly callId: string | undefined };
type Told = Pick<LegListener, 'onGone'>;

/** A leg of `userId`, with the token that it brought; or of nobody yet, who is the first to name that token. */
export type ArrivedLeg<Leg extends Named = CallLeg> = {
  readonly leg: Leg;
  readonly userId: string | undefined;
  readonly token: string | undefined;
  /** Nobody has named it; the leg is to go. */
  onUnclaimed(): void;
  /** No session has had it for a while, or has it any more; the leg is to go. */
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

export type LegArrivals<Leg extends Named = CallLeg, Listener extends Told = LegListener> = {
  readonly arrive: (arrived: ArrivedLeg<Leg>) => LegPlace<Listener>;
};

export type GatewayLegDesk<Leg extends Named = CallLeg, Listener extends Told = LegListener> = LegDesk<
  Leg,
  Listener
> &
  LegArrivals<Leg, Listener> & { legs(): number };

/** A call that was answered and a bot that was told of it find each other well within this. */
const WAIT_MS = 10_000;
/** A bot that has lost its connection is back within this; a caller who hears nothing for longer is better off hung up on. */
const FORSAKEN_MS = 60_000;

type Entry<Leg extends Named, Listener> = Omit<ArrivedLeg<Leg>, 'userId'> & {
  userId: string | undefined;
  listener: Listener | undefined;
  stopWaiting: () => void;
};
type Waiting<E> = {
  readonly userId: string;
  readonly wanted: LegWanted;
  take(entry: E): void;
};

const isWanted = (
  { leg, userId, token }: Pick<Entry<Named, unknown>, 'leg' | 'userId' | 'token'>,
  by: Pick<Waiting<never>, 'userId' | 'wanted'>,
): boolean =>
  userId === by.userId &&
  (by.wanted.token === undefined
    ? plainId(leg.callId) === plainId(by.wanted.callSid)
    : token === by.wanted.token);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** In capitals it is the same. */
const uuidOf = (id: string | undefined): string | undefined =>
  id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined;
const plainId = (id: string | undefined): string | undefined => uuidOf(id) ?? id;

export function createLegDesk<Leg extends Named = CallLeg, Listener extends Told = LegListener>(
  clock: Clock,
  tokens: AttachTokens,
): GatewayLegDesk<Leg, Listener> {
  type Mine = Entry<Leg, Listener>;
  const entries = new Set<Mine>();
  const waiting = new Set<Waiting<Mine>>();
  const claims = createTokenClaims(clock);

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
        for (const entry of entries) if (entry.token === uuid) entry.userId ??= userId;
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
      };
      waiting.add(self);
      return stopWaiting;
    },
    arrive(arrived) {
      const userId =
        arrived.userId ?? (arrived.token === undefined ? undefined : claims.ownerOf(arrived.token));
      const entry: Mine = { ...arrived, userId, listener: undefined, stopWaiting: () => {} };
      entries.add(entry);
      awaitSession(entry);
      const first = [...waiting].find((each) => isWanted(entry, each));
      first?.take(entry);
      return {
        listener: () => entry.listener,
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
    legs: () => entries.size,
  };
}
