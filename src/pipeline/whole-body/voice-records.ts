// What is known of each voice from bodies that were proved to be whole: how fast it speaks, that its speech can be compared
// with our reference, and in which odd ways it ends. Shared by all turns of a process, bounded, and lost with it: a wrong
// guess costs one more request or a needless error, never a word.

import type { OutgoingRequest } from '../../speech/speech-request.ts';
import { digestOf } from './body-fingerprint.ts';
import type { Doubt } from './ending-verdict.ts';

export type SpokenText = Pick<OutgoingRequest, 'voice' | 'voice2' | 'speed' | 'language' | 'text'>;

export type VoiceRecords = {
  /** Letters a second that the voice speaks; before anything was learned, those of the fastest speaker. */
  fastest(spoken: SpokenText): number;
  /** Letters a second of the slowest speaker at that speed. */
  slowest(spoken: SpokenText): number;
  /** A body was proved to be whole: `letters` took `audioMs`. */
  learn(spoken: SpokenText, letters: number, audioMs: number): void;
  /** Whether a speech, whole or cut, was found to say its text when it was compared with ours. */
  heardFit(spoken: SpokenText, fit: 'fits' | 'misfits' | 'unclear'): void;
  /** The conclusion from the last of these for the voice; `serviceFit`: for all voices of the service. */
  voiceFit(spoken: SpokenText): 'fitted-before' | 'unknown';
  serviceFit(): 'says-its-texts' | 'says-others' | 'unknown';
  /** The service announced the length of a body, and it was right. */
  toldLength(): void;
  tellsLengths(): boolean;
  /** A body of `audioMs` ended, and there was no doubt about it. */
  undoubted(spoken: SpokenText, audioMs: number): void;
  /**
   * Two bodies of this request ended in the same doubtful way. After three such requests in a row it is taken for the usual
   * ending of the voice.
   */
  endedAlike(spoken: SpokenText, doubt: Doubt): void;
  isBelieved(spoken: SpokenText, doubt: Doubt): boolean;
  /**
   * A speech that nobody listens to was given up at `atMs`, because its sound breaks off; `body` is a digest of all of its bytes.
   */
  brokeOff(spoken: SpokenText, body: string, atMs: number): void;
  /**
   * Whether the voice says this text so: speech of it was given up with the very same bytes five times within more than a minute,
   * and the voice has spoken longer than these `audioMs`, so that no limit of the service cuts it there.
   */
  alwaysBreaksOff(spoken: SpokenText, body: string, audioMs: number): boolean;
};

type VoiceRecord = {
  perSecond: number;
  /** The longest undoubted speech, ms. */
  longestMs: number;
  fits: Fits;
  readonly believed: Set<Doubt>;
  /** Requests in a row that ended alike, by digest: the same request again proves nothing new. */
  alike: { readonly doubt: Doubt; readonly requests: Set<string> } | undefined;
};

const MAX_VOICES = 512;
/**
 * A voice or a service says its texts when at least `min` of its last clear speeches did, and at most `maxMisfitShare` did not: of
 * speech of other texts 1 in 30 seems to fit.
 */
const FITS = { remembered: 16, min: 2, maxMisfitShare: 0.2 } as const;
/** A service says something else (other texts, another language, music) when more than half of its speech does. */
const MISFITS = { min: 3, minShare: 0.5 } as const;

type Fits = readonly ('fits' | 'misfits')[];
const withOne = (fits: Fits, fit: Fits[number]): Fits => [...fits, fit].slice(-FITS.remembered);
const misfitsIn = (fits: Fits): number => fits.filter((fit) => fit === 'misfits').length;
const areTrusted = (fits: Fits): boolean =>
  fits.length - misfitsIn(fits) >= FITS.min && misfitsIn(fits) <= FITS.maxMisfitShare * fits.length;
const areOthers = (fits: Fits): boolean =>
  misfitsIn(fits) >= MISFITS.min && misfitsIn(fits) > MISFITS.minShare * fits.length;
/** A service that cuts bodies does it here and there; a sign in this many requests in a row comes from the voice. */
const BELIEVED_AFTER = 3;
/** As often as a work asks again for a part (service/speak-parts.ts): minutes, in which a service would cut here and there. */
const ALWAYS_AFTER = 5;
/** Less than the shortest pause between two tries of a work, and than its first five tries take. */
const MIN_APART_MS = 900;
const MIN_WITHIN_MS = 60_000;
const NEVER = { times: 0, firstMs: 0, lastMs: 0 } as const;
const MAX_BROKEN_OFF = 1024;
/** A limit of samples, tokens or bytes cuts all speech at the same length, give or take a piece of the encoder. */
const MIN_LONGER_MS = 500;
/** Bounds of speech, letters a second at speed 1: alphabets, and scripts with a syllable or more in a sign. */
const BOUNDS = { letters: { fastest: 25, slowest: 6 }, syllables: { fastest: 9, slowest: 2 } } as const;
/** Weight of a new body against all earlier ones. */
const NEWEST_SHARE = 0.2;
/** Shorter texts are mostly pauses. */
const MIN_LETTERS = 20;

const SYLLABIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Ethiopic}]/u;
const SPOKEN = /[\p{L}\p{N}]/gu;

/** Letters and digits: what of a text takes time to say. */
export const countLetters = (text: string): number => text.match(SPOKEN)?.length ?? 0;

export function createVoiceRecords(): VoiceRecords {
  const voices = new Map<string, VoiceRecord>();
  /** How often speech was given up, by voice, text and body, and when for the first and the last time. */
  const brokenOff = new Map<string, { times: number; readonly firstMs: number; lastMs: number }>();
  let ofService: Fits = [];
  let service: 'tells-lengths' | 'has-told-none' = 'has-told-none';

  const boundsOf = ({ text, speed }: SpokenText) => {
    const { fastest, slowest } = BOUNDS[SYLLABIC.test(text) ? 'syllables' : 'letters'];
    return { fastest: fastest * (speed ?? 1), slowest: slowest * (speed ?? 1) };
  };
  const keyOf = ({ voice, voice2, speed, language, text }: SpokenText) =>
    JSON.stringify([voice, voice2, speed ?? 1, language, SYLLABIC.test(text)]);

  const speechKeyOf = (spoken: SpokenText, body: string) =>
    digestOf(`${keyOf(spoken)}\n${spoken.text}\n${body}`);

  /** Marks the record as used last; the least recently used one is dropped. */
  const recordOf = (spoken: SpokenText): VoiceRecord => {
    const key = keyOf(spoken);
    const voice: VoiceRecord = voices.get(key) ?? {
      perSecond: boundsOf(spoken).fastest,
      longestMs: 0,
      fits: [],
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
    learn(spoken, letters, audioMs) {
      if (letters < MIN_LETTERS || audioMs <= 0) return;
      const voice = recordOf(spoken);
      voice.perSecond += NEWEST_SHARE * ((letters * 1000) / audioMs - voice.perSecond);
    },
    heardFit(spoken, fit) {
      if (fit === 'unclear') return;
      const voice = recordOf(spoken);
      voice.fits = withOne(voice.fits, fit);
      ofService = withOne(ofService, fit);
    },
    voiceFit: (spoken) => (areTrusted(voices.get(keyOf(spoken))?.fits ?? []) ? 'fitted-before' : 'unknown'),
    serviceFit() {
      if (areTrusted(ofService)) return 'says-its-texts';
      return areOthers(ofService) ? 'says-others' : 'unknown';
    },
    toldLength() {
      service = 'tells-lengths';
    },
    tellsLengths: () => service === 'tells-lengths',
    undoubted(spoken, audioMs) {
      const voice = recordOf(spoken);
      voice.alike = undefined;
      voice.longestMs = Math.max(voice.longestMs, audioMs);
    },
    endedAlike(spoken, doubt) {
      const voice = recordOf(spoken);
      if (voice.alike?.doubt !== doubt) voice.alike = { doubt, requests: new Set() };
      const { requests } = voice.alike;
      requests.add(digestOf(spoken.text));
      if (requests.size >= BELIEVED_AFTER) voice.believed.add(doubt);
    },
    isBelieved: (spoken, doubt) => voices.get(keyOf(spoken))?.believed.has(doubt) ?? false,
    brokeOff(spoken, body, atMs) {
      const key = speechKeyOf(spoken, body);
      const before = brokenOff.get(key);
      // Works that say the same text at the same time may be given one body by a cache.
      if (before !== undefined && atMs - before.lastMs < MIN_APART_MS) return;
      brokenOff.delete(key);
      brokenOff.set(key, {
        times: (before?.times ?? 0) + 1,
        firstMs: before?.firstMs ?? atMs,
        lastMs: atMs,
      });
      if (brokenOff.size > MAX_BROKEN_OFF) brokenOff.delete(brokenOff.keys().next().value!);
    },
    alwaysBreaksOff(spoken, body, audioMs) {
      const { times, firstMs, lastMs } = brokenOff.get(speechKeyOf(spoken, body)) ?? NEVER;
      if (times < ALWAYS_AFTER || lastMs - firstMs < MIN_WITHIN_MS) return false;
      return (voices.get(keyOf(spoken))?.longestMs ?? 0) >= audioMs + MIN_LONGER_MS;
    },
  };
}
