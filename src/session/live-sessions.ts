// The sessions of this instance, as those ask for them who are not part of one.

import type { Session } from './session.ts';

export type LiveSession = {
  readonly id: string;
  readonly userId: string;
  readonly openedAtMs: number;
  turnsUnheard(): number;
  bufferedBytes(): number;
  readonly session: Pick<Session, 'sound' | 'leg' | 'audience'>;
};

/** Those that are open now. */
export type LiveSessions = () => Iterable<LiveSession>;

/** Undefined for an id that is not one of this user's. */
export function findSession(sessions: LiveSessions, userId: string, id: string): LiveSession | undefined {
  for (const session of sessions()) if (session.id === id && session.userId === userId) return session;
  return undefined;
}
