import { describe, expect, it } from 'vitest';
import { type LongestWait, longestWait } from '../../../src/upstream/pool/send-patience.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SINCE_MS = 5_000;

const patienceOf = (wait: LongestWait, servedAtMs: () => number, ownMs?: number) =>
  longestWait({
    work: { class: 'next', ...(ownMs === undefined ? {} : { waitsUntilMs: () => ownMs }) },
    sinceMs: SINCE_MS,
    waitOf: () => wait,
    servedAtMs,
  });

describe('what waits while the service takes requests', () => {
  it('is given up ten minutes after the last one, counted from its own beginning at the earliest', () => {
    let servedAtMs = Number.NEGATIVE_INFINITY;
    const patience = patienceOf('while-served', () => servedAtMs);
    expect(patience.untilMs()).toBe(SINCE_MS + 10 * MINUTE_MS);
    servedAtMs = SINCE_MS + 9 * MINUTE_MS;
    expect(patience.untilMs()).toBe(servedAtMs + 10 * MINUTE_MS);
  });

  it('waits on for hours while others are served, and for a day at most', () => {
    let nowMs = SINCE_MS;
    const patience = patienceOf('while-served', () => nowMs);
    for (; nowMs < SINCE_MS + DAY_MS - 10 * MINUTE_MS; nowMs += MINUTE_MS)
      expect(patience.untilMs()).toBe(nowMs + 10 * MINUTE_MS);
    nowMs = SINCE_MS + DAY_MS;
    expect(patience.untilMs()).toBe(SINCE_MS + DAY_MS);
  });

  it('ends no later than what it is for', () => {
    expect(patienceOf('while-served', () => SINCE_MS, SINCE_MS + 1_000).untilMs()).toBe(SINCE_MS + 1_000);
  });
});

it('is as long as was told where others do not count', () => {
  expect(patienceOf(30_000, () => SINCE_MS + 20_000).untilMs()).toBe(SINCE_MS + 30_000);
});
