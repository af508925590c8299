// What all turns of a process share to recover broken or doubtful speech: what is known of voices, how many second bodies
// doubts may cost, and callbacks for metrics. Made once by the program; the recovery itself is in whole-body.ts and
// resume-policy.ts.

import { createRetryBudget, type RetryBudget } from '../../limits/retry-budget.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import { soundOfEnd } from './body-ending.ts';
import type { Doubt, Verdict } from './ending-verdict.ts';
import { stallLimitMs } from './speech-guard.ts';
import { createVoiceRecords, type VoiceRecords } from './voice-records.ts';

/**
 * How a break was passed: byte for byte; joined with another synthesis run by its sound; not at all; or by a second body
 * after a doubtful or junk one, however it was joined.
 */
export type ResumeKind = 'exact' | 'aligned' | 'failed' | 'regenerated';

export type SpeechRecovery = {
  readonly voices: VoiceRecords;
  /** How long no audio may come while some is wanted. */
  readonly stallLimitMs: typeof stallLimitMs;
  /** How the last second of a body sounds, where nothing surer is known of its end. */
  readonly soundOfEnd: typeof soundOfEnd;
  /** Second bodies for reasons of doubt; breaks are not charged. */
  readonly doubts: RetryBudget;
  readonly onResume: (kind: ResumeKind) => void;
  /** A body ended cleanly and does not look whole. */
  readonly onDoubt: (doubt: Doubt) => void;
  /** A body ended cleanly and is taken for whole. */
  readonly onWhole: (by: Extract<Verdict, { kind: 'whole' }>['by']) => void;
  /** A request was answered in this. */
  readonly onBody: (sound: AskedSound) => void;
};

export type SpeechRecoveryLimits = {
  /** Upper bound of the patience: a body without audio for this long is broken. */
  readonly mostStallMs?: number;
};

const DOUBTS = { share: 0.1, least: 3, windowMs: 10_000 };

export const createSpeechRecovery = (
  told: Partial<Pick<SpeechRecovery, 'onResume' | 'onDoubt' | 'onWhole' | 'onBody'>> &
    SpeechRecoveryLimits = {},
): SpeechRecovery => ({
  voices: createVoiceRecords(),
  stallLimitMs: (...state) => Math.min(told.mostStallMs ?? Number.POSITIVE_INFINITY, stallLimitMs(...state)),
  soundOfEnd,
  doubts: createRetryBudget(DOUBTS),
  onResume: told.onResume ?? (() => {}),
  onDoubt: told.onDoubt ?? (() => {}),
  onWhole: told.onWhole ?? (() => {}),
  onBody: told.onBody ?? (() => {}),
});
