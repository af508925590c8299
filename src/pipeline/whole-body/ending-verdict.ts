// Whether a body that came to a proper end holds all of its text, from everything that is known of its end. Pure; who asks
// for a doubtful body again is whole-body.ts, where the evidence comes from is body-ending.ts. The figures were measured
// with some 17,000 cuts and 1,700 whole bodies of our engine, flite and festival (docs/decisions/0048).

import type { HeardEnding, SoundEnding } from '../../captions/alignment/heard-ending.ts';

/** Why a body that ended cleanly may not be all of its speech. */
export type Doubt =
  | 'cut-frame'
  | 'frames-missing'
  | 'bytes-missing'
  | 'words-missing'
  | 'breaks-off'
  | 'too-short';

export type CleanEnd = {
  /** Bytes of a frame that is not whole. */
  readonly cutFrameBytes: number;
  /** Audio that the stream's own tag promised and that did not come, and the longest that the text can take. */
  readonly missingMs: number;
  readonly longestMs: number;
  /**
   * What the service itself says of the body's length, against what has come: it has told it of other bodies, and not of this one;
   * undefined: it says nothing.
   */
  readonly told: 'all' | 'another-length' | 'not-this-time' | undefined;
  /** The body held against our own speech of the text; undefined: that was not possible, or not in time. */
  readonly heard: HeardEnding | undefined;
  /** Why it was not held against a reference, if it was not: there was no place or no time for it, or there never is one. */
  readonly reference: 'late' | 'none';
  /** How its last second sounds; asked for only where nothing surer is known. */
  readonly sound: () => SoundEnding | undefined;
  /** Doubts that this voice has raised so often that they are how it ends. */
  readonly believed: (doubt: Doubt) => boolean;
  /** Speech of this voice was found to say its text before. */
  readonly voice: 'fitted-before' | 'unknown';
  /** Nearly all speech of the service was found to say its text, whatever the voice, or most of it something else. */
  readonly service: 'says-its-texts' | 'says-others' | 'unknown';
  readonly audioMs: number;
  readonly letters: number;
  /** The fastest that the voice speaks, as far as is known. */
  readonly lettersPerSecond: number;
};

export type Verdict =
  /** `by`: what proves it; `nothing`: only that nothing speaks against it. */
  | { readonly kind: 'whole'; readonly by: 'told' | 'heard' | 'nothing' }
  | {
      readonly kind: 'doubt';
      readonly doubt: Doubt;
      /** `likely` is outweighed by a second body that ends in the same way, `sure` is not. */
      readonly certainty: 'sure' | 'likely';
      /** Whether a voice, or what its service encodes with, may always end like this. */
      readonly habit: 'possible' | 'impossible';
    };

/** Above this a speech has not come to the end of its text: of whole ones 1 in 2,000. */
const MAX_MISSING_COST = 45;
/** The same where it does not end in silence. */
const MAX_MISSING_COST_ABRUPT = 15;
const MIN_CLOSING_SILENCE_MS = 100;
/**
 * A speech that fits the reference no better than one in another order says something else than the reference: another text,
 * another language, music. The limit rises with what was heard. Of a service that nothing is known of, 1.2 s have to be below
 * 0.85 and 3 s below 0.89: speech of another text hardly ever is, nine in ten speeches of the text are. Of one that
 * says its texts, below 0.90 and 0.94.
 */
const MAX_MISMATCH = { ofStranger: 0.92, ofTrusted: 0.97, lessByMs: 80 } as const;
/** The same for a voice that has fitted before. */
const MAX_MISMATCH_OF_FITTED = 0.97;
/**
 * The same for a speech that breaks off in the midst of a sound, where the voice, or others of the service, have been heard to say
 * their texts: whole speech ends so in one case of thousands.
 */
const MAX_MISMATCH_OF_BROKEN = 1;
const MAX_BROKEN_SILENCE_MS = 40;
/** What is surely of another text, if so much of it was heard. */
const MIN_MISFIT = 0.97;
const MIN_TELLING_MS = 1000;
/** Speech of less than this part of the reference's is cut, whatever it says. */
const MIN_LENGTH_RATIO = 0.3;
/**
 * Of a text of fewer letters a third is hardly a sound; many scripts write a syllable with one letter. A service that was never
 * heard to say a text may answer a short one with a chime.
 */
const MIN_LETTERS_OF_RATIO = { ofTrusted: 8, ofStranger: 20 } as const;

/** A sound that ends so little below its loudest frame breaks off: 13 dB, which 1 whole body in 200 does and every other cut one. */
const SURE_BREAK_NATS = 3;
/** 26 dB: 1 whole body in 40, four of five cut ones. */
const LIKELY_BREAK_NATS = 6;

/** Shorter texts say nothing about a pace. */
const MIN_LETTERS = 20;
/** Less than this share of what the pace promises is not believed. */
const MIN_PACE_SHARE = 0.5;

const doubtful = (doubt: Doubt, certainty: 'sure' | 'likely', habit: 'possible' | 'impossible'): Verdict => ({
  kind: 'doubt',
  doubt,
  certainty,
  habit,
});

/** The surest evidence counts: what the service says, what the frames say, the words, the sound, the pace. */
export function verdictOf(end: CleanEnd): Verdict {
  if (end.told === 'all') return { kind: 'whole', by: 'told' };
  if (end.told !== undefined) return doubtful('bytes-missing', 'sure', 'impossible');
  // One doubt that is believed says nothing of the others.
  for (const judge of [byFrames, byWords, bySound, byPace]) {
    const verdict = judge(end);
    if (verdict?.kind === 'whole') return verdict;
    if (verdict !== undefined && !end.believed(verdict.doubt)) return verdict;
  }
  return { kind: 'whole', by: 'nothing' };
}

function byFrames({ cutFrameBytes, missingMs, audioMs, longestMs }: CleanEnd): Verdict | undefined {
  if (cutFrameBytes > 0) return doubtful('cut-frame', 'sure', 'possible');
  // A promise of more than any speech of the text was written before there was any.
  const isPromiseBelieved = audioMs + missingMs <= longestMs;
  return missingMs > 0 && isPromiseBelieved ? doubtful('frames-missing', 'sure', 'possible') : undefined;
}

const saysItsTexts = ({ voice, service }: CleanEnd): boolean =>
  voice === 'fitted-before' || service === 'says-its-texts';

/** Whether the reference tells anything of this speech. */
function isComparable(heard: HeardEnding, end: CleanEnd): boolean {
  const { voice, service } = end;
  const { mismatch, missingCost, silentMs, kind } = heard;
  // It was not looked for: then nothing seemed to be missing.
  if (mismatch === undefined) return true;
  if (service === 'says-others' && voice === 'unknown') return false;
  const isTrusted = saysItsTexts(end);
  const breaksOff =
    kind === 'speech-like' && silentMs <= MAX_BROKEN_SILENCE_MS && missingCost > MAX_MISSING_COST;
  if (isTrusted && breaksOff) return mismatch <= MAX_MISMATCH_OF_BROKEN;
  if (voice === 'fitted-before') return mismatch <= MAX_MISMATCH_OF_FITTED;
  return mismatch <= maxMismatch(heard, isTrusted ? 'ofTrusted' : 'ofStranger');
}

const maxMismatch = ({ spokenMs }: HeardEnding, whose: 'ofStranger' | 'ofTrusted'): number =>
  MAX_MISMATCH[whose] - MAX_MISMATCH.lessByMs / Math.max(1, spokenMs);

/** Whether what was heard is speech of its text, as far as that is clear: it tells of the service, whether it was cut or not. */
export function fitOf(heard: HeardEnding): 'fits' | 'misfits' | 'unclear' {
  const { mismatch, spokenMs } = heard;
  if (mismatch === undefined || spokenMs < MIN_TELLING_MS) return 'unclear';
  if (mismatch > MIN_MISFIT) return 'misfits';
  return mismatch <= maxMismatch(heard, 'ofStranger') ? 'fits' : 'unclear';
}

function byWords(end: CleanEnd): Verdict | undefined {
  const { heard, letters } = end;
  if (heard === undefined) return undefined;
  const { missingCost, lengthRatio, silentMs } = heard;
  if (!isComparable(heard, end)) {
    const minLetters = MIN_LETTERS_OF_RATIO[saysItsTexts(end) ? 'ofTrusted' : 'ofStranger'];
    const isTooShort = letters >= minLetters && lengthRatio < MIN_LENGTH_RATIO;
    return isTooShort ? doubtful('too-short', 'sure', 'possible') : undefined;
  }
  const endsInSilence = silentMs >= MIN_CLOSING_SILENCE_MS;
  if (missingCost <= (endsInSilence ? MAX_MISSING_COST : MAX_MISSING_COST_ABRUPT))
    return { kind: 'whole', by: 'heard' };
  // A voice may end in its own words, but not in the middle of one.
  return doubtful('words-missing', 'sure', endsInSilence ? 'possible' : 'impossible');
}

/**
 * Only where there never is a reference: sound that says something else than the text need not be speech at all, and with a
 * reference that was only late this time the sign is not worth a request.
 */
function bySound(end: CleanEnd): Verdict | undefined {
  if (end.heard !== undefined || end.reference === 'late' || end.service === 'says-others') return undefined;
  const sound = end.sound();
  if (sound === undefined || sound.kind === 'steady' || sound.dropNats >= LIKELY_BREAK_NATS) return undefined;
  return doubtful('breaks-off', sound.dropNats < SURE_BREAK_NATS ? 'sure' : 'likely', 'possible');
}

function byPace({ letters, audioMs, lettersPerSecond }: CleanEnd): Verdict | undefined {
  if (letters < MIN_LETTERS) return undefined;
  const promisedMs = (letters * 1000) / lettersPerSecond;
  return audioMs < MIN_PACE_SHARE * promisedMs ? doubtful('too-short', 'sure', 'possible') : undefined;
}
