// The ways in which services count requests in 60 seconds, each as a closure that keeps one caller's count. Why so
// many: a client that is safe against one is refused by another, and services rarely say which one they have. The
// limit is told with every request, because a service may also change it without notice.

import { RATE_WINDOW_MS, type RateWindow, takeFromWindow } from '../../src/limits/rate-window.ts';

export const WINDOW_KINDS = ['clock', 'first', 'sliding', 'strict', 'bucket'] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

export type WindowState = {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until there is more than `remaining`. */
  readonly resetMs: number;
};

type Instant = { readonly nowMs: number; readonly unixMs: number };
/** Takes one request of `perMinute` (1 or more). */
export type RequestWindow = (instant: Instant, perMinute: number) => WindowState;

/** A new count with every minute of the wall clock. */
function clockWindow(): RequestWindow {
  let window: RateWindow = { startedAtMs: 0, used: 0 };
  return ({ unixMs }, perMinute) => {
    const startedAtMs = unixMs - (unixMs % RATE_WINDOW_MS);
    if (startedAtMs !== window.startedAtMs) window = { startedAtMs, used: 0 };
    const decision = takeFromWindow(window, perMinute, unixMs);
    window = decision.window;
    return decision;
  };
}

/** A window that begins with its first request. */
function firstWindow(): RequestWindow {
  let window: RateWindow | undefined;
  return ({ nowMs }, perMinute) => {
    const decision = takeFromWindow(window, perMinute, nowMs);
    window = decision.window;
    return decision;
  };
}

/** Any 60 seconds; `refused: 'counts'` is the kind that punishes asking too early. */
function slidingWindow(refused: 'counts' | 'is free'): RequestWindow {
  let taken: number[] = [];
  return ({ nowMs }, perMinute) => {
    taken = taken.filter((atMs) => nowMs - atMs < RATE_WINDOW_MS);
    const allowed = taken.length < perMinute;
    if (allowed || refused === 'counts') taken.push(nowMs);
    // More than the limit when it counts refusals or has been lowered: only the last so many decide what comes next.
    taken.splice(0, taken.length - perMinute);
    return {
      allowed,
      remaining: perMinute - taken.length,
      resetMs: taken[0]! + RATE_WINDOW_MS - nowMs,
    };
  };
}

/** A bucket that holds a minute's worth and fills evenly. */
function bucketWindow(): RequestWindow {
  let tokens: number | undefined;
  let filledAtMs = 0;
  return ({ nowMs }, perMinute) => {
    const perMs = perMinute / RATE_WINDOW_MS;
    const filled = Math.min(perMinute, (tokens ?? perMinute) + (nowMs - filledAtMs) * perMs);
    filledAtMs = nowMs;
    // A whole token that was a millisecond of rounding away is a whole token.
    const allowed = filled + 1e-9 >= 1;
    tokens = allowed ? filled - 1 : filled;
    const remaining = Math.max(0, Math.floor(tokens + 1e-9));
    return { allowed, remaining, resetMs: (remaining + 1 - tokens) / perMs };
  };
}

const CREATE: Readonly<Record<WindowKind, () => RequestWindow>> = {
  clock: clockWindow,
  first: firstWindow,
  sliding: () => slidingWindow('is free'),
  strict: () => slidingWindow('counts'),
  bucket: bucketWindow,
};

export const createRequestWindow = (kind: WindowKind): RequestWindow => CREATE[kind]();
