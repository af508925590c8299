// Two requests for the same audio: the first to answer is used, the other is cut at once. The second starts only if the first
// is late, and a failure counts only when no other request is under way.

import type { Clock } from '../../base/clock.ts';

export type Runner<Result> = {
  readonly result: Promise<Result>;
  cancel(reason: Error): void;
};

export type Hedge<Result> = {
  /** How late the first must be, ms. */
  readonly afterMs: number;
  /** Starts the second; undefined: there is none, for instance because `isWanted` has become false meanwhile. */
  start(isWanted: () => boolean): Promise<Runner<Result> | undefined>;
  /** What became of the second, once; `lost` also when both were cut. */
  onEnd(result: 'won' | 'lost' | 'failed'): void;
};

const BEATEN = new Error('another request for the same audio answered first');

/** Settles as the first does, unless the second is better. */
export function raceHedge<Result extends { readonly ok: boolean }>(
  first: Runner<Result>,
  hedge: Hedge<Result>,
  clock: Clock,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let second: Runner<Result> | undefined;
    let over = false;
    /** What the first failed with, while the second is under way. */
    let failed: Result | undefined;

    const finish = (settle: () => void) => {
      over = true;
      disarm();
      settle();
    };
    const broken = (error: Error) => {
      if (over) return;
      if (second !== undefined) hedge.onEnd('lost');
      finish(() => reject(error));
    };
    const firstEnded = (result: Result) => {
      if (over) return;
      if (!result.ok && second !== undefined) {
        failed = result;
        return;
      }
      if (second !== undefined) {
        second.cancel(BEATEN);
        hedge.onEnd('lost');
      }
      finish(() => resolve(result));
    };
    const secondEnded = (result: Result) => {
      if (over) return;
      if (result.ok) {
        first.cancel(BEATEN);
        hedge.onEnd('won');
        finish(() => resolve(result));
        return;
      }
      second = undefined;
      hedge.onEnd('failed');
      if (failed !== undefined) finish(() => resolve(result));
    };
    const startSecond = async () => {
      const started = await hedge.start(() => !over);
      if (started === undefined) return;
      if (over) {
        started.cancel(BEATEN);
        hedge.onEnd('lost');
      } else second = started;
      // Beaten, or cancelled by the caller, which the first reports as well.
      started.result.then(secondEnded, broken);
    };

    const disarm = clock.after(hedge.afterMs, () => void startSecond());
    first.result.then(firstEnded, broken);
  });
}
