// A step that meets a disk that is full, or cannot be written, is done again when there is room: what was accepted does not
// fail by that.

import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { StorageWatch } from '../storage/works/storage-watch.ts';

/** The first back-off; each next one is longer, and no retry comes before there is room. */
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;
/** A disk that takes nothing for this long is not waited for. */
const MAX_STORAGE_WAIT_MS = 24 * 60 * 60_000;

export type StorageFaultsOptions = {
  readonly clock: Clock;
  readonly storage: Pick<StorageWatch, 'note' | 'untilOk'>;
  /** Called each time that the wait begins. */
  readonly onFault: () => void;
};

/** Rejects with what else `step` failed with, with the signal's reason, or with the fault when that has lasted too long. */
export async function throughStorageFaults<T>(
  step: () => Promise<T>,
  signal: AbortSignal,
  { clock, storage, onFault }: StorageFaultsOptions,
): Promise<T> {
  let untilMs: number | undefined;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return await step();
    } catch (thrown) {
      const fault = storage.note(thrown);
      if (fault === undefined || signal.aborted) throw thrown;
      untilMs ??= clock.now() + MAX_STORAGE_WAIT_MS;
      if (clock.now() >= untilMs) throw fault;
      onFault();
      const tooLate = new AbortController();
      const disarm = clock.after(untilMs - clock.now(), () => tooLate.abort(fault));
      try {
        const ends = AbortSignal.any([signal, tooLate.signal]);
        await pause(retryMs, clock, ends);
        await storage.untilOk(ends);
      } finally {
        disarm();
      }
    }
  }
}
