// Who asks for a turn's words, by either of two settings.

export type WantedWords = {
  /** Told along with the audio. */
  readonly captions: 'off' | 'words';
  /** All of them told once they have been found, when the turn has been sent. */
  readonly wordList: 'off' | 'final';
};

/** Somebody waits for its words. */
export const wantsWords = ({ captions, wordList }: WantedWords): boolean =>
  captions === 'words' || wordList === 'final';
