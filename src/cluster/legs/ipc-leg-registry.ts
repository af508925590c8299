// The leg registry of a process that plays. The primary knows the legs of all processes and decides which session gets
// which; this registry has the legs that this process plays to, or owns the socket of.

import type { AttachTokens } from '../../access/attach-tokens.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { ArrivedLeg } from '../../gateway/calls/local-leg-registry.ts';
import type { CallLeg, LegListener } from '../../playout/call-leg.ts';
import type { LegBroker } from '../../session/leg-broker.ts';
import type { LegAddress, PlayerNews, PrimaryAsks, PrimaryNews } from '../messages.ts';
import type { Peer } from '../peer.ts';
import type { MovingLegs } from './moving-legs.ts';

export type IpcLegRegistry = LegBroker &
  MovingLegs & {
    readonly given: (news: PlayerNews['legGiven']) => void;
    readonly awaited: (ask: PlayerNews['legAwaited']) => void;
    readonly refused: (news: PlayerNews['legRefused']) => void;
    /** Ends the call that is here under this key. */
    readonly ended: (news: PlayerNews['legEnded']) => void;
  };

export type IpcLegRegistryOptions = {
  readonly clock: Clock;
  readonly tokens: AttachTokens;
  readonly primary: Peer<PrimaryAsks, PrimaryNews>;
  /** Has the call go on in this process, where it arrives under its key. Rejects when it is gone. */
  readonly bring: (address: LegAddress & { readonly userId: string }) => Promise<void>;
};

const DECIDES_MS = 1000;

type Here = { readonly arrived: ArrivedLeg; listener: LegListener | undefined };
type Answer = Parameters<LegBroker['attach']>[2];

export function createIpcLegRegistry({
  tokens,
  clock,
  primary,
  bring,
}: IpcLegRegistryOptions): IpcLegRegistry {
  const here = new Map<string, Here>();
  const waiting = new Map<number, Answer>();
  let asked = 0;

  const refuse = (answer: Answer | undefined, error: AppError) => {
    answer?.onRefused(error);
    answer?.onDecided?.();
  };
  const give = (ask: number, key: string) => {
    const answer = waiting.get(ask);
    const place = here.get(key);
    waiting.delete(ask);
    // The session that wanted it may have ended meanwhile, or the call has.
    if (answer === undefined) return primary.tell('legReleased', key);
    if (place === undefined) return refuse(answer, goneError());
    place.listener = answer.onAttached(place.arrived.leg);
    answer.onDecided?.();
  };

  return {
    tokenFor: (userId, session) => tokens.tokenFor(userId, session),
    decides: 'later',
    attach(userId, wanted, answer) {
      const ask = ++asked;
      waiting.set(ask, answer);
      // A session that waits for the primary must not be kept from its own turns.
      clock.after(DECIDES_MS, () => waiting.get(ask)?.onDecided?.());
      primary.tell('legWanted', { ask, userId, wanted });
      return () => {
        if (waiting.delete(ask)) primary.tell('legUnwanted', ask);
      };
    },
    arrive(key, life, arrived) {
      const place: Here = { arrived, listener: undefined };
      here.set(key, place);
      if (life === 'new') {
        const { leg, userId, token } = arrived;
        const { id, kind, callId } = leg as CallLeg;
        primary.tell('legArrived', { key, id, kind, callId, userId, token });
      }
      return {
        listener: () => place.listener,
        release() {
          place.listener = undefined;
          primary.tell('legReleased', key);
        },
        leave(reason) {
          if (here.get(key) !== place) return;
          here.delete(key);
          primary.tell('legLeft', { key, reason });
          const { listener } = place;
          place.listener = undefined;
          listener?.onGone(reason);
        },
      };
    },
    turnAway({ callId, userId, token, error: { code, message } }) {
      primary.tell('legTurnedAway', { callId, userId, token, code, message });
    },
    movedAway: (key) => void here.delete(key),
    given({ ask, userId, key, holder }) {
      if (here.has(key) || !waiting.has(ask)) return give(ask, key);
      bring({ key, holder, userId }).then(
        () => give(ask, key),
        () => {
          primary.tell('legReleased', key);
          const answer = waiting.get(ask);
          waiting.delete(ask);
          refuse(answer, goneError());
        },
      );
    },
    awaited: (ask) => waiting.get(ask)?.onDecided?.(),
    refused({ ask, code, message }) {
      const answer = waiting.get(ask);
      waiting.delete(ask);
      refuse(answer, new AppError(code, message));
    },
    ended({ key, why }) {
      const arrived = here.get(key)?.arrived;
      if (why === 'unclaimed') arrived?.onUnclaimed();
      else arrived?.onForsaken();
    },
  };
}

const goneError = () => new AppError('leg_not_found', 'The leg has gone while it was attached.');
