// What all turns of a process share to keep speech whole: what is known of voices, how many second bodies doubt may
// cost, and who is told. Made once by the program.

import { createRetryBudget, type RetryBudget } from '../../limits/retry-budget.ts';
import type { Doubt, Verdict } from './ending-verdict.ts';
import { soundOfEnd } from './sound-of-end.ts';
import { stallLimitMs } from './speech-guard.ts';
import { createVoiceRecords, type VoiceRecords } from './voice-records.ts';

/**
 * How a break was passed: byte for byte, or joined by the sound of another take; not at all; or the second body of a
 * doubtful or junk one, however it was joined.
 */
export type ResumeKind = 'exact' | 'aligned' | 'failed' | 'regenerated';

export type SpeechUpkeep = {
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
};

export type SpeechUpkeepLimits = {
  /** However patient: after so long without audio a body is broken. */
  readonly mostStallMs?: number;
};

const DOUBTS = { share: 0.1, least: 3, windowMs: 10_000 };

export const createSpeechUpkeep = (
  told: Partial<Pick<SpeechUpkeep, 'onResume' | 'onDoubt' | 'onWhole'>> & SpeechUpkeepLimits = {},
): SpeechUpkeep => ({
  voices: createVoiceRecords(),
  stallLimitMs: (...state) => Math.min(told.mostStallMs ?? Number.POSITIVE_INFINITY, stallLimitMs(...state)),
  soundOfEnd,
  doubts: createRetryBudget(DOUBTS),
  onResume: told.onResume ?? (() => {}),
  onDoubt: told.onDoubt ?? (() => {}),
  onWhole: told.onWhole ?? (() => {}),
});
