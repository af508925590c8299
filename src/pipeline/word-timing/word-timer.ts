// The port behind which the words of a speech are found in its audio, off the sending path. Whoever speaks tells the
// text of each request and every item that its spool gets; the estimates come when they come, and nobody waits for them
// while he sends.

import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import type { Language } from '../../speech/language.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { SpoolTap } from '../mp3-spool.ts';

export type TimedSpeech = {
  readonly language: Language;
  /** How fast it is spoken, 1 being the voice's own pace. */
  readonly speed: number;
  /** Names the voice, so that what its sound is like need be learned once; undefined: it is not known. */
  readonly voice: string | undefined;
  /** True for MP3 that goes out as it is: the encoder's delay is then part of what is heard. */
  readonly passesThrough: (sampleRate: number) => boolean;
  /** Somebody waits for its captions; heard text gives way when many are timed, a file when more than a few are. */
  readonly urgency: 'captions' | 'heard-text' | 'file';
  /** Where its words are, and how each request ends; or only the latter, which costs those who play nothing meanwhile. */
  readonly wants: 'words' | 'endings';
  /** Where the words of request `index` (from 0) are in its own audio, as far as that has been heard. */
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
};

export type WordTiming = {
  /** The audio that follows is that of request `index` of the speech, counted from 0. */
  request(index: number, text: AlignedText): void;
  /**
   * How the audio of the last request ends, if what has come is all of it; more may come nevertheless. Undefined where that
   * cannot be told, `late` where it cannot be told within so long. `likeness`: whether the speech is compared with what says
   * something else even where it seems to be whole. One question at a time: an older one is answered with undefined.
   */
  ending(withinMs: number, likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | 'late' | undefined>;
  /** It was given up, or its thread has died: another one may be opened. */
  isClosed(): boolean;
  /** What becomes of a spool's items; they are read at once and not kept. */
  readonly tap: SpoolTap;
  /** Resolves when the words of all requests that have ended were told, or will not be; it has a deadline. */
  settled(): Promise<void>;
  /** Nothing is told any more, and nobody waits for it. */
  close(): void;
};

export type WordTimer = {
  /** Whether there is a local engine to hold speech against; then no place or no answer in time is only bad luck. */
  readonly reference: 'there' | 'none';
  /** Undefined: as many speeches are timed as can be, or none can. */
  open(speech: TimedSpeech): WordTiming | undefined;
};

/** Names what a speech sounds like, for `TimedSpeech`; two voices are a sound of their own. */
export const timedVoice = (
  voice: string | undefined,
  voice2: string | null | undefined,
): string | undefined =>
  voice === undefined || voice2 == null || voice2 === voice ? voice : `${voice} ${voice2}`;

/** Where nothing is timed: words are spread by their weights. */
export const NO_WORD_TIMER: WordTimer = { reference: 'none', open: () => undefined };
