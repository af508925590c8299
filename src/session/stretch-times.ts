// The times of the stretch that is being spoken within those of its turn: a stretch begins where the one before it was
// cut, and silence that flushes insert is heard but is no part of its speech.

import { createInsertedSilence } from '../captions/inserted-silence.ts';

export type StretchTimes = {
  /** Where the stretch begins in the turn's speech, ms. */
  fromMs(): number;
  /** At media position `madeMs` of the turn silence was inserted; `insertedMs` is all of the turn so far. */
  addSilence(madeMs: number, insertedMs: number): void;
  /** From the stretch's own time to the media position in the turn. */
  toSent(ownMs: number): number;
  toOwn(sentMs: number): number;
  /** The next stretch begins at media position `atMs`, behind so much inserted silence. */
  begin(atMs: number, insertedMs: number): void;
};

export function createStretchTimes(): StretchTimes {
  let atMs = 0;
  let insertedBeforeMs = 0;
  let silence = createInsertedSilence();
  return {
    fromMs: () => atMs - insertedBeforeMs,
    addSilence(madeMs, insertedMs) {
      silence.add(madeMs - insertedMs - (atMs - insertedBeforeMs), insertedMs - insertedBeforeMs);
    },
    toSent: (ownMs) => atMs + silence.toSent(ownMs),
    toOwn: (sentMs) => silence.toOwn(sentMs - atMs),
    begin(nextAtMs, insertedMs) {
      atMs = nextAtMs;
      insertedBeforeMs = insertedMs;
      silence = createInsertedSilence();
    },
  };
}
