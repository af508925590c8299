import { describe, expect, it } from 'vitest';
import { createMakingLine } from '../../src/engine/making-line.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';

describe('the line of those whose sound is to be made', () => {
  it('lets one in a turn of the loop, and whose listener has least in hand first', async () => {
    const clock = createFakeClock();
    const line = createMakingLine(clock);
    const made: string[] = [];
    let bookMs = 9000;
    const ask = (name: string, aheadMs: () => number) => line.turn(aheadMs).then(() => made.push(name));
    void ask('book', () => bookMs);
    void ask('call', () => 600);
    void ask('later call', () => 600);
    expect(made).toEqual([]);
    clock.flush();
    await settle();
    expect(made).toEqual(['call', 'later call', 'book']);
    bookMs = 100;
    void ask('call', () => 600);
    void ask('book', () => bookMs);
    clock.flush();
    await settle();
    expect(made.slice(3)).toEqual(['book', 'call']);
  });
});
