// The one line in front of the keys: it asks the store for a send, one question at a time, and gives it to the request that is
// first in order when the answer comes. Leaving takes effect at once, however long the store takes. What waiting requests are
// told, and when they are refused, is in wait-review.ts. One timer serves all.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { createQuotaOutlook } from '../quota/quota-outlook.ts';
import { HEDGE_LEAVE, leastLeaveOf, leaveOf } from '../quota/quota-reserve.ts';
import type { QuotaAnswer, QuotaId, QuotaStore } from '../quota/quota-store.ts';
import type { OpenOptions } from '../speech-upstream.ts';
import type { SpeechWork, WorkClass } from '../speech-work.ts';
import type { PoolMember } from './pool-member.ts';
import type { PoolMembers } from './pool-members.ts';
import { createSendGrants, type Question, type Send, type Wish } from './send-grants.ts';
import type { SendPatience } from './send-patience.ts';
import { createWaitForecast } from './wait-forecast.ts';
import { busyError, createWaitReview } from './wait-review.ts';
import { createWorkQueue, type QueueBounds, type QueueEntry } from './work-queue.ts';

export type Entry = Pick<OpenOptions, 'signal' | 'onQueued' | 'prefer'> &
  Pick<QueueEntry, 'place'> &
  Pick<SendWaiter, 'tried' | 'accepts' | 'patience' | 'characters'> & {
    readonly work: SpeechWork;
  };

/** One request in the line: what it is for, how long it may wait, and which keys it accepts. */
export type SendWaiter = QueueEntry &
  Wish &
  Pick<OpenOptions, 'onQueued'> & {
    readonly patience: SendPatience;
    /** Of its text. */
    readonly characters: number;
    /** Keys whose month has no characters left for it. */
    readonly spent: Set<QuotaId>;
    /** Until then it waits for the store, not in the line. */
    answerByMs: number;
    /** `any`: the best keys had nothing. */
    choice: 'best' | 'any';
    /** The keys that it insists on had nothing: they are not asked again before. */
    askAgainMs: number;
    readonly grant: (send: Send) => void;
    readonly refuse: (error: AppError) => void;
  };

export const REFUSAL_REASONS = ['full', 'tenant_full', 'too_long', 'closing'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type SendLine = {
  length(): number;
  waiting(): Readonly<Partial<Record<WorkClass, number>>>;
  /** A send, at once if possible; rejects with `busy`, `shutting_down`, or the signal's reason. */
  enter(entry: Entry): Promise<Send>;
  /** A send outside `tried` for work that never waits, if the line is empty; undefined when there is none. */
  tryNow(tried: ReadonlySet<PoolMember>, characters: number): Promise<Send | undefined>;
  /** Refuses all requests, waiting and new. */
  close(): void;
};

export type SendLineOptions = {
  readonly members: PoolMembers;
  readonly store: QuotaStore;
  readonly bounds: QueueBounds;
  readonly clock: Clock;
  readonly random: Random;
  readonly onRefused: (reason: RefusalReason) => void;
};

/** A store answers within 100 ms; even a request that may not wait waits for its answer. */
const ANSWER_MS = 250;
/** A request that insists on keys without a send asks again at least this often: a send may be given back. */
const ASK_AGAIN_MS = 1_000;
/** A store whose answer failed is asked again after this. */
const BROKEN_STORE: QuotaAnswer = { granted: false, waitsMs: [1_000] };

export function createSendLine(options: SendLineOptions): SendLine {
  const { members, store, bounds, clock, random, onRefused } = options;
  const queue = createWorkQueue<SendWaiter>(bounds);
  const outlook = createQuotaOutlook();
  const grants = createSendGrants({
    members,
    store,
    outlook,
    clock,
    random,
    onFreed: () => pump(),
    onRefused: () => review.doubt(),
  });
  const forecast = createWaitForecast({ members, store, outlook, grants });
  const review = createWaitReview({
    queue,
    forecast,
    clock,
    onTooLong: () => onRefused('too_long'),
    tryWithoutReserve: (waiter) => tryWithoutReserve(waiter),
  });
  let phase: 'idle' | 'pumping' | 'asking' | 'closed' = 'idle';
  let disarm = () => {};

  const choiceOf = (waiter: SendWaiter, nowMs: number) => {
    const choice = waiter.choice === 'any' ? undefined : grants.choiceOf(waiter, nowMs);
    if (choice === undefined || waiter.spent.size === 0) return choice;
    const left = choice.filter((quota) => !waiter.spent.has(quota));
    return left.length > 0 ? left : undefined;
  };

  /** The best keys for `waiter` have no send: it accepts other keys, or asks again later. */
  const chooseAgain = (waiter: SendWaiter, waitMs: number) => {
    if (waiter.accepts === 'any') {
      waiter.choice = 'any';
      return;
    }
    const nowMs = clock.now();
    const leftMs = waiter.patience.untilMs() - nowMs;
    if (waitMs > leftMs && waiter.patience.inVain() === 'leave')
      return review.turnAway(waiter, waitMs - leftMs);
    waiter.askAgainMs = nowMs + Math.max(1, Math.min(ASK_AGAIN_MS, waitMs));
    review.wake(waiter.askAgainMs);
  };
  /** Asks for `waiter`. The queue may have changed when the answer comes: the first that may use the send gets it. */
  const ask = (waiter: SendWaiter, usable: readonly QuotaId[], nowMs: number): 'answered' | 'asking' => {
    const leave = leaveOf(waiter.work, nowMs);
    const choice = choiceOf(waiter, nowMs);
    const among = choice ?? usable;
    const question = grants.ask(among, leave, waiter.characters);
    const settle = (answer: QuotaAnswer) => {
      if (answer.granted) give(answer.quota, question, { leave, characters: waiter.characters });
      else if (answer.spent !== undefined && answer.spent.length > 0) spend(waiter, answer.spent);
      else if (choice === undefined) outlook.refused({ among, leave }, answer.waitsMs, clock.now());
      else if (queue.has(waiter)) chooseAgain(waiter, answer.waitsMs[0] ?? 0);
    };
    if (!('then' in question.answer)) {
      settle(question.answer);
      return 'answered';
    }
    const later = (answer: QuotaAnswer) => {
      if (phase === 'asking') phase = 'idle';
      settle(answer);
      pump();
    };
    question.answer.then(later, () => later(BROKEN_STORE));
    return 'asking';
  };
  /** It asks the other keys, if there are any. */
  const spend = (waiter: SendWaiter, quotas: readonly QuotaId[]) => {
    if (!queue.has(waiter)) return;
    for (const quota of quotas) waiter.spent.add(quota);
    if (!members.all.every(({ quota }) => waiter.spent.has(quota))) return;
    queue.remove(waiter);
    waiter.refuse(outOfCharacters());
  };
  const give = (
    quota: QuotaId,
    question: Question,
    { leave, characters }: { readonly leave: number; readonly characters: number },
  ) => {
    const nowMs = clock.now();
    const suits = (waiter: SendWaiter) =>
      leaveOf(waiter.work, nowMs) <= leave &&
      grants.isAlike(characters, waiter.characters) &&
      grants.hasSessionRoom(waiter.session) &&
      (choiceOf(waiter, nowMs)?.includes(quota) ?? true);
    const waiter = phase === 'closed' ? undefined : queue.next(suits);
    const send = grants.accept(quota, question, waiter);
    if (waiter === undefined || send === undefined) return;
    queue.take(waiter);
    waiter.grant(send);
  };

  /** The next waiter to ask for, and among which quotas. A long line is skipped by classes, not one by one. */
  const nextQuestion = (nowMs: number) => {
    if (queue.length() === 0) return undefined;
    const usable = members.usable(nowMs);
    if (usable.length === 0) return undefined;
    outlook.compare(usable);
    const closedFrom = outlook.closedFrom(nowMs);
    const mayAsk = (waiter: SendWaiter) =>
      leaveOf(waiter.work, nowMs) < closedFrom &&
      (waiter.spent.size === 0 || usable.some((quota) => !waiter.spent.has(quota))) &&
      grants.hasSessionRoom(waiter.session) &&
      (waiter.accepts === 'any' ||
        (waiter.askAgainMs <= nowMs && members.untried(nowMs, waiter.tried).length > 0));
    const waiter = queue.next(mayAsk, (of) => leastLeaveOf(of) < closedFrom);
    return waiter && { waiter, usable: usable.filter((quota) => !waiter.spent.has(quota)) };
  };
  const askForAll = () => {
    phase = 'pumping';
    for (;;) {
      const nowMs = clock.now();
      const question = nextQuestion(nowMs);
      if (question === undefined) {
        phase = 'idle';
        return;
      }
      if (ask(question.waiter, question.usable, nowMs) === 'asking') {
        phase = 'asking';
        return;
      }
    }
  };
  /** Something has changed: serves the waiters that it can, notifies the others, and sets the timer anew. */
  const pump = () => {
    // A store may call back while it is asked; the loop that asks checks again anyway.
    if (phase === 'pumping' || phase === 'closed') return;
    if (phase === 'idle') askForAll();
    if (queue.length() > 0) {
      const nowMs = clock.now();
      const closedFrom = outlook.closedFrom(nowMs);
      review.judge(({ work }) => phase !== 'asking' || leaveOf(work, nowMs) >= closedFrom);
    }
    arm();
  };
  const arm = () => {
    disarm();
    disarm = () => {};
    if (queue.length() === 0) return;
    const nowMs = clock.now();
    const freeMs = nowMs + Math.min(outlook.nextMs(nowMs), members.coolDownMs(nowMs));
    const dueMs = Math.min(review.dueMs(), freeMs);
    // Whole milliseconds, and at least one, so that rounding cannot make it fire just too early for ever.
    disarm = clock.after(Math.max(1, Math.ceil(dueMs - nowMs)), tick);
  };
  /**
   * No request is refused while a key is free: before its refusal the store is asked once more without leaving a part of the
   * quota to others. Returns `false` when it leaves none already.
   */
  const tryWithoutReserve = (waiter: SendWaiter): boolean => {
    if (leaveOf(waiter.work, clock.now()) === 0) return false;
    queue.rise(waiter, { ...waiter.work, class: 'resume' });
    renew(waiter);
    return true;
  };
  const renew = (waiter: SendWaiter) => {
    waiter.answerByMs = clock.now() + ANSWER_MS;
    review.renew(waiter);
  };
  const tick = () => {
    pump();
    review.tick();
    pump();
  };

  const refuseClosing = () => {
    onRefused('closing');
    return new AppError('shutting_down', 'Voxgate is shutting down and starts no more speech.');
  };
  members.heed(store.state());
  store.onChange(() => {
    members.heed(store.state());
    outlook.forget();
    review.doubt();
    pump();
  });

  return {
    length: () => queue.length(),
    waiting() {
      const counts: Partial<Record<WorkClass, number>> = {};
      for (const { work } of queue.order()) counts[work.class] = (counts[work.class] ?? 0) + 1;
      return counts;
    },
    async enter({ signal, work, place, prefer, tried, accepts, characters, onQueued, patience }) {
      signal.throwIfAborted();
      if (phase === 'closed') throw refuseClosing();
      return new Promise((resolve, reject) => {
        const done = () => {
          review.drop(waiter);
          stopHeeding?.();
          signal.removeEventListener('abort', leave);
        };
        const leave = () => {
          done();
          queue.remove(waiter);
          reject(signal.reason as Error);
          arm();
        };
        const waiter: SendWaiter = {
          work: standingOf(work),
          place,
          session: work.session,
          prefer,
          tried,
          accepts,
          characters,
          spent: new Set(),
          choice: 'best',
          askAgainMs: 0,
          patience,
          answerByMs: clock.now() + ANSWER_MS,
          ...(onQueued === undefined ? {} : { onQueued }),
          grant(send) {
            done();
            resolve(send);
          },
          refuse(error) {
            done();
            reject(error);
          },
        };
        const added = queue.add(waiter);
        if (added !== 'added') {
          onRefused(added === 'full' ? 'full' : 'tenant_full');
          reject(busyError('Too many requests already wait for the speech service', members.holdMs()));
          return;
        }
        review.add(waiter);
        const stopHeeding = work.onRise?.(() => {
          queue.rise(waiter, standingOf(work));
          // Treated as new: it has another longest wait now.
          renew(waiter);
          pump();
        });
        signal.addEventListener('abort', leave, { once: true });
        pump();
      });
    },
    async tryNow(tried, characters) {
      const among = members.untried(clock.now(), tried);
      if (phase !== 'idle' || queue.length() > 0 || among.length === 0) return undefined;
      const wish: Wish = { session: undefined, prefer: undefined, tried, accepts: 'untried' };
      const question = grants.ask(among, HEDGE_LEAVE, characters);
      const answer = await Promise.resolve(question.answer).catch(() => BROKEN_STORE);
      return answer.granted ? grants.accept(answer.quota, question, wish) : undefined;
    },
    close() {
      phase = 'closed';
      disarm();
      for (const waiter of queue.order()) {
        queue.remove(waiter);
        waiter.refuse(refuseClosing());
      }
    },
  };
}

/** As a key that the service refuses for its money. */
const outOfCharacters = () =>
  new AppError(
    'upstream_unauthorized',
    'The characters of this month are used up for every key of the speech service; wait for the next month, or raise charactersPerMonth if the plan has more.',
  );

/** The present class and deadline of work. */
const standingOf = ({ class: of, tenant, deadlineMs }: SpeechWork): QueueEntry['work'] => ({
  class: of,
  tenant,
  deadlineMs,
});
