import { describe, expect, it } from 'vitest';
import { createWorkSlices } from '../../../src/base/processes/work-slices.ts';
import { settle } from '../../support/fake-clock.ts';

/** Serving takes `costMs`, half of it in what it sets going. */
function start(costMs: number) {
  const later: (() => void)[] = [];
  const served: string[] = [];
  let nowMs = 0;
  const queue = createWorkSlices<string>({
    soon: (task) => later.push(task),
    now: () => nowMs,
    sliceMs: 2,
    serve(one) {
      served.push(one);
      nowMs += costMs / 2;
      queueMicrotask(() => {
        nowMs += costMs / 2;
      });
    },
  });
  const turnOver = async () => {
    later.shift()?.();
    await settle();
  };
  return { queue, served, later, turnOver };
}

describe('work in slices', () => {
  it('serves the first at once, and as many in each turn as its slice has time for', async () => {
    const { queue, served, turnOver, later } = start(1);
    for (const one of ['a', 'b', 'a', 'c', 'd', 'e']) queue.add(one);
    queue.go();
    expect(served).toEqual(['a']);
    await settle();
    expect(served).toEqual(['a', 'b']);
    await turnOver();
    expect(served).toEqual(['a', 'b', 'c', 'd']);
    await turnOver();
    expect(served).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(later).toEqual([]);
  });

  it('serves one in each turn whose work is longer than a slice', async () => {
    const { queue, served, turnOver } = start(5);
    for (const one of ['a', 'b', 'c']) queue.add(one);
    queue.go();
    await settle();
    expect(served).toEqual(['a']);
    queue.add('a'); // has been served, and waits anew
    queue.go(); // is under way
    await turnOver();
    expect(served).toEqual(['a', 'b']);
    for (let turn = 0; turn < 3; turn += 1) await turnOver();
    expect(served).toEqual(['a', 'b', 'c', 'a']);
    queue.add('d');
    queue.go();
    expect(served.at(-1)).toBe('d');
  });

  it('serves nobody who waited when it was cleared, and goes on afterwards', async () => {
    const { queue, served, turnOver } = start(1);
    for (const one of ['a', 'b']) queue.add(one);
    queue.go();
    queue.clear();
    await settle();
    await turnOver();
    queue.add('c');
    queue.go();
    expect(served).toEqual(['a', 'c']);
  });

  it('is one row of slices, though serving the last one adds others and asks to go on', async () => {
    const later: (() => void)[] = [];
    const served: string[] = [];
    const queue = createWorkSlices<string>({
      soon: (task) => later.push(task),
      now: () => served.length,
      sliceMs: 1,
      serve(one) {
        served.push(one);
        if (one !== 'a') return;
        for (const each of ['b', 'c', 'd']) queue.add(each);
        queue.go();
      },
    });
    queue.add('a');
    queue.go();
    expect(served).toEqual(['a']);
    await settle();
    expect(later).toHaveLength(1);
  });
});
