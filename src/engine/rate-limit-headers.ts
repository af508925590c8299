// The state of a request window in the header fields that clients know, in the two shapes that the IETF drafts had:
// three fields of a number each (draft-ietf-httpapi-ratelimit-headers-06), then two structured ones (since -08).

import { RATE_WINDOW_MS } from '../limits/rate-window.ts';

export type RateLimitDraft = '06' | '08';

export type RateLimitState = { readonly remaining: number; readonly resetMs: number };

const WINDOW_S = RATE_WINDOW_MS / 1000;

export function rateLimitHeaders(
  draft: RateLimitDraft,
  perMinute: number,
  { remaining, resetMs }: RateLimitState,
): Record<string, string> {
  const resetS = Math.ceil(resetMs / 1000);
  if (draft === '08')
    return {
      'RateLimit-Policy': `"default";q=${perMinute};w=${WINDOW_S}`,
      RateLimit: `"default";r=${remaining};t=${resetS}`,
    };
  return {
    'RateLimit-Limit': String(perMinute),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetS),
  };
}
