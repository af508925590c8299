// Delivers the outbox to its receivers: checks when something is due or when notified, sends within bounds, writes the
// results. At least once, always under the same id; never the same message twice at a time. A fault of the store or of a
// receiver delays that message and no other.

import { setMaxListeners } from 'node:events';
import { signWebhook } from '../../access/webhook-signature.ts';
import { toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { pause } from '../../base/pause.ts';
import type { Random } from '../../base/random.ts';
import {
  isDelivered,
  judgeWebhook,
  type WebhookOutcome,
  type WebhookVerdict,
} from '../../limits/webhook-schedule.ts';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryState,
  DeliveryStore,
} from '../../storage/delivery-store.ts';
import type { GuardedFetch } from '../fetch/guarded-fetch.ts';
import { type ClaimedDelivery, createWebhookLine, type LineBounds } from './webhook-line.ts';

// One attempt at one delivery: signed anew and sent once. Of the receiver's answer only the status is kept.
type WebhookSender = {
  readonly fetch: Pick<GuardedFetch, 'post'>;
  /** `whsec_…`, the newest first. */
  readonly secretsOf: (owner: string) => readonly string[];
  readonly clock: Clock;
  readonly unixMs: () => number;
};

type EndedAttempt = {
  readonly attempt: DeliveryAttempt;
  readonly outcome: WebhookOutcome;
  readonly endedAtMs: number;
};

/** An answer that takes longer is none (Standard Webhooks 1.0.0 recommends 15 to 30 s). */
const WEBHOOK_ANSWER_MS = 15_000;

function problemOf(status: number): string | undefined {
  if (isDelivered(status)) return undefined;
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
}

/** Rejects only when `signal` ends it or the program stops: that was no attempt. */
async function attemptWebhook(
  { id, owner, url, body }: Delivery,
  { fetch, secretsOf, clock, unixMs }: WebhookSender,
  signal: AbortSignal,
): Promise<EndedAttempt> {
  const atMs = unixMs();
  const startedMs = clock.now();
  const ended = (outcome: WebhookOutcome, problem: string | undefined): EndedAttempt => {
    const tookMs = Math.round(clock.now() - startedMs);
    return { attempt: { atMs, tookMs, status: outcome.status, problem }, outcome, endedAtMs: unixMs() };
  };
  const signature = signWebhook({ id, timestampS: Math.floor(atMs / 1000), body }, secretsOf(owner));
  const headers = { 'content-type': 'application/json', ...signature };
  try {
    const outcome = await fetch.post(url, { headers, body, deadlineMs: WEBHOOK_ANSWER_MS }, signal);
    return ended(outcome, problemOf(outcome.status));
  } catch (error) {
    const { code, message } = toAppError(error);
    if (signal.aborted || code === 'shutting_down') throw error;
    return ended({ status: undefined, retryAfterMs: undefined }, message);
  }
}

export type WebhookDispatcherOptions = WebhookSender & {
  readonly store: DeliveryStore;
  readonly random: Random;
  readonly log: Log;
  readonly bounds?: LineBounds | undefined;
  /** For the metrics: what came of each attempt. */
  readonly onAttempt?: ((verdict: WebhookVerdict['kind']) => void) | undefined;
};

export type WebhookDispatcher = {
  /** Something was added to the store, or made due again. */
  readonly recheck: () => void;
  /**
   * Begins nothing more, and waits up to `withinMs` for what is on its way; the rest is hung up on. What was not settled
   * is sent again by the process that runs when the claims have run out.
   */
  stop(withinMs: number): Promise<void>;
};

/**
 * 32 sockets with bodies of 20 KB cost next to nothing; 4 to one host bring 80 messages a second to a receiver that
 * answers in 50 ms, and 8 of one owner leave room for others when all receivers of that owner hang.
 */
const WEBHOOK_BOUNDS: LineBounds = {
  atOnce: 32,
  perHost: 4,
  perOwner: 8,
  waiting: 1024,
  waitingEach: 256,
};

const BATCH = 64;
/** How long a claim lasts, and what must be left of it when an attempt begins: the answer and the writing. */
const HOLD_MS = 120_000;
const MIN_HELD_MS = WEBHOOK_ANSWER_MS + 10_000;
/** Another process may have added something without telling this one. */
const MAX_REST_MS = 60_000;
/** What is due and yet not given is held by a claim; it may come free at any time. */
const HELD_REST_MS = 1000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** For what is hung up on to end. */
const LAST_WAIT_MS = 1000;

const STATES: Readonly<Record<WebhookVerdict['kind'], DeliveryState>> = {
  delivered: 'delivered',
  again: 'pending',
  'given-up': 'given-up',
  gone: 'given-up',
};
/** Fine enough for a factor between 0 and 1. */
const SHARES = 1 << 20;

const backoffMs = (failures: number): number =>
  Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Begins at once. */
export function createWebhookDispatcher(options: WebhookDispatcherOptions): WebhookDispatcher {
  const { store, clock, unixMs, random, log, bounds = WEBHOOK_BOUNDS, onAttempt } = options;
  const line = createWebhookLine(bounds);
  const stopping = new AbortController();
  const ending = new AbortController();
  // Each attempt under way listens to it; Node warns of more than ten.
  setMaxListeners(0, ending.signal);
  const running = new Set<Promise<void>>();
  let wake: (() => void) | undefined;
  let news: 'none' | 'recheck' | 'full' = 'none';

  const recheck = () => {
    news = 'recheck';
    wake?.();
  };
  /** Until `ms` are over or a recheck is asked for. */
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const disarm = clock.after(ms, () => wake?.());
      wake = () => {
        wake = undefined;
        disarm();
        resolve();
      };
      if (news === 'recheck' || stopping.signal.aborted) wake();
    });
  const tell = (error: unknown) =>
    log.warn('webhook_not_written', { cause: error instanceof Error ? error.name : 'unknown' });

  /** Writes it as often as it takes, and keeps its place meanwhile: while the store is away, little is sent. */
  const settle = async (delivery: Delivery, { attempt, outcome, endedAtMs }: EndedAttempt) => {
    const number = delivery.tries + 1;
    const verdict = judgeWebhook(outcome, number, random.below(SHARES) / SHARES);
    let nextAtMs = verdict.kind === 'again' ? endedAtMs + verdict.pauseMs : undefined;
    let state = STATES[verdict.kind];
    const { id, owner, url, type } = delivery;
    let told = false;
    /** Once, when it is known what comes of it; the store may be away afterwards. */
    const tellResult = (result: WebhookVerdict['kind']) => {
      if (told) return;
      told = true;
      onAttempt?.(result);
      const { status } = attempt;
      log.debug('webhook_attempt', { id, type, attempt: number, status, verdict: result });
      if (result === 'given-up' || result === 'gone')
        log.warn('webhook_given_up', { id, type, tenant: owner, attempts: number, status });
    };
    if (verdict.kind !== 'given-up') tellResult(verdict.kind);
    for (let failures = 0; ; failures++) {
      try {
        // In this order both may be repeated: an attempt is written once.
        if (verdict.kind === 'gone') await store.silence(owner, url, unixMs());
        // Replayed during what would have been its last attempt.
        if (verdict.kind === 'given-up' && (await store.find(owner, id))?.tries !== delivery.tries) {
          state = 'pending';
          nextAtMs = endedAtMs + HELD_REST_MS;
        }
        tellResult(state === 'pending' ? 'again' : verdict.kind);
        await store.settle(id, attempt, { state, nextAtMs });
        break;
      } catch (error) {
        tell(error);
        await pause(backoffMs(failures), clock, ending.signal);
      }
    }
    if (nextAtMs !== undefined) recheck();
  };

  const deliver = async (claimed: ClaimedDelivery) => {
    const { delivery } = claimed;
    try {
      if (await store.isSilenced(delivery.owner, delivery.url))
        await store.silence(delivery.owner, delivery.url, unixMs());
      else await settle(delivery, await attemptWebhook(delivery, options, ending.signal));
    } catch (error) {
      // Not settled: it comes again when the claim has run out.
      if (!ending.signal.aborted) tell(error);
    }
  };

  const start = () => {
    if (stopping.signal.aborted) return;
    for (let claimed = line.next(); claimed !== undefined; claimed = line.next()) {
      const going = claimed;
      // It waited too long: another process may have it by now, or will in a moment.
      if (going.heldUntilMs - clock.now() < MIN_HELD_MS) {
        line.leave(going);
        continue;
      }
      const task = deliver(going).then(() => {
        line.leave(going);
        running.delete(task);
        start();
        if (news === 'full' && line.room() >= Math.min(BATCH, bounds.waiting / 2)) recheck();
      });
      running.add(task);
    }
  };

  /** Claims and starts what is due; answers with how long there is nothing to look for. */
  const look = async (): Promise<number> => {
    news = 'none';
    while (!stopping.signal.aborted && line.room() > 0) {
      const heldUntilMs = clock.now() + HOLD_MS;
      const limit = Math.min(BATCH, line.room());
      const found = await store.due({ nowMs: unixMs(), holdMs: HOLD_MS, limit });
      for (const delivery of found) line.add({ delivery, host: hostOf(delivery.url), heldUntilMs });
      start();
      if (found.length < limit) break;
      await new Promise<void>((resolve) => clock.soon(resolve));
    }
    if (line.room() === 0) {
      news = 'full';
      return MAX_REST_MS;
    }
    const nextAtMs = await store.nextDueMs();
    if (nextAtMs === undefined) return MAX_REST_MS;
    const ms = nextAtMs - unixMs();
    return ms > 0 ? Math.min(ms, MAX_REST_MS) : HELD_REST_MS;
  };

  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const ms = await look();
        failures = 0;
        await rest(ms);
      } catch (error) {
        tell(error);
        await pause(backoffMs(failures++), clock, stopping.signal).catch(() => {});
      }
    }
  };
  const loop = run();

  return {
    recheck,
    async stop(withinMs) {
      stopping.abort(new Error('stopping'));
      line.clear();
      wake?.();
      const done = Promise.all([loop, ...running]);
      const wait = (ms: number) => {
        let disarm = () => {};
        const late = new Promise<void>((resolve) => (disarm = clock.after(ms, resolve)));
        return Promise.race([done, late]).finally(() => disarm());
      };
      await wait(withinMs);
      ending.abort(new Error('stopped'));
      await wait(LAST_WAIT_MS);
    },
  };
}
