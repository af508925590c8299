import { describe, expect, it } from 'vitest';
import { RATE_WINDOW_MS, type RateWindow, takeFromWindow } from '../../src/limits/rate-window.ts';

function takeAll(times: readonly number[], perMinute: number) {
  let window: RateWindow | undefined;
  return times.map((nowMs) => {
    const decision = takeFromWindow(window, perMinute, nowMs);
    window = decision.window;
    return decision;
  });
}

describe('takeFromWindow', () => {
  it('lets the first perMinute requests through and refuses the next until the window ends', () => {
    const decisions = takeAll([1000, 1000, 30_000, 60_999, 61_000], 2);
    expect(decisions.map((d) => d.allowed)).toEqual([true, true, false, false, true]);
    expect(decisions.map((d) => d.remaining)).toEqual([1, 0, 0, 0, 1]);
    expect(decisions.map((d) => d.resetMs)).toEqual([60_000, 60_000, 31_000, 1, 60_000]);
  });

  it('does not count what it refuses, and does not move the window for it', () => {
    const decisions = takeAll([0, 10, 59_999, RATE_WINDOW_MS], 1);
    expect(decisions.map((d) => d.allowed)).toEqual([true, false, false, true]);
    expect(decisions[2]!.window).toEqual({ startedAtMs: 0, used: 1 });
  });

  it('begins a window with its first request, however long the pause before', () => {
    const decisions = takeAll([5, 1_000_000, 1_059_999], 1);
    expect(decisions.map((d) => d.allowed)).toEqual([true, true, false]);
    expect(decisions[1]!.window.startedAtMs).toBe(1_000_000);
  });
});
