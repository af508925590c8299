// What is known of the disk under the data folder: whether it takes what is written, since when it does not, and when it
// does again. It is checked now and then, and at once when a write has failed; code that has to write waits here.

import { type AppError, isStorageError, storageError, toAppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { StorageFault } from '../../base/storage-fault.ts';

export type StorageProbe = {
  /** Rejects when the disk is full or cannot be written. `thorough` writes something; `quick` asks the system. */
  look(how: 'quick' | 'thorough'): Promise<void>;
};

export type StorageState = 'ok' | StorageFault;

export type StorageWatchOptions = {
  readonly probe: StorageProbe;
  readonly clock: Clock;
  readonly log: Log;
};

const LOOK_MS = 10_000;
/** While something is wrong. */
const LOOK_AGAIN_MS = 2_000;
/** A look that takes longer says that the disk does not answer. */
const MAX_LOOK_MS = 10_000;

export class StorageWatch {
  readonly #options: StorageWatchOptions;
  readonly #onRoom: (() => void)[] = [];
  readonly #waiting = new Set<() => void>();
  #state: StorageState = 'ok';
  #phase: 'open' | 'closed' = 'open';
  #disarm = () => {};
  #looking: { readonly how: 'quick' | 'thorough'; readonly done: Promise<void> } | undefined;

  constructor(options: StorageWatchOptions) {
    this.#options = options;
  }

  /** Resolves after the first look; it looks from then on until `close`. */
  async start(): Promise<void> {
    await this.#look();
  }

  close(): void {
    this.#phase = 'closed';
    this.#disarm();
    for (const wake of [...this.#waiting]) wake();
  }

  state(): StorageState {
    return this.#state;
  }

  /** Throws what a caller is told as long as nothing can be written. */
  check(): void {
    if (this.#state !== 'ok') throw storageError(this.#state);
  }

  /** A write has failed with `thrown`. Answers what a caller is told; undefined when storage was not at fault. */
  note(thrown: unknown): AppError | undefined {
    const error = toAppError(thrown);
    if (!isStorageError(error)) return undefined;
    this.#set(error.code === 'insufficient_storage' ? 'full' : 'unavailable', error.cause);
    return error;
  }

  /** Called each time that there is room again, in the order of these calls. */
  onRoom(task: () => void): void {
    this.#onRoom.push(task);
  }

  /** Resolves when the state is `ok`, or the watch is closed; rejects with the signal's reason. */
  untilOk(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (this.#state === 'ok' || this.#phase === 'closed') return resolve();
      const leave = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', stop);
      };
      const stop = () => {
        leave();
        reject(signal.reason as Error);
      };
      const wake = () => {
        leave();
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #set(state: StorageState, cause?: unknown): void {
    if (state === this.#state || this.#phase === 'closed') return;
    const was = this.#state;
    this.#state = state;
    const { log } = this.#options;
    if (state === 'ok') {
      log.info('storage_writable_again');
      for (const task of this.#onRoom) task();
      for (const wake of [...this.#waiting]) wake();
    } else {
      log.error('storage_not_writable', {
        reason: state,
        cause: cause instanceof Error ? cause.message : undefined,
      });
      if (was === 'ok') this.#lookLater();
    }
  }

  #lookLater(): void {
    this.#disarm();
    if (this.#phase === 'closed') return;
    const { clock } = this.#options;
    this.#disarm = clock.after(this.#state === 'ok' ? LOOK_MS : LOOK_AGAIN_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, probe } = this.#options;
    const how = this.#state === 'ok' ? 'quick' : 'thorough';
    // One that hangs is not asked a second time; it is waited for anew.
    this.#looking ??= {
      how,
      done: probe.look(how).finally(() => {
        this.#looking = undefined;
      }),
    };
    const looking = this.#looking;
    let disarm = () => {};
    const late = new Promise<never>((_, reject) => {
      disarm = clock.after(MAX_LOOK_MS, () => reject(storageError('unavailable')));
    });
    try {
      await Promise.race([looking.done, late]);
      // What failed while a quick look was under way needs a thorough one.
      if (looking.how === 'thorough' || this.#state === 'ok') this.#set('ok');
    } catch (thrown) {
      // What cannot be looked at cannot be written.
      if (this.note(thrown) === undefined) this.#set('unavailable', thrown);
    } finally {
      disarm();
    }
    this.#lookLater();
  }
}
