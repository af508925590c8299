// How a session leaves an instance that stops. Its turns are heard to their end, and it is closed; or, where it has a journal, it
// goes on at another instance, at once while nothing is heard and after half of the time whatever is.

import type { Clock } from '../../base/clock.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { Session } from '../../session/session.ts';
import type { Resumption } from './resumption.ts';

type Leaver = {
  readonly session: Pick<Session, 'drain' | 'hold' | 'leg' | 'turnsUnheard'>;
  readonly resumption: Pick<Resumption, 'isJournaled' | 'release'> | undefined;
  state(): 'connected' | 'waiting' | 'over';
  say(event: ServerEvent): void;
  close(code: 'shutting_down'): void;
};

/** At the deadline all is closed, and a session is released before. */
const RELEASE_MS = 2000;

export class Departure {
  private readonly leaver: Leaver;
  private readonly clock: Clock;
  private phase: 'stays' | 'drains' | 'moves' = 'stays';
  private leaveAtMs = Number.POSITIVE_INFINITY;

  constructor(leaver: Leaver, clock: Clock) {
    this.leaver = leaver;
    this.clock = clock;
  }

  isLeaving(): boolean {
    return this.phase !== 'stays';
  }
  /** What its client says now it says again elsewhere. */
  isMoving(): boolean {
    return this.phase === 'moves';
  }
  begin(deadlineMs: number): void {
    const { session, resumption } = this.leaver;
    if (this.isLeaving()) return;
    if (this.leaver.state() === 'waiting' && session.leg() === undefined) return this.leave();
    this.phase = 'drains';
    const mayMove = this.mayMove();
    this.leaver.say({
      type: 'goaway',
      deadlineMs,
      ...(resumption === undefined ? {} : { resume: mayMove }),
    });
    if (!mayMove) session.drain();
    const nowMs = this.clock.now();
    // A session whose call is at an instance that stops leaves one that goes on: nobody else ends it.
    this.leaveAtMs = nowMs + (mayMove ? deadlineMs / 2 : deadlineMs);
    this.tend(nowMs);
  }
  /** About once a second. */
  tend(nowMs: number): void {
    if (this.phase !== 'drains') return;
    const isLate = nowMs >= this.leaveAtMs - (this.waits() ? RELEASE_MS : 0);
    if (isLate || this.leaver.session.turnsUnheard() === 0) this.leave();
  }
  /** Its connection is lost meanwhile. False: nobody can come back to it. */
  lost(): boolean {
    if (this.phase !== 'drains' || !this.isJournaled()) return false;
    this.leave();
    return true;
  }

  /** A call stays with its socket: a session that has one is heard out. */
  private mayMove(): boolean {
    return this.isJournaled() && this.leaver.session.leg() === undefined;
  }
  private isJournaled(): boolean {
    return this.leaver.resumption?.isJournaled() === true;
  }
  /** A client that is away may not know that its call ends here: its session goes on as if its instance had died. */
  private waits(): boolean {
    return this.isJournaled() && this.leaver.state() === 'waiting';
  }
  private leave(): void {
    const { session, resumption } = this.leaver;
    if (!this.mayMove() && !this.waits()) return this.leaver.close('shutting_down');
    this.phase = 'moves';
    session.hold();
    void resumption!.release().then(() => this.leaver.close('shutting_down'));
  }
}
