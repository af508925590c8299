// Real collections, of this thread's own heap.

import { expect, it, vi } from 'vitest';
import { collector } from '../../src/base/collector.ts';
import { followUse, growthPercent } from '../../src/base/lean-heap.ts';

const PLENTY = { timeout: 10_000, interval: 5 } as const;

it('lets the heap grow more where there is little time left', () => {
  expect([0, 0.3, 0.6, 0.61, 0.9, 1].map(growthPercent)).toEqual([40, 40, 40, 90, 90, 90]);
});

it('asks after each collection of the old space what was used, and says only what has changed', async () => {
  const collect = collector();
  const shares = [0.1, 0.9, 0.8, 0.1, 0.2, 0.7];
  const said: number[] = [];
  let asked = 0;
  const following = followUse({
    usedShare: () => shares[asked++] ?? 0,
    growBy: (percent) => said.push(percent),
  });
  try {
    for (const [index] of shares.entries()) {
      for (let young = 0; young < 3; young += 1) collect({ type: 'minor' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(asked).toBe(index);
      collect();
      await vi.waitFor(() => expect(asked).toBe(index + 1), PLENTY);
    }
  } finally {
    following.stop();
  }
  expect(said).toEqual([90, 40, 90]);
});
