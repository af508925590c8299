// Whether the word times of a turn are wanted, by either of two settings.

export type WantedWords = {
  /** Sent along with the audio. */
  readonly captions: 'off' | 'words';
  /** All of them sent at once when they are final, after the turn was sent. */
  readonly wordList: 'off' | 'final';
};

/** Its word times are wanted. */
export const wantsWords = ({ captions, wordList }: WantedWords): boolean =>
  captions === 'words' || wordList === 'final';
