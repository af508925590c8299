import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createUsedShare } from '../../src/base/used-share.ts';

it('is the part of the time, since it was asked last, in which the thread did not wait', async () => {
  const usedShare = createUsedShare();
  await pause(50);
  const untilMs = systemClock.now() + 100;
  while (systemClock.now() < untilMs);
  const half = usedShare();
  while (systemClock.now() < untilMs + 50);
  // The loop has counted nothing else since.
  expect(usedShare()).toBeGreaterThan(half);
  expect(half).toBeGreaterThan(0.1);
  expect(half).toBeLessThan(1);
});
