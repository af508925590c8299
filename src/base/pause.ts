// A wait on the clock that a signal can end.

import type { Clock } from './clock.ts';

/** Resolves after `ms`, or at once when that is 0; rejects with the signal's reason. */
export const pause = (ms: number, clock: Clock, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    if (ms === 0) return resolve();
    const stop = () => {
      disarm();
      reject(signal?.reason as Error);
    };
    const disarm = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
