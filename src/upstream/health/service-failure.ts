// What a failure before the first speech means: whether another service is asked, why, and whether it counts against this one. Never do an
// interruption, our own limits, or a text that is rightly refused.

import type { AppError } from '../../base/app-error.ts';
import type { SwitchReason } from '../../speech/upstream-names.ts';

/** `counts`: against the service. */
export type ServiceFailure = { readonly reason: SwitchReason; readonly counts: boolean };

/** What a failure before the first speech means for the service; undefined: it is told to the caller. */
export function failureOf({ code, isLimit }: AppError): ServiceFailure | undefined {
  switch (code) {
    case 'upstream_unauthorized':
      return { reason: 'access', counts: true };
    case 'upstream_rate_limited':
    case 'rate_limited':
    case 'busy':
      return { reason: 'quota', counts: false };
    case 'upstream_unreachable':
      return { reason: 'unreachable', counts: true };
    case 'upstream_timeout':
      return { reason: 'timeout', counts: true };
    case 'upstream_bad_audio':
      return { reason: 'no-speech', counts: true };
    case 'upstream_broken':
      return { reason: 'broken', counts: true };
    case 'upstream_rejected':
      return isLimit ? { reason: 'limit', counts: false } : undefined;
    default:
      return undefined;
  }
}
