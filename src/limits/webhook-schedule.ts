// When a webhook is tried again, and when not: what each outcome of an attempt means. Arithmetic only.

/** From one attempt's end to the next one: ten attempts within 75.6 hours (Standard Webhooks 1.0.0, retry schedule). */
const PAUSES_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
];
export const MAX_WEBHOOK_ATTEMPTS = PAUSES_MS.length + 1;

/** A pause is lengthened by up to this share of itself, so that what failed together does not come back together. */
const JITTER_SHARE = 0.1;
/** Statuses that say "later", and whose `Retry-After` is heeded. */
const LATER: readonly number[] = [429, 502, 503, 504];
const GONE = 410;

export type WebhookOutcome = {
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
};

export type WebhookVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly pauseMs: number }
  | { readonly kind: 'given-up' }
  /** The receiver wants nothing more at this address. */
  | { readonly kind: 'gone' };

export const isDelivered = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

/**
 * After the `attempt`th of a round (from 1) ended so; `share` (0 ≤ share < 1) is a random number. A redirect is a failure: it is
 * never followed. `retryAfterMs` comes bounded from `parseRetryAfter`; it only ever lengthens a pause.
 */
export function judgeWebhook(
  { status, retryAfterMs }: WebhookOutcome,
  attempt: number,
  share: number,
): WebhookVerdict {
  if (isDelivered(status)) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'gone' };
  const pauseMs = PAUSES_MS[attempt - 1];
  if (pauseMs === undefined) return { kind: 'given-up' };
  const leastMs = status !== undefined && LATER.includes(status) ? (retryAfterMs ?? 0) : 0;
  return { kind: 'again', pauseMs: Math.max(leastMs, pauseMs) + Math.floor(share * JITTER_SHARE * pauseMs) };
}
