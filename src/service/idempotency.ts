// The `Idempotency-Key` of a POST: the same key with the same request is answered with what the first one made, the
// same key with another request is refused. The store keeps it in the transaction that makes the row.

import { createHash } from 'node:crypto';
import { AppError } from '../base/app-error.ts';
import type { Work, WorkKind } from '../storage/works/work.ts';
import type { WorkStore } from '../storage/works/work-store.ts';

export type Idempotency = { readonly key: string; readonly digest: string };

export const idempotencyConflict = () =>
  new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request.');

const KEY = /^[\x21-\x7e]{1,255}$/;

/** `what` is the request in a form that is equal for equal requests. Undefined without a key. */
export function readIdempotency(
  header: string | undefined,
  what: readonly unknown[],
): Idempotency | undefined {
  if (header === undefined) return undefined;
  if (!KEY.test(header))
    throw new AppError('invalid_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters');
  return { key: header, digest: createHash('sha256').update(JSON.stringify(what)).digest('base64url') };
}

/**
 * The work that this very request has made before, to be asked for before anything else may refuse it; undefined: it is
 * the first. Rejects with `idempotency_conflict`.
 */
export async function findRepeated(
  store: Pick<WorkStore, 'findRequest'>,
  owner: string,
  kind: WorkKind,
  idempotency: Idempotency | undefined,
): Promise<Work | undefined> {
  if (idempotency === undefined) return undefined;
  const before = await store.findRequest(owner, kind, idempotency.key);
  if (before !== undefined && before.digest !== idempotency.digest) throw idempotencyConflict();
  return before?.work;
}
