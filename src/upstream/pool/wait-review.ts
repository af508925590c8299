// What the requests in the line are told: on arrival, and then every 1.5 s, how long the wait will be. A request that cannot be
// sent in time, by the forecast, is refused at once; one of a turn that has begun stays until its time is over. When the
// forecast may have become worse, all are judged again. One forecast serves a whole pass, and long passes of notices are
// sliced, so that thousands of waiting requests do not block the event loop.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { leavesLessAtMs } from '../quota/quota-reserve.ts';
import type { SendWaiter } from './send-line.ts';
import type { ForetoldWait, WaitForecast } from './wait-forecast.ts';
import type { WorkQueue } from './work-queue.ts';

export type WaitReview = {
  /** The next moment at which time alone changes something for a waiter; perhaps too early. */
  dueMs(): number;
  add(waiter: SendWaiter): void;
  /** Its class has risen: it is told and judged like a new one. */
  renew(waiter: SendWaiter): void;
  /** It no longer waits, for whatever reason. */
  drop(waiter: SendWaiter): void;
  /** Something must be checked by then. */
  wake(atMs: number): void;
  /** The forecast may have become worse for all. */
  doubt(): void;
  /** Tells new waiters of which enough is known (`isKnown`) how long they will wait. */
  judge(isKnown: (waiter: SendWaiter) => boolean): void;
  /** Refuses waiters whose time is over, and notifies all others when it is time. */
  tick(): void;
  turnAway(waiter: SendWaiter, retryAfterMs: number): void;
};

export type WaitReviewOptions = {
  readonly queue: WorkQueue<SendWaiter>;
  readonly forecast: WaitForecast;
  readonly clock: Clock;
  /** A waiter is refused because its wait would be too long. */
  readonly onTooLong: () => void;
  /** Its time is over. Returns whether the store is asked once more, without a reserve for others, before it is refused. */
  readonly tryWithoutReserve: (waiter: SendWaiter) => boolean;
};

/** Notices are promised every 2 s; the difference is for late timers and the network. */
const NOTICE_MS = 1_500;
/** Waiters looked at in one go: well below a millisecond. */
const SLICE = 100;
/** Shortest retry time: sooner a caller would meet the same line. */
const MIN_RETRY_MS = 1_000;

export const busyError = (why: string, retryAfterMs: number) =>
  new AppError('busy', `${why}; try again later.`, {
    retryAfterMs: Math.ceil(Math.max(MIN_RETRY_MS, retryAfterMs)),
  });

export function createWaitReview(options: WaitReviewOptions): WaitReview {
  const { queue, forecast, clock, onTooLong } = options;
  const here = new Set<SendWaiter>();
  /** Waiters that have not been told yet how long they will wait. */
  const fresh = new Set<SendWaiter>();
  let nextNoticeMs = 0;
  /** No later than the next such moment of any waiter; those that have left may make it too early. */
  let nextTurnMs = Number.POSITIVE_INFINITY;
  let standing: 'trusted' | 'doubted' = 'trusted';
  /** The pass under way, if any; another one replaces it. */
  let pass: { readonly tells: 'all' | 'refused' } | undefined;

  const lastMs = (waiter: SendWaiter) => {
    const untilMs = waiter.patience.untilMs();
    return fresh.has(waiter) ? Math.max(untilMs, waiter.answerByMs) : untilMs;
  };
  /** When time alone changes something for a waiter: it becomes urgent, may ask again, or its time is over. */
  const turnMs = (waiter: SendWaiter, nowMs: number) => {
    const ownMs = [leavesLessAtMs(waiter.work, nowMs), waiter.askAgainMs].filter((atMs) => atMs > nowMs);
    return Math.min(lastMs(waiter), ...ownMs);
  };

  const turnAway = (waiter: SendWaiter, retryAfterMs: number) => {
    queue.remove(waiter);
    onTooLong();
    waiter.refuse(busyError('The wait for the speech service is too long', retryAfterMs));
  };
  /** Whether the waiter stays: one that has been told stays unless it is certain that it waits in vain. */
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
      // The line is called far more often, for sends that come free, than time changes something for a request in it.
      if (nowMs < Math.min(nextNoticeMs, nextTurnMs)) return;
      const foretell = forecast(nowMs);
      nextTurnMs = Number.POSITIVE_INFINITY;
      for (const waiter of here) {
        if (lastMs(waiter) <= nowMs && !options.tryWithoutReserve(waiter))
          turnAway(waiter, foretell(waiter.work, queue.ahead(waiter)).etaMs);
        else nextTurnMs = Math.min(nextTurnMs, turnMs(waiter, nowMs));
      }
      // In a long line such moments are close together: one pass serves several, at most 1 ms late for each `SLICE`.
      nextTurnMs = Math.max(nextTurnMs, nowMs + Math.floor(here.size / SLICE));
      if (nowMs < nextNoticeMs) return;
      nextNoticeMs = nowMs + NOTICE_MS;
      review('all');
    },
    turnAway,
  };
}
