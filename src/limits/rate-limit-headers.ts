// The state of a request window in the header fields that clients know: the two shapes that the IETF drafts had, three
// fields of a number each (draft-ietf-httpapi-ratelimit-headers-06), then two structured ones (since -08), and the
// X- fields from before any draft.

import { RATE_WINDOW_MS } from './rate-window.ts';

export type RateLimitForm = '06' | '08' | 'x';

export type RateLimitState = { readonly remaining: number; readonly resetMs: number };

const WINDOW_S = RATE_WINDOW_MS / 1000;

export function rateLimitHeaders(
  form: RateLimitForm,
  perMinute: number,
  { remaining, resetMs }: RateLimitState,
): Record<string, string> {
  const resetS = Math.ceil(resetMs / 1000);
  if (form === '08')
    return {
      'RateLimit-Policy': `"default";q=${perMinute};w=${WINDOW_S}`,
      RateLimit: `"default";r=${remaining};t=${resetS}`,
    };
  const prefix = form === 'x' ? 'X-RateLimit' : 'RateLimit';
  return {
    [`${prefix}-Limit`]: String(perMinute),
    [`${prefix}-Remaining`]: String(remaining),
    [`${prefix}-Reset`]: String(resetS),
  };
}
