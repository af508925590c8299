// What a failure before the first speech means: whether another service is asked, why, and whether it counts against this one. Never do an
// interruption, our own limits, or a text that is rightly refused.

import { AppError, type ErrorCode } from '../../base/app-error.ts';
import type { SwitchReason } from '../../speech/upstream-names.ts';

/** `counts`: against the service. */
export type ServiceFailure = { readonly reason: SwitchReason; readonly counts: boolean };

/** Codes that are missing are told to the caller: no other service would do better. */
const FAILURES: Partial<Record<ErrorCode, ServiceFailure>> = {
  upstream_unauthorized: { reason: 'access', counts: true },
  upstream_rate_limited: { reason: 'quota', counts: false },
  rate_limited: { reason: 'quota', counts: false },
  busy: { reason: 'quota', counts: false },
  upstream_unreachable: { reason: 'unreachable', counts: true },
  upstream_timeout: { reason: 'timeout', counts: true },
  upstream_bad_audio: { reason: 'no-speech', counts: true },
  upstream_broken: { reason: 'broken', counts: true },
};
/** It cannot say this text, and another may. */
const LIMIT: ServiceFailure = { reason: 'limit', counts: false };

/** What a failure before the first speech means for the service; undefined: it is told to the caller. */
export function failureOf(error: unknown): ServiceFailure | undefined {
  if (!(error instanceof AppError)) return undefined;
  return error.code === 'upstream_rejected' && error.isLimit ? LIMIT : FAILURES[error.code];
}
