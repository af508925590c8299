export type ForeignEngine = 'flite' | 'festival';

/** The voices that this machine has; `language` is one of the service's names, or 'finnish'. */
export function listForeignVoices(): readonly {
  readonly engine: ForeignEngine;
  readonly voice: string;
  readonly language: string;
}[];

/** A written word with its punctuation; times from the first sample, positions in code points of the sentence. */
export type ForeignWord = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly charStart: number;
  readonly charEnd: number;
};

export type ForeignSpeech = {
  /** As it was given, but in Unicode's composed form (NFC). */
  readonly sentence: string;
  /** 16-bit mono. */
  readonly pcm: Int16Array;
  readonly sampleRate: number;
  readonly words: readonly ForeignWord[];
};

export type DropReason = 'long' | 'charset' | 'unspoken' | 'tokens' | 'silent' | 'order';

/** Yields the sentences whose words are certain; `onDropped` hears of the others. Throws when the voice is not there. */
export function speakForeign(options: {
  readonly engine: ForeignEngine;
  readonly voice: string;
  readonly sentences: Iterable<string>;
  readonly onDropped?: (sentence: string, reason: DropReason) => void;
}): AsyncGenerator<ForeignSpeech, void, undefined>;
