// How far a whole text has been heard, told when a paragraph begins and every few seconds of audio between, a few times a
// second at most. It is looked at by the clock, so that it comes at the same times whatever else calls the turn.

import type { EventOf } from '../../dialects/native-events.ts';
import type { SpokenSoFar } from './turn-script.ts';

export type TurnProgress = {
  /** The first audio has been sent. */
  begin(nowMs: number): void;
  /** When to look next; infinite when there is nothing to tell. */
  dueMs(): number;
  look(nowMs: number): void;
  /** Another paragraph: the next look tells. */
  sought(): void;
  /** All of it has been heard. */
  finish(): void;
};

export type TurnProgressOptions = {
  readonly turn: string;
  /** Media position up to which it has been heard, ms. */
  readonly playedMs: (nowMs: number) => number;
  readonly kind: 'told' | 'untold';
  /** What has been spoken there; undefined: nothing of the place that is wanted. */
  readonly soFar: (playedMs: number | 'end') => SpokenSoFar | undefined;
  readonly say: (event: EventOf<'progress'>) => void;
};

const LOOK_EVERY_MS = 250;
const TELL_EVERY_MS = 5000;

class ToldProgress implements TurnProgress {
  private readonly options: TurnProgressOptions;
  private nextMs = Number.POSITIVE_INFINITY;
  private told: (SpokenSoFar & { readonly atMs: number }) | undefined;

  constructor(options: TurnProgressOptions) {
    this.options = options;
  }

  begin(nowMs: number): void {
    this.nextMs = nowMs + LOOK_EVERY_MS;
  }
  dueMs(): number {
    return this.nextMs;
  }
  look(nowMs: number): void {
    if (nowMs < this.nextMs) return;
    this.nextMs = nowMs + LOOK_EVERY_MS;
    const { told, options } = this;
    const atMs = options.playedMs(nowMs);
    const at = options.soFar(atMs);
    if (at === undefined) return;
    const isNews = told === undefined || at.paragraph !== told.paragraph || atMs - told.atMs >= TELL_EVERY_MS;
    if (isNews) this.tell(at, atMs);
  }
  sought(): void {
    this.told = undefined;
  }
  finish(): void {
    if (this.nextMs === Number.POSITIVE_INFINITY) return;
    this.nextMs = Number.POSITIVE_INFINITY;
    const at = this.options.soFar('end');
    if (at !== undefined && this.told?.spokenCharacters !== at.spokenCharacters)
      this.tell(at, Number.POSITIVE_INFINITY);
  }

  private tell(at: SpokenSoFar, atMs: number): void {
    this.told = { ...at, atMs };
    this.options.say({ type: 'progress', turn: this.options.turn, ...at });
  }
}

/** Most turns have nothing to tell; it keeps nothing, so one does for all. */
const UNTOLD: TurnProgress = {
  begin() {},
  dueMs: () => Number.POSITIVE_INFINITY,
  look() {},
  sought() {},
  finish() {},
};

export const createTurnProgress = (options: TurnProgressOptions): TurnProgress =>
  options.kind === 'told' ? new ToldProgress(options) : UNTOLD;
