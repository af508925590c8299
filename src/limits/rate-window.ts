// One credential's request count over a fixed window of 60 seconds (interface 8.4: counted over a 60-second
// window, requests succeed again after it resets). Arithmetic only: the caller keeps the state and has the clock.

export const RATE_WINDOW_MS = 60_000;

/** A window begins with its first request, not with the minute of the wall clock. */
export type RateWindow = { readonly startedAtMs: number; readonly used: number };

export type RateDecision = {
  readonly allowed: boolean;
  /** What to keep; a refused request does not count. */
  readonly window: RateWindow;
  readonly remaining: number;
  /** Until the window ends and all of `perMinute` is there again; more than 0, at most 60,000. */
  readonly resetMs: number;
};

/** Takes one request of `perMinute` (1 or more) at `nowMs`; `window` is undefined before the first request. */
export function takeFromWindow(
  window: RateWindow | undefined,
  perMinute: number,
  nowMs: number,
): RateDecision {
  const running = window !== undefined && nowMs - window.startedAtMs < RATE_WINDOW_MS;
  const startedAtMs = running ? window.startedAtMs : nowMs;
  const usedBefore = running ? window.used : 0;
  const allowed = usedBefore < perMinute;
  const used = usedBefore + (allowed ? 1 : 0);
  return {
    allowed,
    window: { startedAtMs, used },
    remaining: Math.max(0, perMinute - used),
    resetMs: startedAtMs + RATE_WINDOW_MS - nowMs,
  };
}
