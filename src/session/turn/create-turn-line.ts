// What turn-line.ts promises. The line is the clock's player for its client: it sleeps until time alone gives it something
// to do, and whatever happens to a turn makes it due.

import type { Player } from '../../playout/playout-clock.ts';
import { isEnded, type LiveTurn } from './live-turn.ts';
import { createTextPatience, type TextPatience } from './text-patience.ts';
import type { TurnLine, TurnLineOptions } from './turn-line.ts';

/** Turns that are synthesised at the same time, the playing one included. */
const SYNTHESISED_AHEAD = 3;

type Entry = {
  readonly turn: LiveTurn;
  readonly patience: TextPatience;
  known: 'unended' | 'ended';
};

/** One object, read for each frame, with its times inside. */
class PlayedLine implements TurnLine, Player {
  private readonly options: TurnLineOptions;
  private readonly entries = new Map<string, Entry>();
  /** When the listener will have heard all that has been sent. */
  private freeMs = Number.NEGATIVE_INFINITY;
  /** When there is more to do than to send what is due of the turn in front. */
  private lookMs = Number.NEGATIVE_INFINITY;
  private nextMs = Number.NEGATIVE_INFINITY;
  private phase: 'open' | 'busy' | 'closed' = 'open';
  /** The first turn that has not ended, as of the last time when the line advanced. */
  private front: LiveTurn | undefined;

  constructor(options: TurnLineOptions) {
    this.options = options;
  }

  wake(): void {
    this.stir();
    this.once('advance', this.options.clock.now());
  }
  sendSoon(): void {
    this.nextMs = Number.NEGATIVE_INFINITY;
    this.options.playout.stir(this);
  }
  stir(): void {
    this.lookMs = Number.NEGATIVE_INFINITY;
    this.sendSoon();
  }

  add(turn: LiveTurn): void {
    const patience = createTextPatience(turn.script, this.options.clock.now());
    this.entries.set(turn.id, { turn, patience, known: 'unended' });
    this.options.playout.join(this);
    this.wake();
  }
  find(id: string): LiveTurn | undefined {
    return this.entries.get(id)?.turn;
  }
  all(): readonly LiveTurn[] {
    return this.turns();
  }
  inTheEar(): LiveTurn | undefined {
    for (const { turn } of this.entries.values()) if (turn.heardUntilMs() !== undefined) return turn;
    return undefined;
  }
  unended(): readonly LiveTurn[] {
    return this.turns().filter((turn) => !isEnded(turn));
  }
  unheard(): number {
    return this.entries.size;
  }
  touch(id: string): void {
    this.entries.get(id)?.patience.touch(this.options.clock.now());
  }
  cancel(id: string | undefined, playedMs: number | undefined): void {
    const chosen = this.turns().filter((turn) => id === undefined || turn.id === id);
    const inTheEar = inTheEarOf(chosen, this.options.clock.now());
    for (const turn of [...chosen].reverse()) this.cut(turn, turn === inTheEar ? playedMs : undefined);
    this.options.onCut();
    this.wake();
  }
  bufferedBytes(): number {
    return this.turns().reduce((sum, turn) => sum + turn.bufferedBytes(), 0);
  }
  textBytes(when: 'now' | 'full'): number {
    return this.turns().reduce((sum, turn) => sum + turn.textBytes(when), 0);
  }
  close(): void {
    this.phase = 'closed';
    this.options.playout.leave(this);
    for (const turn of this.turns()) turn.abandon();
    this.entries.clear();
  }

  dueMs(): number {
    return this.nextMs;
  }
  sendDue(nowMs: number): void {
    this.nextMs = Number.POSITIVE_INFINITY; // but for what happens meanwhile
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
    if (this.phase !== 'open') return;
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
      turn.abandon();
      this.entries.delete(turn.id);
      this.front = undefined;
      this.stir();
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
        turn.script.stretch().requests.poke();
        if (!turn.isStill()) patience.tend(nowMs);
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
      const textMs = turn.isStill() ? Number.POSITIVE_INFINITY : patience.dueMs();
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
function inTheEarOf(chosen: readonly LiveTurn[], nowMs: number): LiveTurn | undefined {
  const started = chosen.filter((turn) => turn.heardUntilMs() !== undefined);
  return started.find((turn) => turn.heardUntilMs()! > nowMs) ?? started.at(-1);
}

export const createTurnLine = (options: TurnLineOptions): TurnLine & Player => new PlayedLine(options);
