// The words of one turn by their times, and which of them is being said at a moment of its audio.

export type TrackedWord = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Of a dialogue; 0 for plain text. */
  readonly line: number;
  /** Code points of the line. */
  readonly charStart: number;
  readonly charEnd: number;
};

export type CaptionMoment = {
  /** Words that have begun. */
  readonly begun: number;
  /** The word whose time it is; undefined between two words. */
  readonly lit: number | undefined;
};

export type CaptionTrack = {
  readonly words: readonly TrackedWord[];
  /** Words in the order of their times, as the gateway tells them. */
  add(words: readonly TrackedWord[]): void;
  /** Takes back words at or after `atMs`, whose audio will not be played; gives those that stay. */
  dropFrom(atMs: number): readonly TrackedWord[];
  at(ms: number): CaptionMoment;
};

export function createCaptionTrack(): CaptionTrack {
  const words: TrackedWord[] = [];
  /** How many words begin at or before `ms`: the one search that everything else is made of. */
  function begunAt(ms: number): number {
    let [low, high] = [0, words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (words[middle]!.startMs <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  return {
    words,
    add(more) {
      words.push(...more);
    },
    dropFrom(atMs) {
      const kept = words.filter((word) => word.startMs < atMs);
      words.length = 0;
      words.push(...kept);
      return kept;
    },
    at(ms) {
      const begun = begunAt(ms);
      const isSaid = begun > 0 && ms < words[begun - 1]!.endMs;
      return { begun, lit: isSaid ? begun - 1 : undefined };
    },
  };
}
