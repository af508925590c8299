// The turns of one client in the order in which they were first named: one plays, a few are synthesised ahead,
// those that have been sent wait until they have been heard. The line is the clock's player for its client: it sleeps
// until time alone gives it something to do, and whatever happens to a turn makes it due.

import type { Clock } from '../base/clock.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { LiveTurn } from './live-turn.ts';
import type { SessionOutlet } from './session-outlet.ts';
import { createTextPatience, type TextPatience } from './text-patience.ts';

export type TurnLine = {
  add(turn: LiveTurn): void;
  /** A turn that has not been heard to its end. */
  find(id: string): LiveTurn | undefined;
  /** Turns that have not ended, in order. */
  unended(): readonly LiveTurn[];
  unheard(): number;
  /** Text has come for the turn. */
  touch(id: string): void;
  /** Something has happened to a turn: what is due now is sent now, and the clock looks again at its next tick. */
  readonly wake: () => void;
  /** Something may have changed: the clock looks at its next tick. */
  readonly stir: () => void;
  /** The turn in front has a frame to send at the next tick. */
  readonly sendSoon: () => void;
  /**
   * Cuts one turn, or all of them, the last one first, so that nothing moves up in between. `playedMs` speaks of
   * the turn that is being heard.
   */
  cancel(id: string | undefined, playedMs: number | undefined): void;
  bufferedBytes(): number;
  readonly close: () => void;
};

/** Turns that are synthesised at the same time, the playing one included. */
const SYNTHESISED_AHEAD = 3;

export const isEnded = (turn: LiveTurn): boolean =>
  turn.phase() === 'draining' || turn.phase() === 'finished';

type Entry = {
  readonly turn: LiveTurn;
  readonly patience: TextPatience;
  known: 'unended' | 'ended';
};

export type TurnLineOptions = {
  readonly clock: Clock;
  readonly playout: PlayoutClock;
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

export function createTurnLine(options: TurnLineOptions): TurnLine {
  const { clock, playout, outlet, onEnded, onFinished, onCut, onBroken } = options;
  const entries = new Map<string, Entry>();
  /** Fields, and not variables: a variable that changes holds a new number of the heap each time, which must be collected. */
  const at = {
    /** When the listener will have heard all that has been sent to him. */
    freeMs: Number.NEGATIVE_INFINITY,
    /** When there is more to do than to send what is due of the turn in front. */
    lookMs: Number.NEGATIVE_INFINITY,
    dueMs: Number.NEGATIVE_INFINITY,
  };
  let phase: 'open' | 'busy' | 'closed' = 'open';
  /** The first turn that has not ended, as of the last time when the line advanced. */
  let front: LiveTurn | undefined;

  const turns = () => [...entries.values()].map((entry) => entry.turn);
  const unended = () => turns().filter((turn) => !isEnded(turn));

  /** Does `task` unless it is being done: sending a frame may make its own turn ready again. All of it leaves together. */
  const once = (task: (nowMs: number) => void, nowMs: number) => {
    if (phase !== 'open') return;
    phase = 'busy';
    outlet.cork();
    try {
      task(nowMs);
    } finally {
      outlet.uncork();
      if (phase === 'busy') phase = 'open';
    }
  };
  const advance = (nowMs: number) => {
    front = undefined;
    for (const { turn } of entries.values()) {
      if (isEnded(turn)) continue;
      send(turn, nowMs);
      if (isEnded(turn)) continue;
      front = turn;
      break;
    }
    settle(nowMs);
    beginNext();
  };
  /** The next frame of the turn in front: what nearly every call is for. */
  const sendOn = (nowMs: number) => {
    if (front === undefined) return;
    const before = front.phase();
    send(front, nowMs);
    if (front.phase() !== before) at.lookMs = Number.NEGATIVE_INFINITY;
  };
  const send = (turn: LiveTurn, nowMs: number) => {
    try {
      turn.sendDue(nowMs, at.freeMs);
    } catch (fault) {
      turn.fail(fault);
    }
    at.freeMs = turn.heardUntilMs() ?? at.freeMs;
  };
  const settle = (nowMs: number) => {
    for (const entry of entries.values()) {
      settleTurn(entry, nowMs);
      if (entry.known === 'unended' && isEnded(entry.turn)) {
        entry.known = 'ended';
        onEnded(entry.turn);
      }
      if (entry.turn.phase() === 'finished') {
        entries.delete(entry.turn.id);
        onFinished(entry.turn);
      }
    }
    if (entries.size === 0) playout.leave(player);
  };
  /** A turn that cannot even be settled leaves the line, so that its neighbours go on and the session can end. */
  const settleTurn = ({ turn }: Entry, nowMs: number) => {
    try {
      turn.settle(nowMs);
    } catch (fault) {
      turn.abandon();
      entries.delete(turn.id);
      front = undefined;
      stir();
      onBroken(turn, fault);
    }
  };
  const beginNext = () => {
    let ahead = 0;
    for (const { turn } of entries.values()) {
      if (isEnded(turn)) continue;
      turn.begin();
      ahead += 1;
      if (ahead === SYNTHESISED_AHEAD) return;
    }
  };
  const tendText = (nowMs: number) => {
    for (const entry of entries.values()) {
      if (isEnded(entry.turn)) continue;
      try {
        entry.turn.script.stretch().requests.poke();
        if (!entry.turn.isStill()) entry.patience.tend(nowMs);
      } catch (fault) {
        entry.turn.fail(fault);
      }
    }
  };
  /** When time alone gives a turn something to do beyond sending; too early does no harm, too late would. */
  const nextLookMs = (nowMs: number): number => {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { turn, patience } of entries.values()) {
      nextMs = Math.min(nextMs, turn.nextSettleMs(nowMs));
      if (isEnded(turn)) continue;
      const textMs = turn.isStill() ? Number.POSITIVE_INFINITY : patience.dueMs();
      nextMs = Math.min(nextMs, textMs, turn.nextRequestMs(nowMs));
    }
    return nextMs;
  };

  const player = {
    dueMs: () => at.dueMs,
    sendDue(nowMs: number) {
      at.dueMs = Number.POSITIVE_INFINITY; // but for what happens meanwhile
      if (nowMs < at.lookMs) once(sendOn, nowMs);
      if (nowMs >= at.lookMs) {
        at.lookMs = Number.POSITIVE_INFINITY;
        once(advance, nowMs);
        tendText(nowMs);
        at.lookMs = Math.min(at.lookMs, nextLookMs(nowMs));
      }
      const nextSendMs = front?.nextSendMs(nowMs) ?? Number.POSITIVE_INFINITY;
      at.dueMs = Math.min(at.dueMs, at.lookMs, nextSendMs);
    },
    wantsRefill() {
      for (const { turn } of entries.values()) if (turn.wantsRefill()) return true;
      return false;
    },
    refill() {
      for (const { turn } of entries.values()) if (turn.wantsRefill()) turn.refill();
    },
  };

  const sendSoon = () => {
    at.dueMs = Number.NEGATIVE_INFINITY;
    playout.stir(player);
  };
  /** The next tick is to look at everything. */
  const stir = () => {
    at.lookMs = Number.NEGATIVE_INFINITY;
    sendSoon();
  };
  const wake = () => {
    stir();
    once(advance, clock.now());
  };

  /** Audio that the listener drops with `turn` is time that later turns gain. */
  const cut = (turn: LiveTurn, playedMs: number | undefined) => {
    const nowMs = clock.now();
    const droppedMs = turn.unheardMs(nowMs);
    turn.cancel(playedMs);
    const all = turns();
    for (const later of all.slice(all.indexOf(turn) + 1)) {
      if (later.heardUntilMs() !== undefined) later.pullForward(droppedMs);
    }
    at.freeMs = Math.max(nowMs, at.freeMs - droppedMs);
  };

  /** The one that `playedMs` speaks of: another may have been heard, and wait for its last report. */
  const inTheEarOf = (chosen: readonly LiveTurn[]): LiveTurn | undefined => {
    const nowMs = clock.now();
    const started = chosen.filter((turn) => turn.heardUntilMs() !== undefined);
    return started.find((turn) => turn.heardUntilMs()! > nowMs) ?? started.at(-1);
  };

  return {
    add(turn) {
      entries.set(turn.id, {
        turn,
        patience: createTextPatience(turn.script, clock.now()),
        known: 'unended',
      });
      playout.join(player);
      wake();
    },
    find: (id) => entries.get(id)?.turn,
    unended,
    unheard: () => entries.size,
    touch(id) {
      entries.get(id)?.patience.touch(clock.now());
    },
    wake,
    stir,
    sendSoon,
    cancel(id, playedMs) {
      const chosen = turns().filter((turn) => id === undefined || turn.id === id);
      const inTheEar = inTheEarOf(chosen);
      for (const turn of [...chosen].reverse()) cut(turn, turn === inTheEar ? playedMs : undefined);
      onCut();
      wake();
    },
    bufferedBytes: () => turns().reduce((sum, turn) => sum + turn.bufferedBytes(), 0),
    close() {
      phase = 'closed';
      playout.leave(player);
      for (const turn of turns()) turn.abandon();
      entries.clear();
    },
  };
}
