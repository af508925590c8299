// Sound of a turn that has not been given out yet, each piece at its place: a reader of a segment gets exactly that much,
// with silence where nothing is known.

export type TimedSamples = {
  /** Whole samples from sample `at` on, a copy. */
  add(at: number, bytes: Uint8Array): void;
  /** Samples `from` to `until`, fresh memory; what lies before `until` is forgotten. */
  take(from: number, until: number): Uint8Array;
  /** Forgets what lies from sample `at` on. */
  cutAt(at: number): void;
  bytes(): number;
};

/** `silentSample` is one sample of silence. */
export function createTimedSamples(silentSample: Uint8Array): TimedSamples {
  const size = silentSample.length;
  let pieces: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  let bytes = 0;
  const count = () => {
    bytes = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
  };
  return {
    add(at, added) {
      pieces.push({ at, bytes: new Uint8Array(added) });
      bytes += added.length;
    },
    take(from, until) {
      const whole = new Uint8Array(Math.max(0, until - from) * size).fill(silentSample[0]!);
      for (const piece of pieces) {
        const start = Math.max(piece.at, from);
        const end = Math.min(piece.at + piece.bytes.length / size, until);
        if (end > start)
          whole.set(
            piece.bytes.subarray((start - piece.at) * size, (end - piece.at) * size),
            (start - from) * size,
          );
      }
      const left = pieces.findIndex((piece) => piece.at + piece.bytes.length / size > until);
      pieces = left < 0 ? [] : pieces.slice(left);
      count();
      return whole;
    },
    cutAt(at) {
      pieces = pieces
        .filter((piece) => piece.at < at)
        .map((piece) => ({ at: piece.at, bytes: piece.bytes.subarray(0, (at - piece.at) * size) }));
      count();
    },
    bytes: () => bytes,
  };
}
