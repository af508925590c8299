// The times of the stretch that is being spoken within those of its turn: a stretch begins where the one before it was
// cut, and silence that flushes insert is heard but is no part of its speech.

import { InsertedSilence } from '../../captions/inserted-silence.ts';

/** One for each turn. */
export class StretchTimes {
  private atMs = 0;
  private insertedBeforeMs = 0;
  private silence: InsertedSilence = new InsertedSilence();

  /** Where the stretch begins in the turn's speech, ms. */
  fromMs(): number {
    return this.atMs - this.insertedBeforeMs;
  }
  /** At media position `madeMs` of the turn silence was inserted; `insertedMs` is all of the turn so far. */
  addSilence(madeMs: number, insertedMs: number): void {
    this.silence.add(madeMs - insertedMs - this.fromMs(), insertedMs - this.insertedBeforeMs);
  }
  /** From the stretch's own time to the media position in the turn. */
  toSent(ownMs: number): number {
    return this.atMs + this.silence.toSent(ownMs);
  }
  toOwn(sentMs: number): number {
    return this.silence.toOwn(sentMs - this.atMs);
  }
  /** The next stretch begins at media position `atMs`, behind so much inserted silence. */
  begin(atMs: number, insertedMs: number): void {
    this.atMs = atMs;
    this.insertedBeforeMs = insertedMs;
    this.silence = new InsertedSilence();
  }
}
