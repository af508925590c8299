// The port for jobs and PlayNotes. Whatever must not be lost together is one call: a change of state with its
// message to the caller's webhook, a new row with the key that makes a repeated request harmless.

import type { NewDelivery } from '../delivery-store.ts';
import type { Claim, Stored, Work, WorkFailure, WorkKind } from './work.ts';

export type NewWork = Pick<Work, 'id' | 'kind' | 'owner' | 'urgency' | 'input' | 'requestedAtMs'> & {
  /** The caller's `Idempotency-Key`, and a digest of what it was sent with. */
  readonly idempotency?: { readonly key: string; readonly digest: string } | undefined;
  readonly delivery?: NewDelivery | undefined;
  /** Unfinished works that this owner may have of this kind; one more is `full`. Of PlayNotes never more than one. */
  readonly mostUnfinished: number;
};

export type Created =
  | { readonly kind: 'created'; readonly work: Work }
  /** The same request was there before, with the same key. */
  | { readonly kind: 'repeated'; readonly work: Work }
  /** The key was used for another request. */
  | { readonly kind: 'conflict' }
  /** The owner has as many unfinished ones as allowed. */
  | { readonly kind: 'full' };

export type WorkEnd =
  | { readonly status: 'completed'; readonly output: Stored }
  | { readonly status: 'failed'; readonly failure: WorkFailure };

export type WorkPage = {
  readonly works: readonly Work[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
};

export type WorkStore = {
  create(work: NewWork): Promise<Created>;
  /** What was created with this `Idempotency-Key`, and the digest that came with it; undefined: nothing. */
  findRequest(
    owner: string,
    kind: WorkKind,
    key: string,
  ): Promise<{ readonly work: Work; readonly digest: string } | undefined>;
  /** Undefined for an unknown id and for another owner's alike. */
  find(owner: string, kind: WorkKind, id: string): Promise<Work | undefined>;
  /** Newest first; `cursor` is the `next` of the page before. A cursor that is none: the first page. */
  list(
    owner: string,
    kind: WorkKind,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<WorkPage>;
  /**
   * The next work to do, for `leaseMs`: of the owner with the fewest running, the most urgent, then the oldest. A work
   * whose lease has run out counts as waiting; with `mostAttempts` behind it, it is failed instead (`interrupted`), and
   * `toDelivery` tells what its webhook hears.
   */
  claim(at: {
    readonly nowMs: number;
    readonly leaseMs: number;
    readonly mostAttempts: number;
    readonly toDelivery: (work: Work) => NewDelivery | undefined;
  }): Promise<Claim | undefined>;
  /** False: the work is no longer ours (cancelled, deleted, claimed by another). The same for `note` and `finish`. */
  renew(claim: Claim, leaseEndsMs: number): Promise<boolean>;
  note(
    claim: Claim,
    progress: { readonly phase: string; readonly progress: number },
    delivery?: NewDelivery,
  ): Promise<boolean>;
  finish(claim: Claim, end: WorkEnd, nowMs: number, delivery?: NewDelivery): Promise<boolean>;
  /** Gives a claimed work back, as waiting and as if this attempt had not been: for a program that stops. */
  release(claim: Claim): Promise<void>;
  /**
   * Ends an unfinished work as `cancelled`, which alone `toDelivery` is asked about; a finished one stays what it is.
   * Undefined: there is none.
   */
  cancel(
    owner: string,
    kind: WorkKind,
    id: string,
    nowMs: number,
    toDelivery: (work: Work) => NewDelivery | undefined,
  ): Promise<Work | undefined>;
  /** Forgets it, finished or not; answers what it was. Undefined: there was none. */
  remove(owner: string, kind: WorkKind, id: string): Promise<Work | undefined>;
  /** Forgets works finished before; answers their ids, at most `limit`. */
  forget(finishedBeforeMs: number, limit: number): Promise<readonly string[]>;
  /** Whether a work of this id exists at all. */
  exists(id: string): Promise<boolean>;
  /** A work of this id may come and has files before: they may go as long as it has not been created. */
  expect(id: string): Promise<void>;
  /**
   * Works without a row whose files may go: they were removed or forgotten, or expected and never created. What was in no
   * row and is not here is nobody's to delete.
   */
  disposable(): Promise<readonly string[]>;
  /** The files of these are gone. */
  disposed(ids: readonly string[]): Promise<void>;
  /** Works of all owners that wait to be begun. */
  backlog(): Promise<{
    readonly waiting: number;
    /** When the oldest of them was asked for; undefined: there is none. */
    readonly oldestAtMs: number | undefined;
  }>;
  /** Bytes of the finished files of an owner (`output.fileSize`), and how many works are not finished. */
  usage(owner: string): Promise<{ readonly bytes: number; readonly unfinished: number }>;
};
