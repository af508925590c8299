import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/base/app-error.ts';
import {
  kindOf,
  NOTHING_SPENT,
  nextTry,
  type Spent,
  spend,
  type Trouble,
  type TryResult,
} from '../../../src/pipeline/whole-body/resume-policy.ts';

const error = (code: ErrorCode, retryAfterMs?: number) =>
  new AppError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs });
const broken: Trouble = { error: error('upstream_broken') };
const tooShort: Trouble = { error: error('upstream_broken'), doubt: 'too-short' };
const answered = (brought: TryResult['brought']): TryResult => ({ refusal: undefined, brought });
const refused = (code: ErrorCode, retryAfterMs?: number): TryResult => ({
  refusal: error(code, retryAfterMs),
  brought: 'nothing-new',
});

describe('the next try', () => {
  it('is for breaks while they cost less than three, and once for a doubt', () => {
    const at = (cost: number, regenerations: number): Spent => ({ cost, regenerations, pauseMs: 0 });
    for (const [trouble, spent, next] of [
      [broken, NOTHING_SPENT, 'resume'],
      [broken, at(2, 1), 'resume'],
      [broken, at(3, 0), 'none'],
      [broken, at(4, 0), 'none'],
      [{ error: error('upstream_timeout') }, NOTHING_SPENT, 'resume'],
      [{ error: error('upstream_bad_audio') }, NOTHING_SPENT, 'none'],
      [{ error: error('internal') }, NOTHING_SPENT, 'none'],
      [tooShort, at(3, 0), 'regenerate'],
      [tooShort, at(0, 1), 'none'],
      [{ error: error('upstream_bad_audio'), doubt: 'no-audio' }, NOTHING_SPENT, 'regenerate'],
    ] as const)
      expect([trouble.error.code, spent, nextTry(trouble, spent)]).toEqual([trouble.error.code, spent, next]);
  });

  it('costs by what came of the one before, and comes when it can be answered', () => {
    const LISTENER_HAS_MS = 1000;
    for (const [trouble, result, cost, regenerations, pauseMs] of [
      [broken, answered('new-audio'), 1, 0, 0],
      [broken, answered('nothing-new'), 2, 0, 0],
      [broken, answered('unlike'), 3, 0, 0],
      [broken, refused('upstream_unreachable', 5000), 2, 0, 0],
      [broken, refused('upstream_timeout'), 2, 0, 0],
      [broken, refused('busy', 999), 2, 0, 999],
      [broken, refused('rate_limited', 999), 2, 0, 999],
      [broken, refused('upstream_rate_limited', 999), 2, 0, 999],
      [broken, refused('busy', 1000), 3, 0, 0],
      [broken, refused('busy'), 3, 0, 0],
      [broken, refused('upstream_rejected', 10), 3, 0, 0],
      [broken, refused('shutting_down', 10), 3, 0, 0],
      [tooShort, answered('new-audio'), 0, 1, 0],
      [tooShort, answered('nothing-new'), 0, 1, 0],
      [tooShort, answered('unlike'), 3, 1, 0],
      [tooShort, refused('upstream_rejected'), 3, 1, 0],
    ] as const) {
      const spent = spend(NOTHING_SPENT, trouble, result, LISTENER_HAS_MS);
      const what = [result.refusal?.code, result.brought];
      expect([what, spent]).toEqual([what, { cost, regenerations, pauseMs }]);
    }
  });

  it('adds to what was spent, and waits only for the last refusal', () => {
    const once = spend(NOTHING_SPENT, broken, refused('busy', 10), 1000);
    expect(nextTry(broken, once)).toBe('resume');
    expect(spend(once, broken, answered('new-audio'), 0)).toEqual({ cost: 3, regenerations: 0, pauseMs: 0 });
    expect(nextTry(broken, spend(once, broken, refused('busy', 10), 1000))).toBe('none');
  });
});

describe('a try that has passed the break', () => {
  it('is called by how it was joined, or made anew for a doubt', () => {
    expect((['exact', 'aligned', 'agreed'] as const).map((how) => kindOf(broken, how))).toEqual([
      'exact',
      'aligned',
      'regenerated',
    ]);
    expect((['exact', 'aligned', 'agreed'] as const).map((how) => kindOf(tooShort, how))).toEqual([
      'regenerated',
      'regenerated',
      'regenerated',
    ]);
  });
});
