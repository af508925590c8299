// What is known of each voice from bodies that were proved to be whole: how fast it speaks, that its speech can be held
// against ours, and in which odd ways it ends. Shared by all turns of a process, bounded, and lost with it: a wrong guess
// costs a request more or a needless error, never a word.

import { createHash } from 'node:crypto';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { Doubt } from './ending-verdict.ts';

export type SpokenText = Pick<OutgoingRequest, 'voice' | 'voice2' | 'speed' | 'language' | 'text'>;

export type VoiceRecords = {
  /** Letters a second that the voice speaks, the fastest there are before anything was learned. */
  fastest(spoken: SpokenText): number;
  /** Letters a second of the slowest speaker at that speed. */
  slowest(spoken: SpokenText): number;
  /** A body was proved to be whole: `letters` took `audioMs`. */
  learn(spoken: SpokenText, letters: number, audioMs: number, proof: 'heard' | 'told'): void;
  /** Speech of this voice was found to say its text when it was held against ours. */
  isHeardToFit(spoken: SpokenText): boolean;
  /** A body came to its end and nothing spoke against it. */
  undoubted(spoken: SpokenText): void;
  /**
   * Two bodies of this request ended in the same doubtful way. After three requests in a row it is how the voice ends.
   */
  endedAlike(spoken: SpokenText, doubt: Doubt): void;
  isBelieved(spoken: SpokenText, doubt: Doubt): boolean;
};

type VoiceRecord = {
  perSecond: number;
  hasFitted: boolean;
  readonly believed: Set<Doubt>;
  /** Requests in a row that ended alike, by digest: the same one again shows nothing new. */
  alike: { readonly doubt: Doubt; readonly requests: Set<string> } | undefined;
};

const MAX_VOICES = 512;
/** A service that cuts bodies does it here and there; what so many requests show one after another is the voice. */
const BELIEVED_AFTER = 3;
/** Letters a second at speed 1 that nobody leaves: words of letters, and scripts with a syllable or more in a sign. */
const BOUNDS = { letters: { fastest: 25, slowest: 6 }, syllables: { fastest: 9, slowest: 2 } } as const;
/** What a new body weighs against all earlier ones. */
const NEWEST_SHARE = 0.2;
/** Shorter texts are mostly pauses. */
const MIN_LETTERS = 20;

const SYLLABIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Ethiopic}]/u;
const SPOKEN = /[\p{L}\p{N}]/gu;

/** Letters and digits: what of a text takes time to say. */
export const countLetters = (text: string): number => text.match(SPOKEN)?.length ?? 0;

export function createVoiceRecords(): VoiceRecords {
  const voices = new Map<string, VoiceRecord>();

  const boundsOf = ({ text, speed }: SpokenText) => {
    const { fastest, slowest } = BOUNDS[SYLLABIC.test(text) ? 'syllables' : 'letters'];
    return { fastest: fastest * (speed ?? 1), slowest: slowest * (speed ?? 1) };
  };
  const keyOf = ({ voice, voice2, speed, language, text }: SpokenText) =>
    JSON.stringify([voice, voice2, speed ?? 1, language, SYLLABIC.test(text)]);

  /** The record as the latest used one; the one that was not used for longest makes room. */
  const recordOf = (spoken: SpokenText): VoiceRecord => {
    const key = keyOf(spoken);
    const voice: VoiceRecord = voices.get(key) ?? {
      perSecond: boundsOf(spoken).fastest,
      hasFitted: false,
      believed: new Set(),
      alike: undefined,
    };
    voices.delete(key);
    voices.set(key, voice);
    if (voices.size > MAX_VOICES) voices.delete(voices.keys().next().value!);
    return voice;
  };

  return {
    fastest: (spoken) => voices.get(keyOf(spoken))?.perSecond ?? boundsOf(spoken).fastest,
    slowest: (spoken) =>
      Math.min(boundsOf(spoken).slowest, voices.get(keyOf(spoken))?.perSecond ?? Number.POSITIVE_INFINITY),
    learn(spoken, letters, audioMs, proof) {
      const voice = recordOf(spoken);
      if (proof === 'heard') voice.hasFitted = true;
      if (letters < MIN_LETTERS || audioMs <= 0) return;
      voice.perSecond += NEWEST_SHARE * ((letters * 1000) / audioMs - voice.perSecond);
    },
    isHeardToFit: (spoken) => voices.get(keyOf(spoken))?.hasFitted ?? false,
    undoubted(spoken) {
      const voice = voices.get(keyOf(spoken));
      if (voice !== undefined) voice.alike = undefined;
    },
    endedAlike(spoken, doubt) {
      const voice = recordOf(spoken);
      if (voice.alike?.doubt !== doubt) voice.alike = { doubt, requests: new Set() };
      const { requests } = voice.alike;
      requests.add(createHash('sha256').update(spoken.text).digest('base64'));
      if (requests.size >= BELIEVED_AFTER) voice.believed.add(doubt);
    },
    isBelieved: (spoken, doubt) => voices.get(keyOf(spoken))?.believed.has(doubt) ?? false,
  };
}
