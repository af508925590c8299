// Whether the rest of a speech is requested once more when its body broke or ended in doubt, what every try costs, and what
// it is called. Pure decisions over plain values; whole-body.ts acts on them.

import type { AppError } from '../../base/app-error.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { Passed } from './catch-up.ts';
import type { Doubt } from './ending-verdict.ts';
import type { ResumeKind } from './speech-recovery.ts';

/** What is wrong with the speech so far. */
export type Trouble = {
  readonly error: AppError;
  /** Why a second body may help although the first ended cleanly; undefined: the first was cut. */
  readonly doubt?: Doubt | 'no-audio' | undefined;
  /** `likely`: it is taken for whole where no second body can be had. */
  readonly certainty?: 'sure' | 'likely';
  /** Where its words are, if they were found. */
  readonly heard?: HeardEnding | undefined;
};

export type Spent = {
  /** Of the tries after breaks, together. */
  readonly cost: number;
  readonly regenerations: number;
  /** Wait before the next try. */
  readonly pauseMs: number;
};

/** What has come of a try. */
export type TryResult = {
  /** Why it was not answered; undefined: it was. */
  readonly refusal: AppError | undefined;
  /** `unlike`: a different synthesis run that cannot be joined. */
  readonly brought: 'new-audio' | 'nothing-new' | 'unlike';
};

/** A resume costs one, and one more when it brought nothing new. */
const MAX_COST = 3;

export const NOTHING_SPENT: Spent = { cost: 0, regenerations: 0, pauseMs: 0 };

/** Whether the rest is worth another request: after breaks while they make progress, after doubts once. */
export function nextTry({ error, doubt }: Trouble, spent: Spent): 'resume' | 'regenerate' | 'none' {
  if (doubt !== undefined) return spent.regenerations === 0 ? 'regenerate' : 'none';
  const isBreak = error.code === 'upstream_broken' || error.code === 'upstream_timeout';
  return isBreak && spent.cost < MAX_COST ? 'resume' : 'none';
}

/** What has been spent when a try for `trouble` is over; the listener has audio for `remainingMs`. */
export function spend(spent: Spent, trouble: Trouble, result: TryResult, remainingMs: number): Spent {
  const { refusal, brought } = result;
  const pauseMs = refusal === undefined ? 0 : pauseAfter(refusal, remainingMs);
  const isDoubt = trouble.doubt !== undefined;
  const price = isDoubt ? 0 : brought === 'new-audio' ? 1 : 2;
  return {
    cost: pauseMs === 'for-good' || brought === 'unlike' ? MAX_COST : spent.cost + price,
    regenerations: spent.regenerations + (isDoubt ? 1 : 0),
    pauseMs: pauseMs === 'for-good' ? 0 : pauseMs,
  };
}

/**
 * How long to wait when a request was not answered, ms. The pool has already waited and tried other keys; where it was
 * full, it is asked again only if the listener has audio for that long.
 */
function pauseAfter({ code, retryAfterMs }: AppError, remainingMs: number): number | 'for-good' {
  if (code === 'upstream_unreachable' || code === 'upstream_timeout') return 0;
  const isFull = code === 'busy' || code === 'rate_limited' || code === 'upstream_rate_limited';
  return isFull && retryAfterMs !== undefined && retryAfterMs < remainingMs ? retryAfterMs : 'for-good';
}

/** The name of a try that has passed the break. */
export function kindOf({ doubt }: Trouble, passed: Passed): ResumeKind {
  // Two whole runs that agree were compared, not joined: reported like any second body after a doubt.
  return doubt !== undefined || passed === 'agreed' ? 'regenerated' : passed;
}
