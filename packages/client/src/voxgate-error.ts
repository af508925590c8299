// What the gateway refused, as a program can act on it.

import { hideInAddresses } from '../../../src/base/addresses/shown-address.ts';
import { isJsonObject, parseJson } from '../../../src/base/json.ts';
import { parseRetryAfter } from '../../../src/limits/retry-after.ts';

/** Of a status line. */
const MAX_REASON = 60;

export class VoxgateError extends Error {
  override readonly name = 'VoxgateError';
  /** HTTP status. */
  readonly status: number;
  /** As in docs/errors.md, in capitals; undefined when something between us answered. */
  readonly errorId: string | undefined;
  /** Milliseconds after which trying again makes sense, when that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    told: { status: number; errorId?: string | undefined; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.status = told.status;
    this.errorId = told.errorId;
    this.retryAfterMs = told.retryAfterMs;
  }
}

/**
 * What a refusal with `status` says: a gateway's own words, or that it is none of its. What something else answers is not repeated:
 * it may hold the address that it was asked for, or the headers, and so a key.
 */
export function refusalOf(
  status: number,
  statusText: string | undefined,
  body: string,
): { readonly by: 'gateway' | 'another'; readonly words: string; readonly errorId: string | undefined } {
  const told = parseJson(body)?.value;
  if (isJsonObject(told) && typeof told.errorMessage === 'string')
    return {
      by: 'gateway',
      words: told.errorMessage,
      errorId: typeof told.errorId === 'string' ? told.errorId : undefined,
    };
  const reason =
    statusText === undefined || statusText === ''
      ? ''
      : ` ${hideInAddresses(statusText).slice(0, MAX_REASON)}`;
  return {
    by: 'another',
    words: `${status}${reason}, which is no answer of a Voxgate gateway; check the address and what stands between`,
    errorId: undefined,
  };
}

/** Of a reply that is no success. */
export async function toVoxgateError(response: Response): Promise<VoxgateError> {
  const { status, statusText, headers } = response;
  const retryAfterMs = parseRetryAfter(
    headers.get('retry-after') ?? undefined,
    headers.get('date') ?? undefined,
  );
  const { by, words, errorId } = refusalOf(status, statusText, await response.text());
  const message = by === 'gateway' ? words : `The answer was ${words}.`;
  return new VoxgateError(message, { status, errorId, retryAfterMs });
}
