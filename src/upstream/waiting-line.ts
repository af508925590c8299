// The one line in front of the keys: first come, first served, except that a retry goes before those who have not been
// served yet. Bounded in length and in time; whoever would wait too long is refused on arrival, so that nobody waits
// in vain. One timer serves everyone who waits.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { KeyRing } from './key-ring.ts';
import type { OpenOptions } from './speech-upstream.ts';
import type { Lease, UpstreamKey } from './upstream-key.ts';

export type Entry = OpenOptions & {
  readonly place: 'back' | 'front';
  /** When the request must have got a key. */
  readonly deadlineMs: number;
  /** Keys that the request would rather not have again. */
  readonly tried: ReadonlySet<UpstreamKey>;
};

export type WaitingLine = {
  readonly length: number;
  /** A lease, at once if possible; rejects with `busy`, `shutting_down`, or the signal's reason. */
  enter(entry: Entry): Promise<Lease>;
  /** A place or a quota may have become free. */
  serve(): void;
  /** Refuses all who wait and all who come. */
  close(): void;
};

type Waiter = {
  readonly entry: Entry;
  readonly grant: (lease: Lease) => void;
  readonly refuse: (error: Error) => void;
};

/** Notices are promised every 2 s; the difference is for late timers and the way to the client. */
const NOTICE_MS = 1_500;
/** No caller is asked back sooner: it would only meet the same line. */
export const LEAST_RETRY_MS = 1_000;

export function createWaitingLine(ring: KeyRing, maxWaiting: number, clock: Clock): WaitingLine {
  const retries = new Set<Waiter>();
  const comers = new Set<Waiter>();
  let closed = false;
  let nextNoticeMs = 0;
  let disarm = () => {};

  function* everyone(): Generator<Waiter> {
    yield* retries;
    yield* comers;
  }
  const length = () => retries.size + comers.size;
  const remove = (waiter: Waiter) => retries.delete(waiter) || comers.delete(waiter);
  const busy = (why: string, waitMs: number) =>
    new AppError('busy', `${why}; try again later.`, {
      retryAfterMs: Math.ceil(Math.max(LEAST_RETRY_MS, waitMs)),
    });
  const tooSlow = (waitMs: number) => busy('The wait for the speech service is too long', waitMs);
  /** The wait of someone with `ahead` before them; not counted further than `enoughMs`. */
  const waitBehind = (ahead: number, nowMs: number, enoughMs: number): number => {
    for (const waitMs of ring.waits(nowMs)) if (ahead-- === 0 || waitMs > enoughMs) return waitMs;
    return 0;
  };

  const arm = () => {
    disarm();
    if (length() === 0) return;
    const nowMs = clock.now();
    let dueMs = Math.min(nextNoticeMs, nowMs + ring.freeInMs(nowMs));
    for (const { entry } of everyone()) dueMs = Math.min(dueMs, entry.deadlineMs);
    // Whole milliseconds, and at least one, so that rounding cannot make it fire just too early for ever.
    disarm = clock.after(Math.max(1, Math.ceil(dueMs - nowMs)), tick);
  };
  const grantAll = () => {
    for (const waiter of everyone()) {
      const lease = ring.lease(clock.now(), waiter.entry.tried);
      if (lease === undefined) return;
      remove(waiter);
      waiter.grant(lease);
    }
  };
  const notify = (nowMs: number) => {
    const reason = ring.obstacle(nowMs);
    const waits = ring.waits(nowMs);
    let position = 0;
    for (const { entry } of [...everyone()]) {
      position += 1;
      entry.onQueued?.({ reason, position, etaMs: Math.ceil(waits.next().value) });
    }
  };
  const tick = () => {
    const nowMs = clock.now();
    grantAll();
    for (const waiter of everyone()) {
      if (waiter.entry.deadlineMs > nowMs) continue;
      remove(waiter);
      waiter.refuse(tooSlow(0));
    }
    if (nowMs >= nextNoticeMs) {
      nextNoticeMs = nowMs + NOTICE_MS;
      notify(nowMs);
    }
    arm();
  };

  const wait = (entry: Entry): Promise<Lease> =>
    new Promise((resolve, reject) => {
      const { signal } = entry;
      const leave = () => {
        remove(waiter);
        reject(signal.reason as Error);
        arm();
      };
      const waiter: Waiter = {
        entry,
        grant(lease) {
          signal.removeEventListener('abort', leave);
          resolve(lease);
        },
        refuse(error) {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      if (length() === 0) nextNoticeMs = clock.now() + NOTICE_MS;
      (entry.place === 'front' ? retries : comers).add(waiter);
      signal.addEventListener('abort', leave, { once: true });
      arm();
    });

  return {
    get length() {
      return length();
    },
    async enter(entry) {
      entry.signal.throwIfAborted();
      if (closed) throw new AppError('shutting_down', 'Voxgate is shutting down and starts no more speech.');
      const nowMs = clock.now();
      const ahead = entry.place === 'front' ? retries.size : length();
      const lease = ahead === 0 ? ring.lease(nowMs, entry.tried) : undefined;
      if (lease !== undefined) return lease;
      const leftMs = entry.deadlineMs - nowMs;
      const etaMs = waitBehind(ahead, nowMs, leftMs);
      if (etaMs > leftMs) throw tooSlow(etaMs - leftMs);
      if (entry.place === 'back' && length() >= maxWaiting)
        throw busy(`${maxWaiting} requests already wait for the speech service`, etaMs);
      entry.onQueued?.({ reason: ring.obstacle(nowMs), position: ahead + 1, etaMs: Math.ceil(etaMs) });
      entry.signal.throwIfAborted();
      return wait(entry);
    },
    serve() {
      if (length() === 0) return;
      grantAll();
      arm();
    },
    close() {
      closed = true;
      disarm();
      for (const waiter of everyone()) {
        remove(waiter);
        waiter.refuse(new AppError('shutting_down', 'Voxgate is shutting down and starts no more speech.'));
      }
    },
  };
}
