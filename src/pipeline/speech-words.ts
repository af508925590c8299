// The timing of one speech's words, in the hands of whoever speaks it: opened when the speaking begins, so that what waits
// in line takes no place of others', and without effect where nothing is timed.

import type { WordEstimate } from '../captions/word-estimate.ts';
import { type OutputFormat, passesThrough } from '../speech/audio-format.ts';
import type { AlignedText } from '../text/aligned-text.ts';
import type { SpoolItem, SpoolTap } from './mp3-spool.ts';
import type { SpokenWith } from './outgoing-request.ts';
import { type TimedSpeech, timedVoice, type WordTimer, type WordTiming } from './word-timer.ts';

export type SpeechWords = {
  /** Takes a place of the timer, if there is one. */
  begin(): void;
  readonly tap: SpoolTap;
  /** The audio that follows is that of `text()`, which is asked for only where words are timed. */
  request(text: () => AlignedText): void;
  /** As `WordTiming.settled`. */
  settled(): Promise<void>;
  close(): void;
};

export type SpeechWordsOptions = Pick<SpokenWith, 'synthesis' | 'defaultVoice'> & {
  readonly timer: WordTimer;
  readonly output: OutputFormat;
  readonly urgency: TimedSpeech['urgency'];
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
};

/** The tap, which is the object itself, is asked for each frame. */
class TimedWords implements SpeechWords, SpoolTap {
  private readonly options: SpeechWordsOptions;
  private timing: WordTiming | undefined;

  readonly tap: SpoolTap = this;

  constructor(options: SpeechWordsOptions) {
    this.options = options;
  }

  begin(): void {
    const { timer, synthesis, defaultVoice, output, urgency, onEstimate } = this.options;
    this.timing = timer.open({
      language: synthesis.language ?? 'english',
      speed: synthesis.speed ?? 1,
      voice: timedVoice(synthesis.voice ?? defaultVoice, synthesis.voice2),
      passesThrough: (sampleRate) => passesThrough(output, sampleRate),
      urgency,
      onEstimate,
    });
  }
  add(item: SpoolItem): void {
    this.timing?.tap.add(item);
  }
  takeBack(frames: number): void {
    this.timing?.tap.takeBack(frames);
  }
  request(text: () => AlignedText): void {
    this.timing?.request(text());
  }
  async settled(): Promise<void> {
    await this.timing?.settled();
  }
  close(): void {
    this.timing?.close();
  }
}

export const createSpeechWords = (options: SpeechWordsOptions): SpeechWords => new TimedWords(options);
