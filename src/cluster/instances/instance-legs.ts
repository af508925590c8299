// Legs and sessions of all instances, brought together: a call is wherever its socket is, and the session that names it may be
// at another instance. The instance with the socket decides who gets the call, so that at most one session has it; the
// directory only tells where to ask.

import { createHash } from 'node:crypto';
import { AppError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import {
  type ArrivedLeg,
  type LegPlace,
  type LocalLegRegistry,
  plainId,
} from '../../gateway/calls/local-leg-registry.ts';
import type { LegListener } from '../../playout/call-leg.ts';
import type { LegBroker, LegWanted } from '../../session/leg-broker.ts';
import type { MovingLegs } from '../legs/moving-legs.ts';
import type { LegAnswer } from '../private-listener.ts';
import type { Instance, InstanceDirectory } from './instance-directory.ts';

export type InstanceLegs = LegBroker &
  MovingLegs & {
    /** The socket of a leg of this instance is closed. */
    gone(key: string): void;
    /** Another instance asks for a leg by a name of the directory, for a session of this user. */
    take(name: string, userId: string, give: (key: string) => 'given' | 'gone'): Promise<LegAnswer>;
  };

export type InstanceLegsOptions = {
  readonly local: LocalLegRegistry;
  readonly directory: Pick<InstanceDirectory, 'find' | 'watch' | 'entered' | 'left'>;
  /** Has the call go on here under the key that is its name; rejects with `leg_taken` and `leg_not_found`. */
  readonly fetch: (from: Instance, name: string, userId: string) => Promise<void>;
  /** The call goes on where its socket is. */
  readonly sendHome: (name: string) => void;
  /** A call of this instance, by its key, is wanted: it comes home when the instance that plays to it stands still. */
  readonly askPlayer: (key: string) => void;
  readonly clock: Clock;
};

/** The session must not be kept from its turns while the directory does not answer. */
const DECIDES_MS = 1000;
/** A session of another instance that lets a call go is heard of here a moment later. */
const COMES_HOME_MS = 500;

/** What only its user can name; nothing that a call is known by stands in the directory. */
const nameOf = (...parts: readonly string[]) =>
  `leg:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
const idName = (userId: string, callId: string) => nameOf('id', userId, plainId(callId)!);
/** `userId` is empty for a call that belongs to the first user who names its token. */
const tokenName = (userId: string, token: string) => nameOf('token', userId, plainId(token)!);

const namesOf = (userId: string, { token, callSid }: LegWanted): readonly string[] => {
  if (token !== undefined) return [tokenName(userId, token), tokenName('', token)];
  return callSid === undefined ? [] : [idName(userId, callSid)];
};

type Held = {
  readonly names: readonly string[];
  /** Told by the session of another instance that had it, where nothing else tells. */
  userId: string | undefined;
  /** Undefined while the call is at another instance. */
  place: ReturnType<LocalLegRegistry['arrive']> | undefined;
  /** Called when it has come back, or is gone for good. */
  readonly whenHome: Set<() => void>;
};
type Guest = { readonly arrived: ArrivedLeg; listener: LegListener | undefined };

export function createInstanceLegs(options: InstanceLegsOptions): InstanceLegs {
  const { local, directory, fetch, sendHome, askPlayer, clock } = options;
  /** Legs whose sockets are here, by key. */
  const held = new Map<string, Held>();
  /** Legs of other instances that sessions of this one have, by name. */
  const guests = new Map<string, Guest>();

  const dismiss = (name: string) => {
    guests.delete(name);
    sendHome(name);
  };
  const arriveAsGuest = (name: string, arrived: ArrivedLeg): LegPlace => {
    const guest: Guest = { arrived, listener: undefined };
    guests.set(name, guest);
    return {
      listener: () => guest.listener,
      release() {
        guest.listener = undefined;
        if (guests.get(name) === guest) dismiss(name);
      },
      leave(reason) {
        if (guests.get(name) === guest) guests.delete(name);
        const { listener } = guest;
        guest.listener = undefined;
        listener?.onGone(reason);
      },
    };
  };

  const forget = (key: string) => {
    const leg = held.get(key);
    if (leg === undefined) return;
    held.delete(key);
    // Two calls may have one name: a token that was used twice, or an id whose call before is about to end.
    const others = new Set([...held.values()].flatMap(({ names }) => names));
    for (const name of leg.names) if (!others.has(name)) directory.left(name);
    for (const told of [...leg.whenHome]) told();
  };
  const comesHome = (leg: Held) =>
    new Promise<void>((resolve) => {
      const over = () => {
        disarm();
        leg.whenHome.delete(over);
        resolve();
      };
      const disarm = clock.after(COMES_HOME_MS, over);
      leg.whenHome.add(over);
    });

  return {
    tokenFor: local.tokenFor,
    decides: 'later',
    attach(userId, wanted, answer) {
      let state: 'open' | 'fetching' | 'over' = 'open';
      let refused: AppError | undefined;
      /** Names that have not been looked for yet. */
      let looking = 0;
      const ends: (() => void)[] = [];
      const over = () => {
        state = 'over';
        for (const end of ends.splice(0)) end();
      };
      const refuse = (error: AppError) => {
        over();
        answer.onRefused(error);
        answer.onDecided?.();
      };
      const giveUp = local.attach(userId, wanted, {
        onAttached(leg) {
          over();
          const listener = answer.onAttached(leg);
          answer.onDecided?.();
          return listener;
        },
        onRefused(error) {
          // It is on its way from another instance, which answers soon.
          if (state === 'fetching') refused = error;
          else refuse(error);
        },
      });
      if ((state as string) === 'over') return giveUp;
      ends.push(
        giveUp,
        clock.after(DECIDES_MS, () => answer.onDecided?.()),
      );

      const bring = async (from: Instance, name: string) => {
        state = 'fetching';
        try {
          await fetch(from, name, userId);
        } catch (thrown) {
          if ((state as string) === 'over') return;
          const error = toAppError(thrown);
          if (error.code === 'leg_taken' || refused !== undefined) return refuse(refused ?? error);
          state = 'open'; // it may yet come
          return answer.onDecided?.();
        }
        const guest = guests.get(name);
        if ((state as string) === 'over') return dismiss(name);
        if (guest === undefined) return refuse(new AppError('leg_not_found', 'The leg has gone.'));
        over();
        guest.listener = answer.onAttached(guest.arrived.leg);
        answer.onDecided?.();
      };
      const look = async (name: string) => {
        // While the directory cannot be asked, calls of this instance are found all the same.
        const from = await directory.find(name).catch(() => undefined);
        if (state !== 'open') return;
        if (from !== undefined) return bring(from, name);
        looking -= 1;
        if (looking <= 0 && away() === undefined) answer.onDecided?.();
      };
      const names = namesOf(userId, wanted);
      looking = names.length;
      // Its socket is here, and a session of another instance has it; should that one let it go, it is given above.
      const away = () =>
        [...held].find(([, leg]) => leg.place === undefined && leg.names.some((one) => names.includes(one)));
      const [awayKey] = away() ?? [];
      if (awayKey !== undefined) {
        askPlayer(awayKey);
        ends.push(
          clock.after(COMES_HOME_MS, () => {
            if (away() !== undefined) refuse(new AppError('leg_taken', 'Another session has this leg.'));
          }),
        );
      }
      for (const name of names) ends.push(directory.watch(name, () => void look(name)));
      return over;
    },

    arrive(key, life, arrived) {
      if (life === 'goes-on' && !held.has(key)) return arriveAsGuest(key, arrived);
      const before = held.get(key);
      const userId = arrived.userId ?? before?.userId;
      const { callId } = arrived.leg;
      const { token } = arrived;
      const leg: Held = before ?? {
        names: [
          ...(callId === undefined || userId === undefined ? [] : [idName(userId, callId)]),
          ...(token === undefined ? [] : [tokenName(userId ?? '', token)]),
        ],
        userId,
        place: undefined,
        whenHome: new Set(),
      };
      held.set(key, leg);
      const place = local.arrive({ ...arrived, userId });
      leg.place = place;
      for (const told of [...leg.whenHome]) told();
      for (const name of leg.names) directory.entered(name);
      return {
        ...place,
        leave(reason) {
          if (held.get(key) === leg) forget(key);
          place.leave(reason);
        },
      };
    },
    turnAway: local.turnAway,
    movedAway(key) {
      const leg = held.get(key);
      if (leg === undefined) return;
      leg.userId ??= leg.place?.owner();
      leg.place?.leave('the call goes on at another instance');
      leg.place = undefined;
    },
    gone: forget,
    async take(name, userId, give) {
      const mine = () =>
        [...held].filter(
          ([, { names, place, userId: known }]) =>
            names.includes(name) && [undefined, userId].includes(place?.owner() ?? known),
        );
      const free = () =>
        mine().find(([, { place }]) => place !== undefined && place.listener() === undefined);
      const away = mine().find(([, { place }]) => place === undefined);
      if (free() === undefined && away !== undefined) {
        askPlayer(away[0]);
        await comesHome(away[1]);
      }
      const found = free();
      if (found === undefined) return mine().length === 0 ? 'gone' : 'taken';
      const [key, leg] = found;
      const given = give(key);
      if (given === 'given') leg.userId = userId;
      return given;
    },
  };
}
