// Receivers of webhooks on a fake clock: they answer as a test says, and what reached them is written down, with how
// much of it was under way at once.

import { AppError } from '../../../src/base/app-error.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { pause } from '../../../src/base/pause.ts';
import type { GuardedFetch } from '../../../src/service/fetch/guarded-fetch.ts';

/** Status, with Retry-After if any, after `afterMs`; `dead` never answers, `refuses` takes no connection. */
export type Answer =
  | 'dead'
  | 'refuses'
  | { readonly status: number; readonly retryAfterMs?: number; readonly afterMs?: number };

export type Arrival = {
  readonly atMs: number;
  readonly url: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type FakeReceivers = Pick<GuardedFetch, 'post'> & {
  readonly arrivals: Arrival[];
  /** The most that were under way at once: in all, by host, by id. */
  readonly most: { all: number; readonly by: Map<string, number> };
  readonly underWay: number;
};

export function createFakeReceivers(
  clock: Clock,
  answer: (arrival: Arrival, count: number) => Answer,
): FakeReceivers {
  const arrivals: Arrival[] = [];
  const most = { all: 0, by: new Map<string, number>() };
  const now = new Map<string, number>();
  let underWay = 0;
  const count = (name: string, by: 1 | -1) => {
    const next = (now.get(name) ?? 0) + by;
    now.set(name, next);
    most.by.set(name, Math.max(most.by.get(name) ?? 0, next));
  };
  return {
    arrivals,
    most,
    get underWay() {
      return underWay;
    },
    async post(url, { headers, body, deadlineMs }, signal) {
      const arrival = { atMs: clock.now(), url, id: headers['webhook-id']!, headers, body };
      arrivals.push(arrival);
      const names = [new URL(url).host, arrival.id];
      underWay += 1;
      most.all = Math.max(most.all, underWay);
      for (const name of names) count(name, 1);
      try {
        const given = answer(arrival, arrivals.filter(({ id }) => id === arrival.id).length);
        if (given === 'refuses') throw new AppError('address_unreachable', 'It took no connection.');
        const afterMs = given === 'dead' ? deadlineMs : (given.afterMs ?? 10);
        await pause(Math.min(afterMs, deadlineMs), clock, signal);
        if (given === 'dead' || afterMs > deadlineMs)
          throw new AppError('address_unreachable', `It did not answer within ${deadlineMs} ms.`);
        return { status: given.status, retryAfterMs: given.retryAfterMs };
      } finally {
        underWay -= 1;
        for (const name of names) count(name, -1);
      }
    },
  };
}
