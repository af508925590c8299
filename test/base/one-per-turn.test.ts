import { describe, expect, it } from 'vitest';
import { createOnePerTurn } from '../../src/base/one-per-turn.ts';

function start() {
  const later: (() => void)[] = [];
  const served: string[] = [];
  const queue = createOnePerTurn<string>(
    (task) => later.push(task),
    (one) => served.push(one),
  );
  return { queue, served, turnOver: () => later.shift()?.() };
}

describe('one per turn', () => {
  it('serves the first at once and each further one when a turn of the event loop is over', () => {
    const { queue, served, turnOver } = start();
    for (const one of ['a', 'b', 'a', 'c']) queue.add(one);
    queue.go();
    expect(served).toEqual(['a']);
    turnOver();
    queue.add('a'); // has been served, and waits anew
    queue.go(); // is under way
    expect(served).toEqual(['a', 'b']);
    while (served.length < 4) turnOver();
    expect(served).toEqual(['a', 'b', 'c', 'a']);
    queue.add('d');
    queue.go();
    expect(served.at(-1)).toBe('d');
  });

  it('serves nobody who waited when it was cleared, and goes on afterwards', () => {
    const { queue, served, turnOver } = start();
    for (const one of ['a', 'b']) queue.add(one);
    queue.go();
    queue.clear();
    turnOver();
    queue.add('c');
    queue.go();
    expect(served).toEqual(['a', 'c']);
  });
});
