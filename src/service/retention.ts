// Forgets what is older than was promised to be kept, with its files, and finishes what a program that died had begun to
// delete. Files of works that the records have never heard of are counted and left: they may be all that is left of works
// whose records were lost.

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { WorkFiles } from '../storage/works/work-files.ts';
import type { WorkStore } from '../storage/works/work-store.ts';

export type RetentionOptions = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly files: WorkFiles;
  /** Whether other instances take in and forget works as well. */
  readonly sharing: 'alone' | 'shared';
  /** Undefined: nothing is ever forgotten. */
  readonly keepMs: number | undefined;
  readonly clock: Clock;
  readonly unixMs: () => number;
  readonly log: Log;
};

const EVERY_MS = 60 * 60_000;
/** Per batch; an hour's backlog takes a few batches, for which nothing waits. */
const BATCH = 100;

export type Retention = {
  /**
   * Drops the files that the records say may go. Alone only before anything is taken in: an upload has files before a row.
   * Records that are shared say it of none that another instance may be taking, so that they are asked every hour as well.
   */
  sweep(): Promise<void>;
  /** Looks now and every hour. */
  start(): void;
  /** Resolves when nothing is being forgotten any more: rows that are gone have taken their files with them. */
  stop(): Promise<void>;
};

export function createRetention(options: RetentionOptions): Retention {
  const { works, deliveries, files, sharing, keepMs, clock, unixMs, log } = options;
  let disarm = () => {};
  let looking: Promise<void> = Promise.resolve();
  let phase: 'running' | 'stopped' = 'stopped';

  const forgetOld = async (beforeMs: number) => {
    for (;;) {
      const ids = await works.forget(beforeMs, BATCH);
      for (const id of ids) await files.remove(id);
      if (ids.length > 0) await works.disposed(ids);
      if (ids.length < BATCH || phase === 'stopped') break;
    }
    while (phase === 'running' && (await deliveries.forget(beforeMs, BATCH)) === BATCH);
  };
  const dropListed = async () => {
    const gone = await works.disposable();
    for (const id of gone) await files.remove(id);
    if (gone.length > 0) await works.disposed(gone);
  };
  const lookOnce = async (nowMs: number) => {
    if (phase === 'stopped') return;
    if (keepMs !== undefined) await forgetOld(nowMs - keepMs);
    if (sharing === 'shared') await dropListed();
  };
  const look = () => {
    if (phase === 'stopped' || (keepMs === undefined && sharing === 'alone')) return;
    disarm = clock.after(EVERY_MS, look);
    const nowMs = unixMs();
    // One after another: a sweep may take longer than an hour.
    looking = looking
      .then(() => lookOnce(nowMs))
      .catch((cause: unknown) => log.error('old_works_not_removed', { cause: String(cause) }));
  };

  return {
    async sweep() {
      await dropListed();
      // Other instances may be taking uploads.
      if (sharing === 'shared') return;
      let unknown = 0;
      for (const id of await files.owned()) if (!(await works.exists(id))) unknown += 1;
      if (unknown > 0) log.warn('unknown_files_left', { works: unknown });
    },
    start() {
      phase = 'running';
      look();
    },
    stop() {
      phase = 'stopped';
      disarm();
      return looking;
    },
  };
}
