// Whether a new work may be taken on: an instance that goes on, room for its files, and an address for its webhook that
// may be called.

import { AppError, aboutToStop } from '../base/app-error.ts';
import type { StorageWatch } from '../storage/works/storage-watch.ts';
import type { WorkStore } from '../storage/works/work-store.ts';
import { type AllowPrivate, readOutsideUrl } from './fetch/outside-url.ts';

export type AdmitWorkOptions = {
  readonly store: Pick<WorkStore, 'usage'>;
  readonly mostStoredBytes: number;
  readonly allowPrivate: AllowPrivate;
  readonly isStopping: () => boolean;
  /** Throws when another process has the data folder, or when that cannot be told. */
  readonly checkHeld: () => void;
  readonly storage: Pick<StorageWatch, 'check'>;
};

export type AdmitWork = {
  /**
   * Throws `shutting_down`, or `storage_unavailable` when it cannot be told which process has the data folder: before any
   * answer that promises something, one that repeats a promise included.
   */
  checkOpen(): void;
  /** Rejects with `storage_full`; with `insufficient_storage` or `storage_unavailable` while the disk takes nothing. */
  checkRoom(owner: string): Promise<void>;
  /** Throws `address_refused`, naming the field. */
  checkAddress(field: string, address: string | null | undefined): void;
};

export const createAdmitWork = (options: AdmitWorkOptions): AdmitWork => ({
  checkOpen() {
    if (options.isStopping()) throw aboutToStop();
    options.checkHeld();
  },
  async checkRoom(owner) {
    options.storage.check();
    const { bytes } = await options.store.usage(owner);
    if (bytes < options.mostStoredBytes) return;
    throw new AppError(
      'storage_full',
      'The finished files of this user take all the room there is for them; delete some that are no longer needed.',
    );
  },
  checkAddress(field, address) {
    if (address == null) return;
    const judged = readOutsideUrl(address, options.allowPrivate);
    if (!judged.ok) throw new AppError('address_refused', `${field}: ${judged.problem}`);
  },
});
