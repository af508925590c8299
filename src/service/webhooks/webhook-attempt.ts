// One attempt at one delivery: signed anew, sent once, and put into our own words. What the receiver says besides its
// status is neither kept nor repeated.

import { signWebhook } from '../../access/webhook-signature.ts';
import { toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { isDelivered, type WebhookOutcome } from '../../limits/webhook-schedule.ts';
import type { Delivery, DeliveryAttempt } from '../../storage/delivery-store.ts';
import type { GuardedFetch } from '../fetch/guarded-fetch.ts';

export type WebhookSender = {
  readonly fetch: Pick<GuardedFetch, 'post'>;
  /** `whsec_…`, the newest first. */
  readonly secretsOf: (owner: string) => readonly string[];
  readonly clock: Clock;
  readonly unixMs: () => number;
};

export type EndedAttempt = {
  readonly attempt: DeliveryAttempt;
  readonly outcome: WebhookOutcome;
  readonly endedAtMs: number;
};

/** An answer that takes longer is none (Standard Webhooks 1.0.0 recommends 15 to 30 s). */
export const WEBHOOK_ANSWER_MS = 15_000;

function problemOf(status: number): string | undefined {
  if (isDelivered(status)) return undefined;
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
}

/** Rejects only when `signal` ends it or the program stops: that was no attempt. */
export async function attemptWebhook(
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
