// Speaks the text of a request with the local engine, as fast as possible, to learn when each of its words comes: the reference
// that the speech to be timed is compared with. The first line is there soon; a long text is handed on again as it grows, each
// time twice as long, so that its end costs no more than its beginning.

import { createFeatureStore } from '../../captions/alignment/feature-track.ts';
import { createReferenceSpeech, type ReferenceSpeech } from '../../captions/alignment/reference-speech.ts';
import { referenceWordTimes, type ToldWord } from '../../captions/alignment/reference-words.ts';
import { createFeatureExtractor } from '../../captions/alignment/speech-features.ts';
import type { Language } from '../../speech/language.ts';
import { programLanguage } from '../../speech-program/program-language.ts';
import type { SpeechProcess } from '../../speech-program/speech-process.ts';
import { createScript, type Pause } from '../../speech-program/speech-script.ts';
import { createWordTimes } from '../../speech-program/word-times.ts';
import type { AlignedText } from '../../text/aligned-text.ts';
import { codePointLength } from '../../text/code-points.ts';

export type ReferenceSpeaker = {
  /**
   * `onReference` gets the speech of the first `words` words, at last of all. Rejects as `SpeechProcess.speak` does.
   */
  speak(
    text: AlignedText,
    how: { readonly language: Language; readonly speed: number },
    onReference: (reference: ReferenceSpeech, words: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
};

/** Words a minute at speed 1: a little faster than people speak, since half the cost of a reference is its length. */
const RATE = 205;
const MIN_RATE = 120;
const MAX_RATE = 300;
/** A monotonous voice compares best. The highest one would cost a tenth less, but compare less well with low voices. */
const PITCH = 85;
const RANGE = 20;
const PAUSE_MS: Readonly<Record<Pause, number>> = {
  none: 0,
  clause: 80,
  sentence: 200,
  speaker: 250,
  paragraph: 300,
};

const rateAt = (speed: number) => Math.round(Math.min(Math.max(RATE * speed, MIN_RATE), MAX_RATE));

/** How many times as fast as its reference a speech at `speed` should be. */
export const tempoAt = (speed: number): number => (RATE * speed) / rateAt(speed);

export function createReferenceSpeaker(program: Pick<SpeechProcess, 'speak'>): ReferenceSpeaker {
  return {
    async speak(text, { language, speed }, onReference, signal) {
      const rate = rateAt(speed);
      const lines = createScript({ ...text, language });
      const store = createFeatureStore();
      const told: ToldWord[] = [];
      const times = createWordTimes((word) => told.push(word));
      let extractor: ReturnType<typeof createFeatureExtractor> | undefined;
      let sampleRate = 0;
      let samples = 0;
      let toldWords = 0;
      const lengthMs = () => (sampleRate === 0 ? 0 : (samples * 1000) / sampleRate);
      const push = (block: Float32Array) => {
        extractor ??= createFeatureExtractor(sampleRate, store.add);
        extractor.push(block);
        samples += block.length;
      };
      const tell = (spokenTo: number) => {
        const wordMs = referenceWordTimes(text, told, spokenTo, lengthMs());
        toldWords = wordMs.length;
        onReference(createReferenceSpeech(store.track(), wordMs), wordMs.length);
      };
      const end = codePointLength(text.text);
      for (const [index, line] of lines.entries()) {
        const origin = line.origin();
        if (sampleRate > 0) push(new Float32Array(Math.round((PAUSE_MS[line.pause] * sampleRate) / 1000)));
        const startMs = lengthMs();
        const utterance = {
          text: line.text,
          voice: programLanguage(language),
          rate,
          pitch: PITCH,
          range: RANGE,
          exact: false,
        } as const;
        await program.speak(
          utterance,
          (block) => {
            sampleRate = block.sampleRate;
            push(block.samples);
          },
          signal,
          (events) => times.add(origin, events, { startMs, factor: 1 }),
        );
        const isLast = index === lines.length - 1;
        const spokenTo = isLast ? end : origin.sourceOf(codePointLength(line.text)).end;
        if (isLast) extractor?.flush();
        const words = text.wordAt.findIndex((at) => at >= spokenTo);
        if (isLast || words >= 2 * toldWords) tell(spokenTo);
      }
    },
  };
}
