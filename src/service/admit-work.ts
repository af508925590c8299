// Whether a new work may be taken on: room for its files, and an address for its webhook that may be called.

import { AppError } from '../base/app-error.ts';
import type { WorkStore } from '../storage/work-store.ts';
import { type AllowPrivate, readOutsideUrl } from './fetch/outside-url.ts';

export type AdmitWorkOptions = {
  readonly store: Pick<WorkStore, 'usage'>;
  readonly mostStoredBytes: number;
  readonly allowPrivate: AllowPrivate;
};

export type AdmitWork = {
  /** Rejects with `storage_full`. */
  checkRoom(owner: string): Promise<void>;
  /** Throws `address_refused`, naming the field. */
  checkAddress(field: string, address: string | null | undefined): void;
};

export const createAdmitWork = ({ store, mostStoredBytes, allowPrivate }: AdmitWorkOptions): AdmitWork => ({
  async checkRoom(owner) {
    const { bytes } = await store.usage(owner);
    if (bytes < mostStoredBytes) return;
    throw new AppError(
      'storage_full',
      'The finished files of this user fill his room; delete some that are no longer needed.',
    );
  },
  checkAddress(field, address) {
    if (address == null) return;
    const judged = readOutsideUrl(address, allowPrivate);
    if (!judged.ok) throw new AppError('address_refused', `${field}: ${judged.problem}`);
  },
});
