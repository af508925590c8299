// The turns of one client in the order in which they were first named: one plays, a few are synthesised ahead,
// those that have been sent wait until they have been heard. `create-turn-line.ts` makes one.

import type { Clock } from '../../base/clock.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import type { SessionOutlet } from '../session-outlet.ts';
import type { LiveTurn } from './live-turn.ts';

export type TurnLine = {
  add(turn: LiveTurn): void;
  /** A turn that has not been heard to its end. */
  find(id: string): LiveTurn | undefined;
  /** Those that have not been heard to their end, in order. */
  all(): readonly LiveTurn[];
  /** The first that is being heard. */
  inTheEar(): LiveTurn | undefined;
  /** Turns that have not ended, in order. */
  unended(): readonly LiveTurn[];
  unheard(): number;
  /** Text has come for the turn. */
  touch(id: string): void;
  /** Something has happened to a turn: what is due now is sent now, and the clock looks again at its next tick. */
  wake(): void;
  /** Something may have changed: the clock looks at its next tick. */
  stir(): void;
  /** The turn in front has a frame to send at the next tick. */
  sendSoon(): void;
  /**
   * Cuts one turn, or all of them, the last one first, so that nothing moves up in between. `playedMs` speaks of
   * the turn that is being heard.
   */
  cancel(id: string | undefined, playedMs: number | undefined): void;
  bufferedBytes(): number;
  /** Of all turns, as `LiveTurn.textBytes`. */
  textBytes(when: 'now' | 'full'): number;
  close(): void;
};

/** What a session asks of its turns, whether they stand in one line or in several. */
export type SessionLine = Omit<TurnLine, 'add' | 'sendSoon'>;

export type TurnLineOptions = {
  readonly clock: Clock;
  readonly playout: Pick<PlayoutClock, 'join' | 'leave' | 'stir'>;
  readonly outlet: Pick<SessionOutlet, 'cork' | 'uncork'>;
  /** The turn has said `ended`. */
  readonly onEnded: (turn: LiveTurn) => void;
  /** The turn has been heard or cut; after `onEnded`. */
  readonly onFinished: (turn: LiveTurn) => void;
  /** Turns have been cut, and those behind them are not yet on their way. */
  readonly onCut: () => void;
  /** The turn broke while it was being heard, and is gone. */
  readonly onBroken: (turn: LiveTurn, fault: unknown) => void;
};
