// Runs the works that the service has accepted: claims them, runs a bounded number at a time, keeps their leases, and
// writes their end together with the message to the caller's webhook. A program that dies loses nothing: its claims run
// out. A work that meets a disk that is full or cannot be written waits for it and goes on; it does not fail by that.

import { toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import type { NewDelivery } from '../storage/delivery-store.ts';
import type { StorageWatch } from '../storage/works/storage-watch.ts';
import type { Claim, Stored, Work, WorkFailure, WorkKind } from '../storage/works/work.ts';
import { ended as endedWork, isUnfinished, noted } from '../storage/works/work-steps.ts';
import type { WorkEnd, WorkStore } from '../storage/works/work-store.ts';
import { throughStorageFaults } from './through-storage-faults.ts';

export type WorkProgress = { readonly phase: string; readonly progress: number };

export type WorkHandler = {
  /** Does the work and answers with its output. Rejects with the signal's reason when it has to stop. */
  run(work: Work, tell: (progress: WorkProgress) => void, signal: AbortSignal): Promise<Stored>;
  /** What the caller's webhook hears of `work` as it is now; undefined: nothing. */
  readonly toDelivery: (work: Work) => NewDelivery | undefined;
  /** The work has ended, or was taken away: what only its doing needed may go. */
  tidy(work: Work): Promise<void>;
};

type Waiting = 'none-waits' | 'some-may-wait';

export type WorkRunner = {
  /** There may be something to do. */
  readonly recheck: () => void;
  /** As `recheck`; tells, when what there is room for has been begun, whether others should look, too. Never rejects. */
  begin(): Promise<Waiting>;
  /** Stops the work of this id if it is being done here, and resolves when it has; its row has been dealt with. */
  interrupt(id: string): Promise<void>;
  running(): number;
  /** Another process has the records and does what is being done here: all of it stops, nothing is written. */
  abandon(): void;
  /** Begins nothing more; what is being done goes on. */
  rest(): void;
  /** Gives back what is being done; resolves when all of it has stopped. */
  close(): Promise<void>;
};

export type WorkRunnerOptions = {
  readonly store: WorkStore;
  readonly handlers: Readonly<Record<WorkKind, WorkHandler>>;
  readonly mostAtOnce: number;
  readonly clock: Clock;
  /** Unix time in ms. */
  readonly unixMs: () => number;
  /** What leases are counted by where other instances have some as well, Unix ms; unset: a clock of this process. */
  readonly leaseUnixMs?: (() => number) | undefined;
  readonly log: Log;
  readonly storage: Pick<StorageWatch, 'state' | 'note' | 'untilOk' | 'onRoom'>;
  /** Something was put into the outbox. */
  readonly onDelivery: () => void;
  readonly onEnded: (work: Work) => void;
};

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Leases of programs that died are found so soon at the latest. */
const SCAN_MS = 5000;
/** A work that ends its program three times is not begun a fourth time. */
const MAX_ATTEMPTS = 3;
/** Progress is written so often at most, and told to webhooks at each change of phase. */
const NOTE_MS = 1000;
/** The phase of a work that waits for a disk that is full or cannot be written. */
const STORAGE_PHASE = 'waiting-for-storage';

/** Why a work was stopped that had not ended. */
type StopReason = 'stopping' | 'lost' | 'interrupted' | 'abandoned';
class Stopped extends Error {
  readonly why: StopReason;
  constructor(why: StopReason) {
    super(why);
    this.why = why;
  }
}

export function createWorkRunner(options: WorkRunnerOptions): WorkRunner {
  const { store, handlers, clock, unixMs, log, storage } = options;
  type Running = {
    readonly claim: Claim;
    readonly controller: AbortController;
    readonly done: Promise<void>;
  };
  const running = new Map<string, Running>();
  let phase: 'open' | 'resting' | 'closing' = 'open';
  let filling: Promise<void> | undefined;
  let mayHaveMore = false;
  let waiting: Waiting = 'some-may-wait';
  /** After a time without writes the leases of what is being done may have run out: they come before new claims. */
  let leases: 'held' | 'being renewed' = 'held';

  const startedUnixMs = unixMs();
  const startedAtMs = clock.now();
  /** For leases: a wall clock that is set, or a laptop that slept, must not end those of works that are being done. */
  const steadyUnixMs = options.leaseUnixMs ?? (() => Math.round(startedUnixMs + clock.now() - startedAtMs));

  const complain = (what: LogEvent) => (cause: unknown) => log.error(what, { cause: String(cause) });
  /** What a full disk is to blame for is in the log once, by the watch. */
  const complainUnlessStorage = (what: LogEvent) => (cause: unknown) => {
    if (storage.note(cause) === undefined) complain(what)(cause);
  };

  /** Writes progress one at a time, the newest last; what comes within a second of the last one waits. */
  const createNotes = (claim: Claim, onLost: () => void) => {
    let latest: WorkProgress | undefined;
    let told: WorkProgress = claim.work;
    let writing: Promise<void> = Promise.resolve();
    let disarm: (() => void) | undefined;
    let isOver = false;
    const write = () => {
      disarm = clock.after(NOTE_MS, () => {
        disarm = undefined;
        if (latest !== undefined) write();
      });
      const now = latest!;
      latest = undefined;
      const delivery =
        now.phase === told.phase ? undefined : handlers[claim.work.kind].toDelivery(noted(claim.work, now));
      told = now;
      writing = writing.then(async () => {
        if (!(await store.note(claim, now, delivery))) onLost();
        if (delivery !== undefined) options.onDelivery();
      });
      writing = writing.catch(complainUnlessStorage('progress could not be written'));
    };
    return {
      tell(progress: WorkProgress) {
        if (isOver) return;
        latest = progress;
        if (disarm === undefined || progress.phase !== told.phase) {
          disarm?.();
          write();
        }
      },
      /** Nothing is written from now on; resolves, when all of it has been, with what was written last. */
      async settle(): Promise<WorkProgress> {
        isOver = true;
        disarm?.();
        await writing;
        return told;
      },
    };
  };

  const announce = async (work: Work): Promise<void> => {
    options.onEnded(work);
    await handlers[work.kind].tidy(work);
  };

  const end = async (claim: Claim, last: WorkProgress, how: WorkEnd): Promise<void> => {
    const nowMs = unixMs();
    const work = endedWork(noted(claim.work, last), how, nowMs);
    const delivery = handlers[work.kind].toDelivery(work);
    if (!(await store.finish(claim, how, nowMs, delivery))) return;
    if (delivery !== undefined) options.onDelivery();
    await announce(work);
  };

  /** Somebody else has dealt with its row; what this attempt has left behind goes when nobody goes on with it. */
  const tidyTaken = async ({ work }: Claim): Promise<void> => {
    const now = await store.find(work.owner, work.kind, work.id);
    if (now === undefined || !isUnfinished(now)) await handlers[work.kind].tidy(now ?? work);
  };

  const toFailure = (thrown: unknown): WorkFailure => {
    const error = toAppError(thrown);
    if (error.code === 'internal') complain('a work failed inside')(error.cause ?? error);
    return { code: error.code, message: error.message };
  };

  /** True also when nobody can tell: what cannot be written to now may be so later. */
  const renew = (claim: Claim): Promise<boolean> =>
    store.renew(claim, steadyUnixMs() + LEASE_MS).catch((cause: unknown) => {
      complainUnlessStorage('a lease could not be renewed')(cause);
      return true;
    });

  const perform = async (claim: Claim, controller: AbortController): Promise<void> => {
    const { work } = claim;
    const { signal } = controller;
    const lost = () => controller.abort(new Stopped('lost'));
    const notes = createNotes(claim, lost);
    let stopRenewing = () => {};
    const renewLater = () => {
      stopRenewing = clock.after(RENEW_MS, () => {
        void renew(claim)
          .then((isOurs) => (isOurs ? undefined : lost()))
          .finally(() => signal.aborted || renewLater());
      });
    };
    renewLater();
    let progress = work.progress;
    const run = async () => {
      signal.throwIfAborted(); // it may have waited for its earlier self to stop
      return await handlers[work.kind].run(
        work,
        (now) => {
          progress = now.progress;
          notes.tell(now);
        },
        signal,
      );
    };
    const onFault = () => notes.tell({ phase: STORAGE_PHASE, progress });
    const attempt = await throughStorageFaults(run, signal, { clock, storage, onFault }).then(
      (output) => ({ status: 'completed', output }) as const,
      (thrown: unknown) => ({ status: 'failed', thrown }) as const,
    );
    const last = await notes.settle();
    try {
      if (signal.aborted) {
        const { why } = signal.reason as Stopped;
        if (why === 'stopping') await store.release(claim);
        else if (why !== 'abandoned') await tidyTaken(claim);
      } else {
        const how =
          attempt.status === 'completed'
            ? attempt
            : ({ status: 'failed', failure: toFailure(attempt.thrown) } as const);
        const quietly = { clock, storage, onFault() {} };
        await throughStorageFaults(() => end(claim, last, how), signal, quietly);
      }
    } finally {
      controller.abort(new Stopped('interrupted'));
      stopRenewing();
    }
  };

  const start = (claim: Claim) => {
    const { id } = claim.work;
    const controller = new AbortController();
    // A lease that could not be renewed has run out, and the work comes round while it is still being done here.
    const before = running.get(id);
    before?.controller.abort(new Stopped('lost'));
    const done = Promise.resolve(before?.done)
      .then(() => perform(claim, controller))
      .catch(complain('the end of a work could not be written; it is begun again when its lease has run out'))
      .finally(() => {
        if (running.get(id)?.controller === controller) running.delete(id);
        recheck();
      });
    running.set(id, { claim, controller, done });
  };

  /** The next claim; what has been begun too often ends on the way. */
  const claimNext = async (): Promise<Claim | undefined> => {
    const failed: Work[] = [];
    const claim = await store.claim({
      nowMs: steadyUnixMs(),
      leaseMs: LEASE_MS,
      mostAttempts: MAX_ATTEMPTS,
      toDelivery(work) {
        failed.push(work);
        return handlers[work.kind].toDelivery(work);
      },
    });
    if (failed.length > 0) options.onDelivery();
    for (const work of failed) {
      running.get(work.id)?.controller.abort(new Stopped('lost'));
      announce(work).catch(complain('what a work has left could not be tidied up'));
    }
    return claim;
  };

  const fill = async (): Promise<void> => {
    const mayClaim = () => phase === 'open' && storage.state() === 'ok' && leases === 'held';
    waiting = 'some-may-wait';
    while (mayClaim() && running.size < options.mostAtOnce) {
      const claim = await claimNext();
      waiting = claim === undefined ? 'none-waits' : 'some-may-wait';
      if (claim === undefined) return;
      start(claim);
    }
  };

  const begin = async (): Promise<Waiting> => {
    mayHaveMore = true;
    while ((mayHaveMore || filling !== undefined) && phase === 'open') {
      // Told while a look is under way: another one follows.
      if (filling === undefined) mayHaveMore = false;
      filling ??= fill()
        .catch(complainUnlessStorage('no work could be claimed'))
        .finally(() => {
          filling = undefined;
        });
      await filling;
    }
    return phase === 'open' ? waiting : 'some-may-wait';
  };
  const recheck = () => void begin();

  let stopScanning = () => {};
  const scanSoon = () => {
    stopScanning();
    stopScanning = clock.after(SCAN_MS, () => {
      recheck();
      scanSoon();
    });
  };
  scanSoon();

  storage.onRoom(() => {
    if (phase === 'closing') return;
    leases = 'being renewed';
    const renewals = [...running.values()].map(async ({ claim, controller }) => {
      if (!(await renew(claim))) controller.abort(new Stopped('lost'));
    });
    void Promise.all(renewals).then(() => {
      leases = 'held';
      recheck();
    });
  });

  const abortAll = (why: StopReason) => {
    for (const { controller } of running.values()) controller.abort(new Stopped(why));
  };

  return {
    recheck,
    begin,
    async interrupt(id) {
      const work = running.get(id);
      work?.controller.abort(new Stopped('interrupted'));
      await work?.done;
    },
    running: () => running.size,
    rest() {
      if (phase === 'open') phase = 'resting';
      stopScanning();
    },
    abandon() {
      phase = 'closing';
      stopScanning();
      abortAll('abandoned');
    },
    async close() {
      phase = 'closing';
      stopScanning();
      await filling;
      abortAll('stopping');
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
