// The turns of one client in the order in which they were first named: one plays, a few are synthesised ahead,
// those that have been sent wait until they have been heard. The line is the clock's player for its client.

import type { Clock } from '../base/clock.ts';
import type { Player, PlayoutClock } from '../playout/playout-clock.ts';
import type { LiveTurn } from './live-turn.ts';

export type TurnLine = {
  add(turn: LiveTurn): void;
  /** A turn that has not been heard to its end. */
  find(id: string): LiveTurn | undefined;
  /** Turns that have not ended, in order. */
  unended(): readonly LiveTurn[];
  readonly unheard: number;
  /** Text has come for the turn. */
  touch(id: string): void;
  /** Sends what is due now instead of at the next tick. */
  readonly advance: () => void;
  /**
   * Cuts one turn, or all of them, the last one first, so that nothing moves up in between. `playedMs` speaks of
   * the turn that is being heard.
   */
  cancel(id: string | undefined, playedMs: number | undefined): void;
  readonly bufferedBytes: number;
  readonly close: () => void;
};

/** Turns that are synthesised at the same time, the playing one included. */
const SYNTHESISED_AHEAD = 3;
/** No text for so long: what is complete enough is spoken; after the second, the turn is taken to have ended. */
const IDLE_TEXT_MS = 1000;
const ABANDONED_TEXT_MS = 20_000;

export const isEnded = (turn: LiveTurn): boolean => turn.phase === 'draining' || turn.phase === 'finished';

type Entry = {
  readonly turn: LiveTurn;
  lastTextMs: number;
  text: 'flowing' | 'idle';
  known: 'unended' | 'ended';
};

export type TurnLineOptions = {
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  /** The turn has said `ended`. */
  readonly onEnded: (turn: LiveTurn) => void;
  /** The turn has been heard or cut; after `onEnded`. */
  readonly onFinished: (turn: LiveTurn) => void;
  /** The turn broke while it was being heard, and is gone. */
  readonly onBroken: (turn: LiveTurn, fault: unknown) => void;
};

export function createTurnLine({ clock, playout, onEnded, onFinished, onBroken }: TurnLineOptions): TurnLine {
  const entries = new Map<string, Entry>();
  /** When the listener will have heard all that has been sent to him. */
  let freeAtMs = 0;
  let phase: 'open' | 'advancing' | 'closed' = 'open';

  const turns = () => [...entries.values()].map((entry) => entry.turn);
  const unended = () => turns().filter((turn) => !isEnded(turn));

  const advance = (nowMs: number) => {
    if (phase !== 'open') return; // sending a frame may make its own turn ready again
    phase = 'advancing';
    try {
      // In place: this runs for every listener at every tick and for every frame that is made.
      for (const { turn } of entries.values()) {
        if (isEnded(turn)) continue;
        try {
          turn.sendDue(nowMs, freeAtMs);
        } catch (fault) {
          turn.fail(fault);
        }
        freeAtMs = turn.heardUntilMs ?? freeAtMs;
        if (!isEnded(turn)) break;
      }
      settle(nowMs);
      beginNext();
    } finally {
      if (phase === 'advancing') phase = 'open';
    }
  };
  const settle = (nowMs: number) => {
    for (const entry of entries.values()) {
      settleTurn(entry, nowMs);
      if (entry.known === 'unended' && isEnded(entry.turn)) {
        entry.known = 'ended';
        onEnded(entry.turn);
      }
      if (entry.turn.phase === 'finished') {
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
        tend(entry, nowMs);
      } catch (fault) {
        entry.turn.fail(fault);
      }
    }
  };
  const tend = (entry: Entry, nowMs: number) => {
    const { script } = entry.turn;
    script.requests.poke();
    if (script.input === 'ended') return;
    const quietMs = nowMs - entry.lastTextMs;
    if (quietMs >= ABANDONED_TEXT_MS) script.end();
    else if (quietMs >= IDLE_TEXT_MS && entry.text === 'flowing') {
      entry.text = 'idle';
      script.idle();
    }
  };
  const player: Player = {
    sendDue(nowMs) {
      advance(nowMs);
      tendText(nowMs);
    },
    get wantsRefill() {
      for (const { turn } of entries.values()) if (turn.wantsRefill) return true;
      return false;
    },
    refill() {
      for (const { turn } of entries.values()) if (turn.wantsRefill) turn.refill();
    },
  };

  /** Audio that the listener drops with `turn` is time that later turns gain. */
  const cut = (turn: LiveTurn, playedMs: number | undefined) => {
    const nowMs = clock.now();
    const droppedMs = turn.unheardMs(nowMs);
    turn.cancel(playedMs);
    const all = turns();
    for (const later of all.slice(all.indexOf(turn) + 1)) {
      if (later.heardUntilMs !== undefined) later.pullForward(droppedMs);
    }
    freeAtMs = Math.max(nowMs, freeAtMs - droppedMs);
  };

  return {
    add(turn) {
      entries.set(turn.id, { turn, lastTextMs: clock.now(), text: 'flowing', known: 'unended' });
      playout.join(player);
      advance(clock.now());
    },
    find: (id) => entries.get(id)?.turn,
    unended,
    get unheard() {
      return entries.size;
    },
    touch(id) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entry.lastTextMs = clock.now();
      entry.text = 'flowing';
    },
    advance: () => advance(clock.now()),
    cancel(id, playedMs) {
      const chosen = turns().filter((turn) => id === undefined || turn.id === id);
      const inTheEar = chosen.find((turn) => turn.heardUntilMs !== undefined);
      for (const turn of [...chosen].reverse()) cut(turn, turn === inTheEar ? playedMs : undefined);
      advance(clock.now());
    },
    get bufferedBytes() {
      return turns().reduce((sum, turn) => sum + turn.bufferedBytes, 0);
    },
    close() {
      phase = 'closed';
      playout.leave(player);
      for (const turn of turns()) turn.abandon();
      entries.clear();
    },
  };
}
