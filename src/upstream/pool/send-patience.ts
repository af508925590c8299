// How long one request waits for a key that takes it. First words have a longest wait, because their listener has nothing
// to hear; they are refused as soon as it is certain that it will not do. Whatever else is asked for goes on with
// something, so it is given up only when nobody is served any more, or when its own listener has waited in vain.

import type { SpeechWork, WorkClass } from '../speech-work.ts';

/** Milliseconds from the call; or until the service has taken no request of anybody for ten minutes. */
export type LongestWait = number | 'while-served';

export type SendPatience = {
  /** When it is given up without a send, on the clock of `sinceMs`. It may move: ask again. */
  untilMs(): number;
  /** What is done when it is certain that this wait is in vain. */
  inVain(): 'leave' | 'stay';
};

export type SendPatienceOptions = {
  /** Its class and its own bound are read anew each time: it may come to be worth more. */
  readonly work: Pick<SpeechWork, 'class' | 'waitsUntilMs'>;
  readonly sinceMs: number;
  readonly waitOf: (work: WorkClass) => LongestWait;
  /** When the service last took a request; infinitely long ago when it never did. */
  readonly servedAtMs: () => number;
};

/** Windows are a minute long, and holds hardly ever longer: after ten nothing is to be expected. */
const MAX_UNSERVED_MS = 10 * 60_000;
/**
 * Nothing waits without an end. Far longer than a request waits for its turn while others are served, so that this never
 * takes the place of the rule above.
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
