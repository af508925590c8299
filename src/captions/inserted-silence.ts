// Silence that fills a frame in the middle of a turn (at a flush) is heard but is no part of the speech: words are
// timed without it, marks and playback with it. This maps between the two times.

export class InsertedSilence {
  private readonly places: { readonly ownMs: number; readonly totalMs: number }[] = [];

  /** At `ownMs` of the speech, silence was inserted; `totalMs` is all that has been inserted so far. */
  add(ownMs: number, totalMs: number): void {
    if (totalMs > (this.places.at(-1)?.totalMs ?? 0)) this.places.push({ ownMs, totalMs });
  }
  /** Where `ownMs` of the speech ends in what is sent. */
  toSent(ownMs: number): number {
    let insertedMs = 0;
    for (const place of this.places) {
      if (place.ownMs >= ownMs) break;
      insertedMs = place.totalMs;
    }
    return ownMs + insertedMs;
  }
  /** How much of the speech has been sent or heard at `sentMs`. */
  toOwn(sentMs: number): number {
    let insertedMs = 0;
    for (const place of this.places) {
      if (place.ownMs + insertedMs >= sentMs) break;
      // Within the silence itself the speech stands still.
      insertedMs = Math.min(place.totalMs, sentMs - place.ownMs);
    }
    return sentMs - insertedMs;
  }
}
