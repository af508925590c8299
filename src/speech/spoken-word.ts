// A word as a reader sees it, with its place in the caller's text and how long it takes to say. The text makes
// them, the timeline times them.

export type SpokenWord = {
  readonly text: string;
  /** Index of the dialogue line; 0 for plain text. */
  readonly line: number;
  readonly speaker: 1 | 2 | undefined;
  /** Range in the caller's text, Unicode code points. */
  readonly charStart: number;
  readonly charEnd: number;
  /** About one unit a letter; digits take longer to say, ideographs longer still. */
  readonly weight: number;
  /** The pause that punctuation makes after the word, in the same units. */
  readonly pause: number;
};
