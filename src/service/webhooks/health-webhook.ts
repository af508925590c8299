// Tells an address of the operator's that a speech service is out, or back. News of this kind is stale in minutes: it is kept in memory,
// tried a few times, and what does not arrive is counted. The address is the operator's own, so it may be in a private network.

import { setMaxListeners } from 'node:events';
import { signWebhook } from '../../access/webhook-signature.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { pause } from '../../base/pause.ts';
import type { Random } from '../../base/random.ts';
import { judgeWebhook, type WebhookOutcome } from '../../limits/webhook-schedule.ts';
import type { GuardedFetch } from '../fetch/guarded-fetch.ts';

/** `data` of the message; `code`: the last failure of one that is out. */
export type HealthChangeTold = {
  readonly service: string;
  readonly kind: string;
  readonly state: 'out' | 'healthy';
  readonly code?: string | undefined;
};

export const HEALTH_WEBHOOK_RESULTS = ['delivered', 'again', 'given-up', 'left-out'] as const;
export type HealthWebhookResult = (typeof HEALTH_WEBHOOK_RESULTS)[number];

export type HealthWebhookOptions = {
  readonly url: string;
  /** `whsec_…`, the newest first; without one messages are not signed. */
  readonly secrets: readonly string[];
  readonly fetch: Pick<GuardedFetch, 'post'>;
  readonly clock: Clock;
  readonly unixMs: () => number;
  readonly random: Random;
  readonly log: Log;
  /** Of each attempt; `left-out`: of a message beyond those that may wait. */
  readonly onResult: (result: HealthWebhookResult) => void;
};

export type HealthWebhook = {
  tell(change: HealthChangeTold): void;
  close(): void;
};

const ANSWER_MS = 15_000;
/** Within some six minutes. */
const MAX_ATTEMPTS = 3;
const MAX_UNDER_WAY = 16;

export function createHealthWebhook(options: HealthWebhookOptions): HealthWebhook {
  const { url, secrets, fetch, clock, unixMs, random, log, onResult } = options;
  const closing = new AbortController();
  // Each message under way listens to it; Node warns of more than ten.
  setMaxListeners(0, closing.signal);
  let underWay = 0;

  const attempt = async (id: string, body: string): Promise<WebhookOutcome> => {
    const timestampS = Math.floor(unixMs() / 1000);
    const signature = secrets.length === 0 ? {} : signWebhook({ id, timestampS, body }, secrets);
    const headers = { 'content-type': 'application/json', ...signature };
    try {
      return await fetch.post(url, { headers, body, deadlineMs: ANSWER_MS }, closing.signal);
    } catch (error) {
      if (closing.signal.aborted) throw error;
      return { status: undefined, retryAfterMs: undefined };
    }
  };
  const deliver = async (change: HealthChangeTold) => {
    const id = `msg_${random.id(16)}`;
    const timestamp = new Date(unixMs()).toISOString();
    const body = JSON.stringify({ type: `service.${change.state}`, timestamp, data: change });
    for (let tries = 1; ; tries += 1) {
      const outcome = await attempt(id, body);
      const verdict = judgeWebhook(outcome, tries, random.below(1024) / 1024);
      const isLast = verdict.kind !== 'again' || tries === MAX_ATTEMPTS;
      const result = verdict.kind === 'delivered' ? 'delivered' : isLast ? 'given-up' : 'again';
      onResult(result);
      if (result === 'given-up')
        log.warn('health_webhook_given_up', {
          service: change.service,
          state: change.state,
          attempts: tries,
          status: outcome.status,
        });
      if (verdict.kind !== 'again' || isLast) return;
      await pause(verdict.pauseMs, clock, closing.signal);
    }
  };

  return {
    tell(change) {
      if (underWay === MAX_UNDER_WAY) return onResult('left-out');
      underWay += 1;
      deliver(change)
        .catch(() => {}) // closed
        .finally(() => {
          underWay -= 1;
        });
    },
    close: () => closing.abort(new Error('stopping')),
  };
}
