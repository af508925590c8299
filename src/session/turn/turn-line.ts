// The turns of one client in the order in which they were first named: one plays, a few are synthesised ahead,
// those that have been sent wait until they have been heard. The line is the clock's player for its client: it sleeps until
// time alone gives it something to do, and whatever happens to a turn marks it due.

import type { Clock } from '../../base/clock.ts';
import type { Player, PlayoutClock } from '../../playout/playout-clock.ts';
import type { SessionOutlet } from '../session-outlet.ts';
import { isEnded, type LiveTurn } from './live-turn.ts';
import { TextPatience } from './text-patience.ts';

/** What a session asks of its turns, whether they stand in one line or in several. */
export type SessionLine = Omit<
  TurnLine,
  'add' | 'markFrontDue' | 'runSoon' | 'hold' | 'goOn' | 'chargedBytes'
>;

export type TurnLineOptions = {
  readonly clock: Clock;
  readonly playout: Pick<PlayoutClock, 'join' | 'leave' | 'markDue'>;
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

/** Turns that are synthesised at the same time, the playing one included. */
const SYNTHESISED_AHEAD = 3;

type Entry = {
  readonly turn: LiveTurn;
  readonly patience: TextPatience;
  known: 'unended' | 'ended';
};

/** One object, read for each frame, with its times inside. */
export class TurnLine implements Player {
  private readonly options: TurnLineOptions;
  private readonly entries = new Map<string, Entry>();
  /** When the listener will have heard all that has been sent. */
  private freeMs = Number.NEGATIVE_INFINITY;
  /** When there is more to do than to send what is due of the turn in front. */
  private lookMs = Number.NEGATIVE_INFINITY;
  private nextMs = Number.NEGATIVE_INFINITY;
  private phase: 'open' | 'busy' | 'closed' = 'open';
  /** Nobody is connected who could hear it: nothing is sent, and no turn's time goes on. */
  private isHeld = false;
  /** The first turn that has not ended, as of the last time when the line advanced. */
  private front: LiveTurn | undefined;

  constructor(options: TurnLineOptions) {
    this.options = options;
  }

  /** Something has happened to a turn: what is due now is sent now, and the clock looks again at its next tick. */
  runNow(): void {
    this.markDirty();
    this.once('advance', this.options.clock.now());
  }
  /** The same, when the task that runs now has ended: for what is called from inside a decoder or a request. */
  runSoon(): void {
    this.lookMs = Number.NEGATIVE_INFINITY;
    this.markFrontDue('now');
  }
  /** The turn in front has a frame to send, at the next tick unless it is said otherwise. */
  markFrontDue(when: 'tick' | 'now' = 'tick'): void {
    this.nextMs = Number.NEGATIVE_INFINITY;
    this.options.playout.markDue(this, when);
  }
  /** Something may have changed: the clock looks at its next tick. */
  markDirty(): void {
    this.lookMs = Number.NEGATIVE_INFINITY;
    this.markFrontDue();
  }

  /** The listener has gone and may come back: all stands still until `goOn`. */
  hold(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    const nowMs = this.options.clock.now();
    for (const { turn } of this.entries.values()) turn.hold(nowMs);
  }
  /**
   * The listener is back and has still to hear `missedMs` of what was sent, which it gets now. It played on what it had
   * received, and has heard nothing since that came to its end.
   */
  goOn(missedMs: number): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    const nowMs = this.options.clock.now();
    const stalledMs = Number.isFinite(this.freeMs) ? Math.max(0, nowMs + missedMs - this.freeMs) : 0;
    this.freeMs += stalledMs;
    for (const { turn, patience } of this.entries.values()) {
      turn.goOn(nowMs, stalledMs);
      patience.touch(nowMs);
    }
    this.runNow();
  }
  add(turn: LiveTurn): void {
    const patience = new TextPatience(turn.script, this.options.clock.now());
    this.entries.set(turn.id, { turn, patience, known: 'unended' });
    this.options.playout.join(this);
    this.runNow();
  }
  /** A turn that has not been heard to its end. */
  find(id: string): LiveTurn | undefined {
    return this.entries.get(id)?.turn;
  }
  /** Those that have not been heard to their end, in order. */
  all(): readonly LiveTurn[] {
    return this.turns();
  }
  /** The first that is being heard. */
  audible(): LiveTurn | undefined {
    for (const { turn } of this.entries.values()) if (turn.heardUntilMs() !== undefined) return turn;
    return undefined;
  }
  /** Turns that have not ended, in order. */
  unended(): readonly LiveTurn[] {
    return this.turns().filter((turn) => !isEnded(turn));
  }
  unheard(): number {
    return this.entries.size;
  }
  /** Text has come for the turn. */
  touch(id: string): void {
    this.entries.get(id)?.patience.touch(this.options.clock.now());
  }
  /**
   * Cuts one turn, or all of them, the last one first, so that nothing moves up in between. `playedMs` speaks of
   * the turn that is being heard.
   */
  cancel(id: string | undefined, playedMs: number | undefined): void {
    const chosen = this.turns().filter((turn) => id === undefined || turn.id === id);
    const audible = audibleOf(chosen, this.options.clock.now());
    for (const turn of [...chosen].reverse()) this.cut(turn, turn === audible ? playedMs : undefined);
    this.options.onCut();
    this.runNow();
  }
  bufferedBytes(): number {
    return this.turns().reduce((sum, turn) => sum + turn.bufferedBytes(), 0);
  }
  chargedBytes(): number {
    return this.turns().reduce((sum, turn) => sum + turn.chargedBytes(), 0);
  }
  /** Of all turns, as `LiveTurn.textBytes`. */
  textBytes(when: 'now' | 'full'): number {
    return this.turns().reduce((sum, turn) => sum + turn.textBytes(when), 0);
  }
  close(): void {
    this.phase = 'closed';
    this.options.playout.leave(this);
    for (const turn of this.turns()) turn.abandon('left');
    this.entries.clear();
  }

  dueMs(): number {
    return this.nextMs;
  }
  sendDue(nowMs: number): void {
    this.nextMs = Number.POSITIVE_INFINITY; // but for what happens meanwhile
    if (this.isHeld) return;
    if (nowMs < this.lookMs) this.once('send', nowMs);
    if (nowMs >= this.lookMs) {
      this.lookMs = Number.POSITIVE_INFINITY;
      this.once('advance', nowMs);
      this.tendText(nowMs);
      this.lookMs = Math.min(this.lookMs, this.nextLookMs(nowMs));
    }
    const nextSendMs = this.front?.nextSendMs(nowMs) ?? Number.POSITIVE_INFINITY;
    this.nextMs = Math.min(this.nextMs, this.lookMs, nextSendMs);
  }
  wantsRefill(): boolean {
    for (const { turn } of this.entries.values()) if (turn.wantsRefill()) return true;
    return false;
  }
  refill(): void {
    for (const { turn } of this.entries.values()) if (turn.wantsRefill()) turn.refill();
  }

  private turns(): LiveTurn[] {
    return [...this.entries.values()].map((entry) => entry.turn);
  }
  /** Unless it is being done: sending a frame may make its own turn ready again. All of it leaves together. */
  private once(task: 'send' | 'advance', nowMs: number): void {
    if (this.phase !== 'open' || this.isHeld) return;
    this.phase = 'busy';
    this.options.outlet.cork();
    try {
      if (task === 'send') this.sendOn(nowMs);
      else this.advance(nowMs);
    } finally {
      this.options.outlet.uncork();
      this.reopen();
    }
  }
  private reopen(): void {
    if (this.phase === 'busy') this.phase = 'open';
  }
  private advance(nowMs: number): void {
    this.front = undefined;
    for (const { turn } of this.entries.values()) {
      if (isEnded(turn)) continue;
      this.send(turn, nowMs);
      if (isEnded(turn)) continue;
      this.front = turn;
      break;
    }
    this.settle(nowMs);
    this.beginNext();
  }
  /** The next frame of the turn in front: what nearly every call is for. */
  private sendOn(nowMs: number): void {
    const { front } = this;
    if (front === undefined) return;
    const before = front.phase();
    this.send(front, nowMs);
    if (front.phase() !== before) this.lookMs = Number.NEGATIVE_INFINITY;
  }
  private send(turn: LiveTurn, nowMs: number): void {
    try {
      turn.sendDue(nowMs, this.freeMs);
    } catch (fault) {
      turn.fail(fault);
    }
    this.freeMs = turn.heardUntilMs() ?? this.freeMs;
  }
  private settle(nowMs: number): void {
    for (const entry of this.entries.values()) {
      this.settleTurn(entry, nowMs);
      if (entry.known === 'unended' && isEnded(entry.turn)) {
        entry.known = 'ended';
        this.options.onEnded(entry.turn);
      }
      if (entry.turn.phase() === 'finished') {
        this.entries.delete(entry.turn.id);
        this.options.onFinished(entry.turn);
      }
    }
    if (this.entries.size === 0) this.options.playout.leave(this);
  }
  /** A turn that cannot even be settled leaves the line, so that its neighbours go on and the session can end. */
  private settleTurn({ turn }: Entry, nowMs: number): void {
    try {
      turn.settle(nowMs);
    } catch (fault) {
      turn.abandon('failed');
      this.entries.delete(turn.id);
      this.front = undefined;
      this.markDirty();
      this.options.onBroken(turn, fault);
    }
  }
  private beginNext(): void {
    let ahead = 0;
    for (const { turn } of this.entries.values()) {
      if (isEnded(turn)) continue;
      turn.begin();
      ahead += 1;
      if (ahead === SYNTHESISED_AHEAD) return;
    }
  }
  private tendText(nowMs: number): void {
    for (const { turn, patience } of this.entries.values()) {
      if (isEnded(turn)) continue;
      try {
        turn.script.stretch().requests.recheck();
        if (!turn.isPaused()) patience.tend(nowMs);
      } catch (fault) {
        turn.fail(fault);
      }
    }
  }
  /** When time alone gives a turn something to do beyond sending; too early does no harm, too late would. */
  private nextLookMs(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { turn, patience } of this.entries.values()) {
      nextMs = Math.min(nextMs, turn.nextSettleMs(nowMs));
      if (isEnded(turn)) continue;
      const textMs = turn.isPaused() ? Number.POSITIVE_INFINITY : patience.dueMs();
      nextMs = Math.min(nextMs, textMs, turn.nextRequestMs(nowMs));
    }
    return nextMs;
  }
  /** Audio that the listener drops with `turn` is time that later turns gain. */
  private cut(turn: LiveTurn, playedMs: number | undefined): void {
    const nowMs = this.options.clock.now();
    const droppedMs = turn.unheardMs(nowMs);
    turn.cancel(playedMs);
    const all = this.turns();
    for (const later of all.slice(all.indexOf(turn) + 1)) {
      if (later.heardUntilMs() !== undefined) later.pullForward(droppedMs);
    }
    this.freeMs = Math.max(nowMs, this.freeMs - droppedMs);
  }
}

/** The one that `playedMs` speaks of: another may have been heard, and wait for its last report. */
function audibleOf(chosen: readonly LiveTurn[], nowMs: number): LiveTurn | undefined {
  const begun = chosen.filter((turn) => turn.isBegun());
  return begun.find((turn) => (turn.heardUntilMs() ?? nowMs) > nowMs) ?? begun.at(-1);
}
