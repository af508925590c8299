// How long one request waits for a key. First words have a longest wait, because their listener has nothing to hear; they are
// refused as soon as it is certain that they cannot be sent in time. Other requests continue something, so they are given up
// only when the service takes no request any more, or when their own listener has waited in vain.

import type { SpeechWork, WorkClass } from '../speech-work.ts';

/** Milliseconds from the call; `while-served`: until the service has taken no request at all for ten minutes. */
export type LongestWait = number | 'while-served';

export type SendPatience = {
  /** When it is given up without a send, on the clock of `sinceMs`. It may change: read it again. */
  untilMs(): number;
  /** What to do when it is certain that this wait is in vain. */
  inVain(): 'leave' | 'stay';
};

export type SendPatienceOptions = {
  /** Class and own bound are read again each time: they may change. */
  readonly work: Pick<SpeechWork, 'class' | 'waitsUntilMs'>;
  readonly sinceMs: number;
  readonly waitOf: (work: WorkClass) => LongestWait;
  /** When the service last took a request; infinitely long ago when it never did. */
  readonly servedAtMs: () => number;
};

/** Windows are a minute long, and back-offs hardly ever longer: after ten minutes nothing is to be expected. */
const MAX_UNSERVED_MS = 10 * 60_000;
/**
 * Upper bound of every wait, far longer than a request waits while others are served, so that it never replaces the rule
 * above.
 */
const MAX_WAIT_MS = 24 * 60 * 60_000;

export function longestWait({ work, sinceMs, waitOf, servedAtMs }: SendPatienceOptions): SendPatience {
  return {
    untilMs() {
      const longest = waitOf(work.class);
      const ownMs = work.waitsUntilMs?.(sinceMs);
      if (longest !== 'while-served') return ownMs ?? sinceMs + longest;
      const unservedMs = Math.max(sinceMs, servedAtMs()) + MAX_UNSERVED_MS;
      return Math.min(ownMs ?? Number.POSITIVE_INFINITY, unservedMs, sinceMs + MAX_WAIT_MS);
    },
    inVain: () => (waitOf(work.class) === 'while-served' ? 'stay' : 'leave'),
  };
}
