// What is asked of the word timer for one speech, in the hands of whoever speaks it: where its words are, if anybody wants to
// know, and how the audio of each request ends. Opened when the speaking begins, so that what waits in line takes no place
// of others; without effect where nothing is timed.

import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import { type OutputFormat, passesThrough } from '../../speech/audio-format.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { SpoolItem, SpoolTap } from '../mp3-spool.ts';
import type { SpokenWith } from '../outgoing-request.ts';
import { type TimedSpeech, timedVoice, type WordTimer, type WordTiming } from './word-timer.ts';

/** Hears how the audio of a request ends. One request at a time. */
export type EndingWatch = {
  /** The audio cannot be told whole by anything else: it is to be followed, from its first frame, which is still to come. */
  follow(): void;
  /**
   * As `WordTiming.ending`; undefined, too, for what is not followed, and `late` where there is a local engine and it could not be
   * held against it: no place, or a speed that our own speech has not.
   */
  ending(withinMs: number, likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | 'late' | undefined>;
  /** Words of this request are missing: those that were said are where `ending` says. */
  cutAt(ending: HeardEnding): void;
};

export type SpeechWords = EndingWatch & {
  /** Takes a place of the timer, if there is one. */
  begin(): void;
  readonly tap: SpoolTap;
  /** The audio that follows is that of `text()`, which is asked for only where it is followed. */
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
  private wants: TimedSpeech['wants'] = 'endings';
  /** The request under way: its number, and what is asked for its text. */
  private index = -1;
  private text: (() => AlignedText) | undefined;
  private following: 'nothing' | 'this-request' | 'no-place' = 'nothing';

  readonly tap: SpoolTap = this;

  constructor(options: SpeechWordsOptions) {
    this.options = options;
  }

  begin(): void {
    this.timing = this.open('words');
    if (this.timing !== undefined) this.wants = 'words';
  }
  add(item: SpoolItem): void {
    if (this.following !== 'this-request') return;
    this.timing?.tap.add(item);
    // Its place is for others until the next request.
    if (item.kind === 'end' && this.wants === 'endings') this.close();
  }
  takeBack(frames: number): void {
    if (this.following === 'this-request') this.timing?.tap.takeBack(frames);
  }
  request(text: () => AlignedText): void {
    this.index += 1;
    this.text = text;
    this.following = 'nothing';
    // What was given up is not taken up again; how the other requests end is still to be known.
    if (this.timing?.isClosed() === true) {
      this.timing = undefined;
      this.wants = 'endings';
    }
    if (this.wants === 'words') this.followNow();
  }
  follow(): void {
    if (this.following === 'this-request') return;
    this.timing ??= this.open('endings');
    if (this.timing === undefined) {
      this.following = 'no-place';
      return;
    }
    this.followNow();
    this.timing.tap.add({ kind: 'begin' }); // which has gone by
  }
  async ending(
    withinMs: number,
    likeness: 'asked' | 'on-suspicion',
  ): Promise<HeardEnding | 'late' | undefined> {
    if (this.following === 'nothing') return undefined;
    const ending =
      this.following === 'this-request' ? await this.timing?.ending(withinMs, likeness) : undefined;
    return ending ?? (this.options.timer.reference === 'there' ? 'late' : undefined);
  }
  cutAt({ words }: HeardEnding): void {
    this.options.onEstimate(this.index, words);
  }
  async settled(): Promise<void> {
    if (this.wants === 'words') await this.timing?.settled();
  }
  close(): void {
    this.timing?.close();
    this.timing = undefined;
    this.following = 'nothing';
  }

  private followNow(): void {
    this.following = 'this-request';
    this.timing?.request(this.index, this.text!());
  }
  private open(wants: TimedSpeech['wants']): WordTiming | undefined {
    const { timer, synthesis, defaultVoice, output, urgency, onEstimate } = this.options;
    return timer.open({
      language: synthesis.language ?? 'english',
      speed: synthesis.speed ?? 1,
      voice: timedVoice(synthesis.voice ?? defaultVoice, synthesis.voice2),
      passesThrough: (sampleRate) => passesThrough(output, sampleRate),
      urgency,
      wants,
      onEstimate,
    });
  }
}

export const createSpeechWords = (options: SpeechWordsOptions): SpeechWords => new TimedWords(options);
