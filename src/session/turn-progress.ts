// How far a whole text has been heard, told when a paragraph begins and every few seconds of audio between, a few times a
// second at most. It is looked at by the clock, so that it comes at the same times whoever else wakes the turn.

import type { EventOf } from '../dialects/native-events.ts';
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

export function createTurnProgress(options: TurnProgressOptions): TurnProgress {
  const { turn, kind, playedMs, soFar, say } = options;
  let dueMs = Number.POSITIVE_INFINITY;
  let told: (SpokenSoFar & { readonly atMs: number }) | undefined;

  const tell = (at: SpokenSoFar, atMs: number) => {
    told = { ...at, atMs };
    say({ type: 'progress', turn, ...at });
  };
  return {
    begin(nowMs) {
      if (kind === 'told') dueMs = nowMs + LOOK_EVERY_MS;
    },
    dueMs: () => dueMs,
    look(nowMs) {
      if (nowMs < dueMs) return;
      dueMs = nowMs + LOOK_EVERY_MS;
      const atMs = playedMs(nowMs);
      const at = soFar(atMs);
      if (at === undefined) return;
      const isNews =
        told === undefined || at.paragraph !== told.paragraph || atMs - told.atMs >= TELL_EVERY_MS;
      if (isNews) tell(at, atMs);
    },
    sought() {
      told = undefined;
    },
    finish() {
      if (dueMs === Number.POSITIVE_INFINITY) return;
      dueMs = Number.POSITIVE_INFINITY;
      const at = soFar('end');
      if (at !== undefined && told?.spokenCharacters !== at.spokenCharacters)
        tell(at, Number.POSITIVE_INFINITY);
    },
  };
}
