// What is handed out can make room for more, so that taking it pokes again.
import { describe, expect, it } from 'vitest';
import { createLineWaiter } from '../../src/pipeline/line-waiter.ts';

const signal = () => new AbortController().signal;

describe('a line that is poked while it hands out an item', () => {
  it('hands out each item once, in order', async () => {
    const ready: string[] = [];
    const take = (): string | undefined => {
      const item = ready.shift();
      if (item !== undefined) waiter.poke();
      return item;
    };
    const waiter = createLineWaiter(take, () => false);
    const first = waiter.next(signal());
    ready.push('one', 'two');
    waiter.poke();
    expect([await first, await waiter.next(signal())]).toEqual(['one', 'two']);
  });
});
