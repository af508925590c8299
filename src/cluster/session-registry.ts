// All open sessions of the gateway, whichever process plays them: how many there may be, whose they are, and where.

import { AppError } from '../base/app-error.ts';
import { checkRoom, type RoomLimits } from '../gateway/sockets/admit-upgrade.ts';
import type { PlayerNumber } from './messages.ts';

export type SessionRegistry = {
  /** Throws `connection_limit` or `busy` when there is no room. */
  enter(session: { readonly id: string; readonly userId: string }, player: PlayerNumber): void;
  leave(id: string): void;
  /** The process has died, and its sessions with it. */
  playerGone(player: PlayerNumber): void;
  /** Which process has it. */
  find(id: string): PlayerNumber | undefined;
  readonly has: (userId: string, id: string) => boolean;
};

export function createSessionRegistry(limits: RoomLimits): SessionRegistry {
  const sessions = new Map<string, { readonly userId: string; readonly player: PlayerNumber }>();
  const perUser = new Map<string, number>();

  const leave = (id: string) => {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    const left = (perUser.get(session.userId) ?? 1) - 1;
    if (left > 0) perUser.set(session.userId, left);
    else perUser.delete(session.userId);
  };

  return {
    enter({ id, userId }, player) {
      if (sessions.has(id)) throw new AppError('internal', 'A session of this id is open.');
      checkRoom(userId, limits, {
        connections: sessions.size,
        connectionsOf: (user) => perUser.get(user) ?? 0,
        refusal: () => undefined, // the process that it has met has asked itself
      });
      sessions.set(id, { userId, player });
      perUser.set(userId, (perUser.get(userId) ?? 0) + 1);
    },
    leave,
    playerGone(player) {
      for (const [id, session] of [...sessions]) if (session.player === player) leave(id);
    },
    find: (id) => sessions.get(id)?.player,
    has: (userId, id) => sessions.get(id)?.userId === userId,
  };
}
