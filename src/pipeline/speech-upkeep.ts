// What all turns of a process share to keep speech whole: how fast voices speak, how many second bodies doubt may
// cost, and who is told. Made once by the program.

import { createRetryBudget, type RetryBudget } from '../limits/retry-budget.ts';
import { type Doubt, stallLimitMs } from './speech-guard.ts';
import { createSpeechPace, type SpeechPace } from './speech-pace.ts';

/**
 * How a break was passed: byte for byte, or joined by the sound of another take; not at all; or the second body of a
 * doubtful or junk one, however it was joined.
 */
export type ResumeKind = 'exact' | 'aligned' | 'failed' | 'regenerated';

export type SpeechUpkeep = {
  readonly pace: SpeechPace;
  /** How long no audio may come while some is wanted. */
  readonly stallLimitMs: typeof stallLimitMs;
  /** Second bodies for reasons of doubt; breaks are not charged. */
  readonly doubts: RetryBudget;
  readonly onResume: (kind: ResumeKind) => void;
  /** A body ended cleanly and does not look whole. */
  readonly onDoubt: (doubt: Doubt) => void;
};

export type SpeechUpkeepLimits = {
  /** However patient: after so long without audio a body is broken. */
  readonly mostStallMs?: number;
};

const DOUBTS = { share: 0.1, least: 3, windowMs: 10_000 };

export const createSpeechUpkeep = (
  told: Partial<Pick<SpeechUpkeep, 'onResume' | 'onDoubt'>> & SpeechUpkeepLimits = {},
): SpeechUpkeep => ({
  pace: createSpeechPace(),
  stallLimitMs: (...state) => Math.min(told.mostStallMs ?? Number.POSITIVE_INFINITY, stallLimitMs(...state)),
  doubts: createRetryBudget(DOUBTS),
  onResume: told.onResume ?? (() => {}),
  onDoubt: told.onDoubt ?? (() => {}),
});
