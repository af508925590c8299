// Brings the legs and the sessions of all processes together, by means of the registry that a single process uses. Each
// leg is known by the process that owns its socket; another process may play to it.

import type { AttachTokens } from '../../access/attach-tokens.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import {
  createLocalLegRegistry,
  type LegPlace,
  type LocalLegRegistry,
} from '../../gateway/calls/local-leg-registry.ts';
import type { CallLeg } from '../../playout/call-leg.ts';
import type { LegAddress, PlayerNews, PlayerNumber, PrimaryNews } from '../messages.ts';

type Told = 'legGiven' | 'legAwaited' | 'legRefused' | 'legEnded';
export type TellLegs = <Name extends Told>(player: PlayerNumber, name: Name, news: PlayerNews[Name]) => void;
type From<Name extends keyof PrimaryNews> = (player: PlayerNumber, news: PrimaryNews[Name]) => void;

export type LegDirectory = {
  readonly arrived: From<'legArrived'>;
  readonly turnedAway: From<'legTurnedAway'>;
  readonly left: From<'legLeft'>;
  readonly released: From<'legReleased'>;
  readonly wanted: From<'legWanted'>;
  readonly unwanted: From<'legUnwanted'>;
  /** The process has died: its calls are gone, and what it played to is free again. */
  playerGone(player: PlayerNumber): void;
  readonly calls: LocalLegRegistry['calls'];
};

/** A leg as the registry knows it, and the process whose session has it. */
type KnownLeg = LegAddress & Pick<CallLeg, 'id' | 'kind' | 'callId'>;
type Attached = { readonly by: PlayerNumber; onGone(): void };

export function createLegDirectory(clock: Clock, tokens: AttachTokens, tell: TellLegs): LegDirectory {
  const registry = createLocalLegRegistry<KnownLeg, Attached>(clock, tokens);
  const places = new Map<string, LegPlace<Attached> & { readonly holder: PlayerNumber }>();
  const waiting = new Map<PlayerNumber, Map<number, () => void>>();

  const waitingOf = (player: PlayerNumber) => {
    const mine = waiting.get(player) ?? new Map<number, () => void>();
    waiting.set(player, mine);
    return mine;
  };
  const leave = (key: string, reason: string) => {
    const place = places.get(key);
    places.delete(key);
    place?.leave(reason);
  };

  return {
    arrived(holder, { key, id, kind, callId, userId, token }) {
      const ended = (why: 'unclaimed' | 'forsaken') => () => tell(holder, 'legEnded', { key, why });
      const place = registry.arrive({
        leg: { key, holder, id, kind, callId },
        userId,
        token,
        onUnclaimed: ended('unclaimed'),
        onForsaken: ended('forsaken'),
      });
      places.set(key, {
        holder,
        listener: () => place.listener(),
        release: () => place.release(),
        leave: (reason) => place.leave(reason),
      });
    },
    calls: () => registry.calls(),
    turnedAway: (_player, { code, message, ...leg }) =>
      registry.turnAway({ ...leg, error: new AppError(code, message) }),
    left: (_player, { key, reason }) => leave(key, reason),
    released(player, key) {
      const place = places.get(key);
      // A leg that another process plays to by now is not released by this one.
      if (place?.listener()?.by === player) place.release();
    },
    wanted(player, { ask, userId, wanted }) {
      const mine = waitingOf(player);
      let isAnswered = false;
      const answered = () => {
        isAnswered = true;
        mine.delete(ask);
      };
      const giveUp = registry.attach(userId, wanted, {
        onAttached({ key, holder }) {
          answered();
          tell(player, 'legGiven', { ask, userId, key, holder });
          return { by: player, onGone() {} };
        },
        onRefused({ code, message }) {
          answered();
          tell(player, 'legRefused', { ask, code, message });
        },
      });
      if (isAnswered) return;
      mine.set(ask, giveUp);
      tell(player, 'legAwaited', ask);
    },
    unwanted(player, ask) {
      const mine = waitingOf(player);
      mine.get(ask)?.();
      mine.delete(ask);
    },
    playerGone(player) {
      for (const giveUp of waiting.get(player)?.values() ?? []) giveUp();
      waiting.delete(player);
      for (const [key, place] of [...places]) {
        if (place.holder === player) leave(key, 'its process has died');
        else if (place.listener()?.by === player) place.release();
      }
    },
  };
}
