// Whether the rest of a speech is asked for once more when its body broke, or ended in doubt; what every try costs,
// and what it is called. Pure judgements over plain values; who acts on them is whole-body.ts.

import type { AppError } from '../../base/app-error.ts';
import type { HeardEnding } from '../../captions/alignment/heard-ending.ts';
import type { Passed } from './catch-up.ts';
import type { Doubt } from './ending-verdict.ts';
import type { ResumeKind } from './speech-upkeep.ts';

/** What is wrong with the speech so far. */
export type Trouble = {
  readonly error: AppError;
  /** Why a second body may help although the first was not cut; undefined: it was. */
  readonly doubt?: Doubt | 'no-audio' | undefined;
  /** `likely`: it is taken for whole where no second body is to be had. */
  readonly certainty?: 'sure' | 'likely';
  /** Where its words are, if they were found. */
  readonly heard?: HeardEnding | undefined;
};

export type Spent = {
  /** Of the tries after breaks, together. */
  readonly cost: number;
  readonly regenerations: number;
  /** What is to be waited before the next try. */
  readonly pauseMs: number;
};

/** What has come of a try. */
export type TryResult = {
  /** Why it was not answered; undefined: it was. */
  readonly refusal: AppError | undefined;
  /** `unlike`: another take, that fits nowhere. */
  readonly brought: 'new-audio' | 'nothing-new' | 'unlike';
};

/** One for each resume, and another one when nothing new came of it. */
const MOST_COST = 3;

export const NOTHING_SPENT: Spent = { cost: 0, regenerations: 0, pauseMs: 0 };

/** Whether the rest is worth another request: breaks while they lead on, doubts once. */
export function nextTry({ error, doubt }: Trouble, spent: Spent): 'resume' | 'regenerate' | 'none' {
  if (doubt !== undefined) return spent.regenerations === 0 ? 'regenerate' : 'none';
  const isBreak = error.code === 'upstream_broken' || error.code === 'upstream_timeout';
  return isBreak && spent.cost < MOST_COST ? 'resume' : 'none';
}

/** What has been spent when a try for `trouble` is over; the listener has audio for `remainingMs`. */
export function spend(spent: Spent, trouble: Trouble, result: TryResult, remainingMs: number): Spent {
  const { refusal, brought } = result;
  const pauseMs = refusal === undefined ? 0 : pauseAfter(refusal, remainingMs);
  const isDoubt = trouble.doubt !== undefined;
  const price = isDoubt ? 0 : brought === 'new-audio' ? 1 : 2;
  return {
    cost: pauseMs === 'for-good' || brought === 'unlike' ? MOST_COST : spent.cost + price,
    regenerations: spent.regenerations + (isDoubt ? 1 : 0),
    pauseMs: pauseMs === 'for-good' ? 0 : pauseMs,
  };
}

/**
 * How long it makes sense to wait when a request was not answered, ms. The pool has waited and tried others before;
 * where it was full, it is asked again only if the listener has audio for as long as that takes.
 */
function pauseAfter({ code, retryAfterMs }: AppError, remainingMs: number): number | 'for-good' {
  if (code === 'upstream_unreachable' || code === 'upstream_timeout') return 0;
  const isFull = code === 'busy' || code === 'rate_limited' || code === 'upstream_rate_limited';
  return isFull && retryAfterMs !== undefined && retryAfterMs < remainingMs ? retryAfterMs : 'for-good';
}

/** What a try is called that has passed the break. */
export function kindOf({ doubt }: Trouble, passed: Passed): ResumeKind {
  // Two whole takes that agree were compared, not joined: like any answer to a doubt it is a body made anew.
  return doubt !== undefined || passed === 'agreed' ? 'regenerated' : passed;
}
