// The port to the word timer, which finds the words of a speech in its audio, off the sending path. The speaker reports the text
// of each request and every item that its spool gets; the estimates come later, and sending never waits for them.

import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import type { Language } from '../../speech/language.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { SpoolTap } from '../body-spool.ts';

export type TimedSpeech = {
  readonly language: Language;
  /** How fast it is spoken, 1 being the voice's own pace. */
  readonly speed: number;
  /** Names the voice, so that its sound is learned once; undefined: it is not known. */
  readonly voice: string | undefined;
  /** True for MP3 that goes out as it is: the encoder's delay is then part of what is heard. */
  readonly passesThrough: (sampleRate: number) => boolean;
  /** `captions` come first; `heard-text` is not timed when many speeches are, `file` when more than a few are. */
  readonly urgency: 'captions' | 'heard-text' | 'file';
  /** `words`: where its words are, and how each request ends; `endings`: only the latter, which costs nothing during playback. */
  readonly wants: 'words' | 'endings';
  /**
   * When the timer is behind: `give-up` where somebody listens meanwhile; `hold-back` for a reader that waits for the words,
   * which brings no more audio while `isBehind` is true.
   */
  readonly whenBehind: 'give-up' | 'hold-back';
  /** It is not behind any more, or nothing is timed any more. */
  readonly onCaughtUp: () => void;
  /** Where the words of request `index` (from 0) are in its own audio, as far as that has been heard. */
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
};

export type WordTiming = {
  /** As `TimedSpeech.voice`, of the requests from here on. */
  spokenBy(voice: string | undefined): void;
  /** The audio that follows is that of request `index` of the speech, counted from 0. */
  request(index: number, text: AlignedText): void;
  /**
   * How the audio of the last request ends, if what has come is all of it; more may come nevertheless. Undefined where that
   * cannot be known, `late` where it cannot be known in time. `likeness`: whether the speech is also compared with other speech
   * even where it seems to be whole. One question at a time: an older one is answered with undefined.
   */
  ending(withinMs: number, likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | 'late' | undefined>;
  /** More audio is to wait. */
  isBehind(): boolean;
  /** It was given up, or its process has died: another one may be opened. */
  isClosed(): boolean;
  /** Gets the spool's items; they are read at once and not kept. */
  readonly tap: SpoolTap;
  /** Resolves when the words of all requests that have ended were reported, or will not be; it has a deadline. */
  settled(): Promise<void>;
  /** Ends it: no more reports, pending questions are answered with undefined. */
  close(): void;
};

export type WordTimer = {
  /** Whether there is a local engine to compare speech with; if there is, a missing slot or a late answer is temporary. */
  readonly reference: 'there' | 'none';
  /** Undefined: no slot is free, or nothing is timed. */
  open(speech: TimedSpeech): WordTiming | undefined;
};

/** The voice name of a `TimedSpeech`; a pair of voices is a sound of its own. */
export const timedVoice = (
  voice: string | undefined,
  voice2: string | null | undefined,
): string | undefined =>
  voice === undefined || voice2 == null || voice2 === voice ? voice : `${voice} ${voice2}`;

/** Speeches whose readers wait have a timer of their own, which is not one for spare time: a busy machine would starve it. */
export function createSplitWordTimer(timers: {
  readonly listening: WordTimer;
  readonly waiting: WordTimer;
}): WordTimer {
  const { listening, waiting } = timers;
  return {
    reference: listening.reference,
    open: (speech) => (speech.whenBehind === 'hold-back' ? waiting : listening).open(speech),
  };
}

/** Where nothing is timed: words are spread by their weights. */
export const NO_WORD_TIMER: WordTimer = { reference: 'none', open: () => undefined };
