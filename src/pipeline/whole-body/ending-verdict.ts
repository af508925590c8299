// Decides whether a body that ended properly holds all of its text, from everything that is known of its end. Pure.
// whole-body.ts requests a doubtful body again, body-ending.ts gathers the evidence. The figures were measured with some
// 17,000 cuts and 1,700 whole bodies of our engine, flite and festival (docs/decisions/0048).

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
  /** Audio that the stream's own tag announced and that did not come, and the longest that speech of the text can last. */
  readonly missingMs: number;
  readonly longestMs: number;
  /**
   * What the service says of the body's length, compared with what has come. `not-this-time`: it announces lengths, but not for
   * this body; undefined: it says nothing.
   */
  readonly told: 'all' | 'another-length' | 'not-this-time' | undefined;
  /** The body compared with our own speech of the text; undefined: that was not possible, or not in time. */
  readonly heard: HeardEnding | undefined;
  /** Why it was not compared, if it was not: no slot or no time (`late`), or there never is a reference (`none`). */
  readonly reference: 'late' | 'none';
  /** How its last second sounds; asked for only where nothing surer is known. */
  readonly sound: () => SoundEnding | undefined;
  /** Doubts that this voice has raised so often that they are taken for its usual ending. */
  readonly believed: (doubt: Doubt) => boolean;
  /** `fitted-before`: earlier speech of this voice was found to say its text. */
  readonly voice: 'fitted-before' | 'unknown';
  /** Whether nearly all speech of the service, of any voice, was found to say its text, or most of it something else. */
  readonly service: 'says-its-texts' | 'says-others' | 'unknown';
  readonly audioMs: number;
  readonly letters: number;
  /** The fastest that the voice speaks, as far as is known. */
  readonly lettersPerSecond: number;
};

export type Verdict =
  /** `by`: what proves it; `nothing`: there is no evidence against it. */
  | { readonly kind: 'whole'; readonly by: 'told' | 'heard' | 'nothing' }
  | {
      readonly kind: 'doubt';
      readonly doubt: Doubt;
      /** `likely` is outweighed by a second body that ends in the same way, `sure` is not. */
      readonly certainty: 'sure' | 'likely';
      /** Whether a voice, or the encoder of its service, may always end like this. */
      readonly habit: 'possible' | 'impossible';
    };

/** Above this a speech has not reached the end of its text; 1 in 2,000 whole ones is above it. */
const MAX_MISSING_COST = 45;
/** The same where the speech does not end in silence. */
const MAX_MISSING_COST_ABRUPT = 15;
const MIN_CLOSING_SILENCE_MS = 100;
/**
 * A speech that fits the reference no better than shuffled speech says something else: another text, another language, music.
 * The limit rises with the length that was heard. For an unknown service 1.2 s must be below 0.85 and 3 s below 0.89: speech
 * of another text hardly ever is, nine in ten speeches of the text are. For a service that says its texts: 0.90 and 0.94.
 */
const MAX_MISMATCH = { ofStranger: 0.92, ofTrusted: 0.97, lessByMs: 80 } as const;
/** The same for a voice that has fitted before. */
const MAX_MISMATCH_OF_FITTED = 0.97;
/**
 * The same for a speech that breaks off in the middle of a sound, where the voice or its service is known to say its texts:
 * whole speech ends so in one case of thousands.
 */
const MAX_MISMATCH_OF_BROKEN = 1;
const MAX_BROKEN_SILENCE_MS = 40;
/** Above this, and with this much heard, it is surely of another text. */
const MIN_MISFIT = 0.97;
const MIN_TELLING_MS = 1000;
/** Speech shorter than this part of the reference is cut, whatever it says. */
const MIN_LENGTH_RATIO = 0.3;
/**
 * With fewer letters a third of the text is hardly a sound; many scripts write a syllable with one letter. A service that is not
 * known to say its texts may answer a short one with a chime.
 */
const MIN_LETTERS_OF_RATIO = { ofTrusted: 8, ofStranger: 20 } as const;

/** A sound that ends less than this below its loudest frame breaks off: 13 dB; 1 whole body in 200, every second cut one. */
const SURE_BREAK_NATS = 3;
/** 26 dB: 1 whole body in 40, four of five cut ones. */
const LIKELY_BREAK_NATS = 6;

/** Shorter texts say nothing about a pace. */
const MIN_LETTERS = 20;
/** Speech shorter than this share of what the pace predicts is too short. */
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
  // A doubt that is believed to be the usual ending says nothing of the others.
  for (const judge of [byFrames, byWords, bySound, byPace]) {
    const verdict = judge(end);
    if (verdict?.kind === 'whole') return verdict;
    if (verdict !== undefined && !end.believed(verdict.doubt)) return verdict;
  }
  return { kind: 'whole', by: 'nothing' };
}

function byFrames({ cutFrameBytes, missingMs, audioMs, longestMs }: CleanEnd): Verdict | undefined {
  if (cutFrameBytes > 0) return doubtful('cut-frame', 'sure', 'possible');
  // A tag that announces more than any speech of the text was written before the audio existed.
  const isPromiseBelieved = audioMs + missingMs <= longestMs;
  return missingMs > 0 && isPromiseBelieved ? doubtful('frames-missing', 'sure', 'possible') : undefined;
}

const saysItsTexts = ({ voice, service }: CleanEnd): boolean =>
  voice === 'fitted-before' || service === 'says-its-texts';

/** Whether the reference can be compared with this speech. */
function isComparable(heard: HeardEnding, end: CleanEnd): boolean {
  const { voice, service } = end;
  const { mismatch, missingCost, silentMs, kind } = heard;
  // It was not computed: then nothing seemed to be missing.
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

/** Whether what was heard is speech of its text, as far as that is clear; it characterises the service, cut or not. */
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
 * Only where there never is a reference: audio that says something else than the text need not be speech at all, and where the
 * reference was only late this time the sign is not worth another request.
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
