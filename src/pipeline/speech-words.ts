// The timing of one speech's words, in the hands of whoever speaks it: opened when the speaking begins, so that what waits
// in line takes no place of others', and without effect where nothing is timed.

import type { WordEstimate } from '../captions/word-estimate.ts';
import { type OutputFormat, passesThrough } from '../speech/audio-format.ts';
import type { AlignedText } from '../text/aligned-text.ts';
import type { SpoolTap } from './mp3-spool.ts';
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
  readonly close: () => void;
};

export type SpeechWordsOptions = Pick<SpokenWith, 'synthesis' | 'defaultVoice'> & {
  readonly timer: WordTimer;
  readonly output: OutputFormat;
  readonly urgency: TimedSpeech['urgency'];
  readonly onEstimate: (index: number, estimate: WordEstimate) => void;
};

export function createSpeechWords(options: SpeechWordsOptions): SpeechWords {
  const { timer, synthesis, defaultVoice, output, urgency, onEstimate } = options;
  let timing: WordTiming | undefined;
  return {
    begin() {
      timing = timer.open({
        language: synthesis.language ?? 'english',
        speed: synthesis.speed ?? 1,
        voice: timedVoice(synthesis.voice ?? defaultVoice, synthesis.voice2),
        passesThrough: (sampleRate) => passesThrough(output, sampleRate),
        urgency,
        onEstimate,
      });
    },
    tap: {
      add: (item) => timing?.tap.add(item),
      takeBack: (frames) => timing?.tap.takeBack(frames),
    },
    request(text) {
      timing?.request(text());
    },
    async settled() {
      await timing?.settled();
    },
    close: () => timing?.close(),
  };
}
