// The handle for the word timing of one speech: where its words are, if that is wanted, and how the audio of each request ends.
// The timer's slot is taken when the speaking begins, so that speech that waits in line takes none; without effect where
// nothing is timed.

import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import { ServiceWordTimes } from '../../captions/alignment/service-words.ts';
import type { WordEstimate } from '../../captions/alignment/word-estimate.ts';
import { GUESS_MS_PER_WEIGHT } from '../../captions/word-timeline.ts';
import { type OutputFormat, passesThrough } from '../../speech/audio-format.ts';
import type { ServiceWords } from '../../speech/service-word.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import type { SpoolItem, SpoolTap } from '../body-spool.ts';
import type { SpokenWith } from '../outgoing-request.ts';
import { type TimedSpeech, timedVoice, type WordTimer, type WordTiming } from './word-timer.ts';

/** Finds out how the audio of a request ends. One request at a time. */
export type EndingWatch = {
  /** What the service tells of the words of the current request; undefined: ours hold from now on. */
  told(words: ServiceWords | undefined): void;
  /** Nothing else can show whether the audio is whole: follow it from its first frame, which is still to come. */
  follow(): void;
  /**
   * As `WordTiming.ending`; also undefined for what is not followed, and `late` where there is a local engine and the audio could
   * not be compared with it: no slot, or a speed that the engine does not have.
   */
  ending(withinMs: number, likeness: 'asked' | 'on-suspicion'): Promise<HeardEnding | 'late' | undefined>;
  /** Words of this request are missing; `ending` has the times of those that were said. */
  cutAt(ending: HeardEnding): void;
};

export type SpeechWordsOptions = Pick<SpokenWith, 'synthesis' | 'defaultVoice'> & {
  readonly timer: WordTimer;
  readonly output: OutputFormat;
  readonly urgency: TimedSpeech['urgency'];
  /** Whether its reader waits for the words. */
  readonly whenBehind: TimedSpeech['whenBehind'];
  readonly onCaughtUp: () => void;
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
};

/** The object is its own tap, which is called for each frame. */
export class SpeechWords implements EndingWatch, SpoolTap {
  private readonly options: SpeechWordsOptions;
  private voice: Pick<SpokenWith, 'synthesis' | 'defaultVoice'>;
  private timing: WordTiming | undefined;
  private wants: TimedSpeech['wants'] = 'endings';
  /** All words are waited for, also where the timer had to begin anew. */
  private wantsAll = false;
  /** The current request: its number, and its text on demand. */
  private index = -1;
  private text: (() => AlignedText) | undefined;
  private following: 'nothing' | 'this-request' | 'no-slot' = 'nothing';
  /** Requests whose words the service has told. */
  private readonly toldRequests = new Set<number>();
  /** What tells the words of the current request. */
  private source: ServiceWords | undefined;

  readonly tap: SpoolTap = this;

  constructor(options: SpeechWordsOptions) {
    this.options = options;
    this.voice = options;
  }

  /** Takes a slot of the timer, if one is free. */
  begin(): void {
    this.wantsAll = this.options.whenBehind === 'hold-back';
    this.timing = this.open('words');
    if (this.timing !== undefined) this.wants = 'words';
  }
  add(item: SpoolItem): void {
    if (this.following !== 'this-request') return;
    this.timing?.tap.add(item);
    // Frees its slot until the next request.
    if (item.kind === 'end' && this.wants === 'endings') this.leave();
  }
  takeBack(frames: number): void {
    if (this.following === 'this-request') this.timing?.tap.takeBack(frames);
  }
  /** Another voice speaks from the next request on. */
  spokenBy(voice: Pick<SpokenWith, 'synthesis' | 'defaultVoice'>): void {
    this.voice = voice;
    this.timing?.spokenBy(this.timedVoice());
  }
  /** The audio that follows is that of `text()`, which is called only where the audio is followed. */
  request(text: () => AlignedText): void {
    this.index += 1;
    this.text = text;
    this.source = undefined;
    this.following = 'nothing';
    // A timing that was given up is not resumed, but where somebody waits for words; the endings of the other requests are
    // still wanted.
    if (this.timing?.isClosed() === true) {
      this.timing = undefined;
      this.wants = 'endings';
    }
    if (this.timing === undefined && this.wantsAll) this.begin();
    if (this.wants === 'words') this.followNow();
  }
  /** More audio is to wait for the timer. */
  isBehind(): boolean {
    return this.timing?.isBehind() ?? false;
  }
  follow(): void {
    if (this.following === 'this-request') return;
    this.timing ??= this.open('endings');
    if (this.timing === undefined) {
      this.following = 'no-slot';
      return;
    }
    this.followNow();
    this.timing.tap.add({ kind: 'begin' }); // it came before the following began
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
  told(words: ServiceWords | undefined): void {
    const { index, options, text } = this;
    this.source = words;
    this.toldRequests.delete(index);
    if (words === undefined || text === undefined) return;
    let times: ServiceWordTimes | undefined;
    const msPerWeight = GUESS_MS_PER_WEIGHT / (options.synthesis.speed ?? 1);
    words.listen((more) => {
      if (this.source !== words) return;
      times ??= new ServiceWordTimes(text());
      times.add(more);
      const estimate = times.estimate(msPerWeight);
      if (estimate === undefined) return;
      this.toldRequests.add(index);
      options.onEstimate(index, estimate);
    });
  }
  cutAt({ words }: HeardEnding): void {
    this.source = undefined;
    this.toldRequests.delete(this.index);

    this.options.onEstimate(this.index, words);
  }
  /** As `WordTiming.settled`. */
  async settled(): Promise<void> {
    if (this.wants === 'words') await this.timing?.settled();
  }
  close(): void {
    this.wantsAll = false;
    this.source = undefined;
    this.leave();
  }

  private timedVoice(): string | undefined {
    const { synthesis, defaultVoice } = this.voice;
    return timedVoice(synthesis.voice ?? defaultVoice, synthesis.voice2);
  }
  private leave(): void {
    this.timing?.close();
    this.timing = undefined;
    this.following = 'nothing';
  }
  private followNow(): void {
    this.following = 'this-request';
    this.timing?.request(this.index, this.text!());
  }
  private open(wants: TimedSpeech['wants']): WordTiming | undefined {
    const { timer, output, urgency, onEstimate, onCaughtUp } = this.options;
    const { synthesis } = this.voice;
    return timer.open({
      language: synthesis.language ?? 'english',
      speed: synthesis.speed ?? 1,
      voice: this.timedVoice(),
      passesThrough: (sampleRate) => passesThrough(output, sampleRate),
      urgency,
      whenBehind: wants === 'words' ? this.options.whenBehind : 'give-up',
      onCaughtUp,
      wants,
      onEstimate: (index, estimate) => {
        if (!this.toldRequests.has(index)) onEstimate(index, estimate);
      },
    });
  }
}
