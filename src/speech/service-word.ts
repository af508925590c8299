// A word as a speech service itself tells it with its sound, or one character of it, where a service tells those.

export type ServiceWord = {
  /** As the service has it, which need not be as the caller wrote it: "twelve" for "12". */
  readonly text: string;
  /** Milliseconds from the beginning of the body. */
  readonly startMs: number;
  readonly endMs: number;
};

/** The words of one body, told while it comes. */
export type ServiceWords = {
  /** Whoever asks is told what has come, and then what comes. One asker. */
  listen(take: (words: readonly ServiceWord[]) => void): void;
};
