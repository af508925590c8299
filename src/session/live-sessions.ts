// The sessions of this instance, as those ask for them who are not part of one.

import type { Outcome } from '../dialects/native-events.ts';
import type { Session } from './session.ts';

/** How many turns of a session have ended, by how. */
export type TurnTally = Readonly<Record<Outcome, number>>;

export type LiveSession = {
  readonly id: string;
  readonly userId: string;
  /** The wire protocol that its client speaks. */
  readonly dialect: string;
  readonly openedAtMs: number;
  readonly turnsEnded: TurnTally;
  turnsUnheard(): number;
  bufferedBytes(): number;
  readonly session: Pick<Session, 'sound' | 'leg' | 'audience'>;
  /** As an operator wants it: turns are told for what was heard of them, and the client is told why. */
  end(): void;
};

/** A telephony leg that is there, whether a session has it or not. */
export type LiveCall = {
  /** Of the leg. */
  readonly id: string;
  readonly kind: string;
  /** The platform's own id of the call. */
  readonly callSid?: string;
  /** Absent until a session has named it. */
  readonly tenant?: string;
  readonly ageMs: number;
};

/** Those that are open now. */
export type LiveSessions = () => Iterable<LiveSession>;

/** Undefined for an id that is not one of this user's. */
export function findSession(sessions: LiveSessions, userId: string, id: string): LiveSession | undefined {
  for (const session of sessions()) if (session.id === id && session.userId === userId) return session;
  return undefined;
}

/** False when there is no such session, whoever's it would be. */
export function endSession(sessions: LiveSessions, id: string): boolean {
  for (const session of sessions()) {
    if (session.id !== id) continue;
    session.end();
    return true;
  }
  return false;
}
