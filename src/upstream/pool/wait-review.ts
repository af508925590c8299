// What the requests in the line are told: on arrival, and then every 1.5 s, how long the wait will be. A request that,
// by the forecast, cannot be sent in its time is refused at once; one of a turn that has begun stays until its time is over.
// When the forecast may have become worse, all are judged anew. One forecast serves a whole pass, and long passes of
// notices go in slices, so that thousands of waiting requests do not block the event loop.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { leavesLessAtMs } from '../quota/quota-reserve.ts';
import type { SendWaiter } from './send-waiter.ts';
import type { ForetoldWait, WaitForecast } from './wait-forecast.ts';
import type { WorkQueue } from './work-queue.ts';

export type WaitReview = {
  /** The next moment at which time alone changes something for somebody here; perhaps too early. */
  dueMs(): number;
  add(waiter: SendWaiter): void;
  /** It is worth more now: it is told and judged as one that has just come. */
  renew(waiter: SendWaiter): void;
  /** It waits no longer, for whatever reason. */
  drop(waiter: SendWaiter): void;
  /** Something is to be looked at by then. */
  wake(atMs: number): void;
  /** The forecast may have become worse for everybody. */
  doubt(): void;
  /** Tells those of whom enough is known, `isKnown`, what awaits them, if they have not heard it yet. */
  judge(isKnown: (waiter: SendWaiter) => boolean): void;
  /** Refuses whoever has waited long enough, and tells all others when it is time to. */
  tick(): void;
  turnAway(waiter: SendWaiter, retryAfterMs: number): void;
};

export type WaitReviewOptions = {
  readonly queue: WorkQueue<SendWaiter>;
  readonly forecast: WaitForecast;
  readonly clock: Clock;
  /** Somebody's wait would be too long. */
  readonly onTooLong: () => void;
  /** Its time is over. Answers whether it is asked for once more, without a reserve for others, before it is refused. */
  readonly tryWithoutReserve: (waiter: SendWaiter) => boolean;
};

/** Notices are promised every 2 s; the difference is for late timers and the way to the client. */
const NOTICE_MS = 1_500;
/** Waiters looked at in one go: well below a millisecond. */
const SLICE = 100;
/** No caller is asked back sooner: it would only meet the same line. */
const MIN_RETRY_MS = 1_000;

export const busyError = (why: string, retryAfterMs: number) =>
  new AppError('busy', `${why}; try again later.`, {
    retryAfterMs: Math.ceil(Math.max(MIN_RETRY_MS, retryAfterMs)),
  });

export function createWaitReview(options: WaitReviewOptions): WaitReview {
  const { queue, forecast, clock, onTooLong } = options;
  const here = new Set<SendWaiter>();
  /** Those who have not yet heard what awaits them. */
  const fresh = new Set<SendWaiter>();
  let nextNoticeMs = 0;
  /** No later than the next such moment of anybody here; those who have left may make it too early. */
  let nextTurnMs = Number.POSITIVE_INFINITY;
  let standing: 'trusted' | 'doubted' = 'trusted';
  /** The pass under way, if any; another one takes its place. */
  let pass: { readonly tells: 'all' | 'refused' } | undefined;

  const lastMs = (waiter: SendWaiter) => {
    const untilMs = waiter.patience.untilMs();
    return fresh.has(waiter) ? Math.max(untilMs, waiter.answerByMs) : untilMs;
  };
  /** When time alone changes something for a waiter: it becomes urgent, may ask again, or has waited long enough. */
  const turnMs = (waiter: SendWaiter, nowMs: number) => {
    const ownMs = [leavesLessAtMs(waiter.work, nowMs), waiter.askAgainMs].filter((atMs) => atMs > nowMs);
    return Math.min(lastMs(waiter), ...ownMs);
  };

  const turnAway = (waiter: SendWaiter, retryAfterMs: number) => {
    queue.remove(waiter);
    onTooLong();
    waiter.refuse(busyError('The wait for the speech service is too long', retryAfterMs));
  };
  /** Answers whether the waiter stays: whoever has waited does unless it is certain that this is in vain. */
  const isInTime = (waiter: SendWaiter, { etaMs, leastMs }: ForetoldWait, nowMs: number): boolean => {
    if (waiter.patience.inVain() === 'stay') return true;
    const leftMs = waiter.patience.untilMs() - nowMs;
    if ((fresh.has(waiter) ? etaMs : leastMs) <= leftMs) return true;
    turnAway(waiter, etaMs - leftMs);
    return false;
  };
  const tell = (waiter: SendWaiter, { reason, etaMs }: ForetoldWait, ahead: number) =>
    waiter.onQueued?.({ reason, position: ahead + 1, etaMs: Math.ceil(etaMs) });

  const review = (tells: 'all' | 'refused') => {
    const waiters = [...queue.order()];
    const mine = { tells: pass?.tells === 'all' ? 'all' : tells } as const;
    let next = 0;
    let ahead = 0;
    const slice = () => {
      if (pass !== mine) return;
      const nowMs = clock.now();
      const foretell = forecast(nowMs);
      for (const end = Math.min(waiters.length, next + SLICE); next < end; next++) {
        const waiter = waiters[next]!;
        if (!here.has(waiter)) continue;
        if (!fresh.has(waiter)) {
          const wait = foretell(waiter.work, ahead);
          if (!isInTime(waiter, wait, nowMs)) continue;
          if (mine.tells === 'all') tell(waiter, wait, ahead);
        }
        ahead += 1;
      }
      if (next < waiters.length) clock.soon(slice);
      else pass = undefined;
    };
    pass = mine;
    slice();
  };

  return {
    dueMs: () => Math.min(nextNoticeMs, nextTurnMs),
    add(waiter) {
      const nowMs = clock.now();
      if (here.size === 0) {
        nextNoticeMs = nowMs + NOTICE_MS;
        nextTurnMs = Number.POSITIVE_INFINITY;
      }
      here.add(waiter);
      fresh.add(waiter);
      nextTurnMs = Math.min(nextTurnMs, turnMs(waiter, nowMs));
    },
    renew(waiter) {
      if (!here.has(waiter)) return;
      fresh.add(waiter);
      nextTurnMs = Math.min(nextTurnMs, turnMs(waiter, clock.now()));
    },
    drop(waiter) {
      here.delete(waiter);
      fresh.delete(waiter);
    },
    wake(atMs) {
      nextTurnMs = Math.min(nextTurnMs, atMs);
    },
    doubt() {
      standing = 'doubted';
    },
    judge(isKnown) {
      const nowMs = clock.now();
      const isWorse = standing === 'doubted' && [...here].every(isKnown);
      if (isWorse) standing = 'trusted';
      if (isWorse && here.size > fresh.size) review('refused');
      if (fresh.size === 0) return;
      const foretell = forecast(nowMs);
      for (const waiter of fresh) {
        if (!isKnown(waiter)) continue;
        const ahead = queue.ahead(waiter);
        const wait = foretell(waiter.work, ahead);
        if (!isInTime(waiter, wait, nowMs)) continue;
        fresh.delete(waiter);
        tell(waiter, wait, ahead);
        nextTurnMs = Math.min(nextTurnMs, turnMs(waiter, nowMs));
      }
    },
    tick() {
      const nowMs = clock.now();
      // Sends that come free wake the line far more often than time changes something for a request in it.
      if (nowMs < Math.min(nextNoticeMs, nextTurnMs)) return;
      const foretell = forecast(nowMs);
      nextTurnMs = Number.POSITIVE_INFINITY;
      for (const waiter of here) {
        if (lastMs(waiter) <= nowMs && !options.tryWithoutReserve(waiter))
          turnAway(waiter, foretell(waiter.work, queue.ahead(waiter)).etaMs);
        else nextTurnMs = Math.min(nextTurnMs, turnMs(waiter, nowMs));
      }
      // In a long line the moments of many are close together: one pass serves several, at most 1 ms late for each `SLICE`.
      nextTurnMs = Math.max(nextTurnMs, nowMs + Math.floor(here.size / SLICE));
      if (nowMs < nextNoticeMs) return;
      nextNoticeMs = nowMs + NOTICE_MS;
      review('all');
    },
    turnAway,
  };
}
