// The ways in which services count requests in 60 seconds, each as a closure that keeps one caller's count. Why so
// many: a client that is safe against one is refused by another, and services rarely say which one they have.

import { RATE_WINDOW_MS, type RateWindow, takeFromWindow } from '../../limits/rate-window.ts';

export const WINDOW_KINDS = ['clock', 'first', 'sliding', 'strict', 'bucket'] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

export type WindowState = {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until there is more than `remaining`. */
  readonly resetMs: number;
};

type Instant = { readonly nowMs: number; readonly unixMs: number };
export type RequestWindow = (instant: Instant) => WindowState;

/** A new count with every minute of the wall clock. */
function clockWindow(perMinute: number): RequestWindow {
  let window: RateWindow = { startedAtMs: 0, used: 0 };
  return ({ unixMs }) => {
    const startedAtMs = unixMs - (unixMs % RATE_WINDOW_MS);
    if (startedAtMs !== window.startedAtMs) window = { startedAtMs, used: 0 };
    const decision = takeFromWindow(window, perMinute, unixMs);
    window = decision.window;
    return decision;
  };
}

/** A window that begins with its first request. */
function firstWindow(perMinute: number): RequestWindow {
  let window: RateWindow | undefined;
  return ({ nowMs }) => {
    const decision = takeFromWindow(window, perMinute, nowMs);
    window = decision.window;
    return decision;
  };
}

/** Any 60 seconds; `refused: 'counts'` is the kind that punishes asking too early. */
function slidingWindow(perMinute: number, refused: 'counts' | 'is free'): RequestWindow {
  let taken: number[] = [];
  return ({ nowMs }) => {
    taken = taken.filter((atMs) => nowMs - atMs < RATE_WINDOW_MS);
    const allowed = taken.length < perMinute;
    if (allowed || refused === 'counts') taken.push(nowMs);
    if (taken.length > perMinute) taken.shift();
    return {
      allowed,
      remaining: perMinute - taken.length,
      resetMs: taken[0]! + RATE_WINDOW_MS - nowMs,
    };
  };
}

/** A bucket that holds a minute's worth and fills evenly. */
function bucketWindow(perMinute: number): RequestWindow {
  const perMs = perMinute / RATE_WINDOW_MS;
  let tokens = perMinute;
  let filledAtMs: number | undefined;
  return ({ nowMs }) => {
    tokens = Math.min(perMinute, tokens + (nowMs - (filledAtMs ?? nowMs)) * perMs);
    filledAtMs = nowMs;
    // A whole token that was a millisecond of rounding away is a whole token.
    const allowed = tokens + 1e-9 >= 1;
    if (allowed) tokens -= 1;
    const remaining = Math.max(0, Math.floor(tokens + 1e-9));
    return { allowed, remaining, resetMs: (remaining + 1 - tokens) / perMs };
  };
}

const CREATE: Readonly<Record<WindowKind, (perMinute: number) => RequestWindow>> = {
  clock: clockWindow,
  first: firstWindow,
  sliding: (perMinute) => slidingWindow(perMinute, 'is free'),
  strict: (perMinute) => slidingWindow(perMinute, 'counts'),
  bucket: bucketWindow,
};

export const createRequestWindow = (kind: WindowKind, perMinute: number): RequestWindow =>
  CREATE[kind](perMinute);
