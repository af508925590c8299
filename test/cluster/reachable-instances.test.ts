// Which instances are taken for gone: one that was, and is heard of again, is asked before its sessions are taken over.
import { describe, expect, it } from 'vitest';
import { createReachableInstances } from '../../src/cluster/instances/reachable-instances.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function stand() {
  const clock = createFakeClock();
  const listed = new Set(['a']);
  const reach = createReachableInstances((id) => listed.has(id), clock);
  return { clock, listed, reach };
}

describe('an instance that was not reached', () => {
  it('is taken for gone for ten seconds while it is listed', async () => {
    const { clock, reach } = stand();
    expect(reach.isAlive('a')).toBe(true);
    reach.notReached('a');
    expect([reach.isAlive('a'), reach.isWorthAsking('a')]).toEqual([false, true]);
    await clock.run(10_000);
    expect(reach.isAlive('a')).toBe(true);
  });
  it('is not asked again for a minute and a half while nobody lists it', async () => {
    const { clock, listed, reach } = stand();
    listed.clear();
    expect([reach.isAlive('a'), reach.isWorthAsking('a')]).toEqual([false, true]);
    reach.notReached('a');
    await clock.run(89_000);
    expect(reach.isWorthAsking('a')).toBe(false);
    await clock.run(1000);
    expect(reach.isWorthAsking('a')).toBe(true);
  });
  it('is asked again once it was heard of: it stood still, came back, and is cut off from Redis a moment later', () => {
    const { listed, reach } = stand();
    listed.clear();
    reach.notReached('a');
    listed.add('a');
    reach.found('a');
    expect(reach.isAlive('a')).toBe(true);
    listed.clear();
    expect([reach.isAlive('a'), reach.isWorthAsking('a')]).toEqual([false, true]);
  });
});
