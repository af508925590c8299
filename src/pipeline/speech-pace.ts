// How fast each voice speaks, learned from whole bodies: letters a second for voice, speed and kind of script. Shared
// by all turns of a process, bounded, and lost with it: a wrong guess costs a request more or a needless error, never a
// word.

import { createHash } from 'node:crypto';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { Doubt } from './speech-guard.ts';

export type SpokenText = Pick<OutgoingRequest, 'voice' | 'voice2' | 'speed' | 'language' | 'text'>;

export type SpeechPace = {
  /** Letters a second that the voice speaks, the fastest there are before anything was learned. */
  fastest(spoken: SpokenText): number;
  /** Letters a second of the slowest speaker at that speed. */
  slowest(spoken: SpokenText): number;
  /** A body was whole: `letters` took `audioMs`. */
  learn(spoken: SpokenText, letters: number, audioMs: number): void;
  /** A body came to its end and nothing spoke against it. */
  undoubted(spoken: SpokenText): void;
  /**
   * Two bodies of this request ended in the same doubtful way. After three requests in a row it is how the voice ends.
   */
  endedAlike(spoken: SpokenText, doubt: Doubt): void;
  isBelieved(spoken: SpokenText, doubt: Doubt): boolean;
};

type Known = {
  perSecond: number;
  readonly believed: Set<Doubt>;
  /** Requests in a row that ended alike, by digest: the same one again shows nothing new. */
  alike: { readonly doubt: Doubt; readonly requests: Set<string> } | undefined;
};

const MOST_VOICES = 512;
/** A service that cuts bodies does it here and there; what so many requests show one after another is the voice. */
const BELIEVED_AFTER = 3;
/** Letters a second at speed 1 that nobody leaves: words of letters, and scripts with a syllable or more in a sign. */
const BOUNDS = { letters: { fastest: 25, slowest: 6 }, syllables: { fastest: 9, slowest: 2 } } as const;
/** What a new body weighs against all earlier ones. */
const NEWEST_SHARE = 0.2;
/** Shorter texts are mostly pauses. */
const LEAST_LETTERS = 20;

const SYLLABIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Ethiopic}]/u;
const SPOKEN = /[\p{L}\p{N}]/gu;

/** Letters and digits: what of a text takes time to say. */
export const countLetters = (text: string): number => text.match(SPOKEN)?.length ?? 0;

export function createSpeechPace(): SpeechPace {
  const voices = new Map<string, Known>();

  const boundsOf = ({ text, speed }: SpokenText) => {
    const { fastest, slowest } = BOUNDS[SYLLABIC.test(text) ? 'syllables' : 'letters'];
    return { fastest: fastest * (speed ?? 1), slowest: slowest * (speed ?? 1) };
  };
  const keyOf = ({ voice, voice2, speed, language, text }: SpokenText) =>
    JSON.stringify([voice, voice2, speed ?? 1, language, SYLLABIC.test(text)]);

  /** The voice as the latest used one; the one that was not used for longest makes room. */
  const known = (spoken: SpokenText): Known => {
    const key = keyOf(spoken);
    const voice: Known = voices.get(key) ?? {
      perSecond: boundsOf(spoken).fastest,
      believed: new Set(),
      alike: undefined,
    };
    voices.delete(key);
    voices.set(key, voice);
    if (voices.size > MOST_VOICES) voices.delete(voices.keys().next().value!);
    return voice;
  };

  return {
    fastest: (spoken) => voices.get(keyOf(spoken))?.perSecond ?? boundsOf(spoken).fastest,
    slowest: (spoken) =>
      Math.min(boundsOf(spoken).slowest, voices.get(keyOf(spoken))?.perSecond ?? Number.POSITIVE_INFINITY),
    learn(spoken, letters, audioMs) {
      if (letters < LEAST_LETTERS || audioMs <= 0) return;
      const voice = known(spoken);
      voice.perSecond += NEWEST_SHARE * ((letters * 1000) / audioMs - voice.perSecond);
    },
    undoubted(spoken) {
      const voice = voices.get(keyOf(spoken));
      if (voice !== undefined) voice.alike = undefined;
    },
    endedAlike(spoken, doubt) {
      const voice = known(spoken);
      if (voice.alike?.doubt !== doubt) voice.alike = { doubt, requests: new Set() };
      const { requests } = voice.alike;
      requests.add(createHash('sha256').update(spoken.text).digest('base64'));
      if (requests.size >= BELIEVED_AFTER) voice.believed.add(doubt);
    },
    isBelieved: (spoken, doubt) => voices.get(keyOf(spoken))?.believed.has(doubt) ?? false,
  };
}
