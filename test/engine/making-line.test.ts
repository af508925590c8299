import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { createMakingLine } from '../../src/engine/making-line.ts';
import { createFakeClock, type FakeClock, settle } from '../support/fake-clock.ts';

/** Each piece takes 5 ms: time goes on when the line looks after it. */
function createRig() {
  const fake = createFakeClock();
  let spentMs = 0;
  const clock: Clock = {
    ...fake,
    now: () => fake.now() + spentMs,
    // As on the real loop, behind what promises have to do.
    soon: (task) => void settle().then(task),
  };
  const line = createMakingLine(clock);
  const made: string[] = [];
  const ask = (name: string, aheadMs: () => number) =>
    line.turn(aheadMs).then(() => {
      made.push(name);
      spentMs += 5;
    });
  return { fake, made, ask };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let atMs = 0; atMs < ms; atMs += 5) await clock.run(5);
}

describe('the line of those whose sound is to be made', () => {
  it('lets first whose listener has least in hand', async () => {
    const { fake, made, ask } = createRig();
    let bookMs = 9000;
    void ask('book', () => bookMs);
    void ask('call', () => 600);
    void ask('later call', () => 600);
    expect(made).toEqual([]);
    await pass(fake, 200);
    expect(made).toEqual(['call', 'later call', 'book']);
    bookMs = 100;
    void ask('call', () => 600);
    void ask('book', () => bookMs);
    await pass(fake, 200);
    expect(made.slice(3)).toEqual(['book', 'call']);
  });

  it('does not hold up one who is alone', async () => {
    const { fake, made, ask } = createRig();
    const aheadMs = () => 9000;
    const makeAll = async () => {
      for (let piece = 0; piece < 20; piece += 1) await ask('book', aheadMs);
    };
    void makeAll();
    // No time passes but what the pieces take.
    for (let turn = 0; turn < 100; turn += 1) await fake.run(0);
    expect(made).toHaveLength(20);
  });

  it('leaves three quarters of the time to others where several wait', async () => {
    const { fake, made, ask } = createRig();
    for (let caller = 0; caller < 40; caller += 1) void ask('call', () => 900);
    await pass(fake, 150);
    // Each piece has 15 ms behind it.
    expect(made.length).toBeGreaterThanOrEqual(8);
    expect(made.length).toBeLessThanOrEqual(12);
  });
});
