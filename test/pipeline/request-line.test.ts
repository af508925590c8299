import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineWaiter, createRequestLine, type LineItem } from '../../src/pipeline/request-line.ts';
import { MAX_REQUEST_TEXT } from '../../src/speech/speech-request.ts';
import type { Segment } from '../../src/text/segment.ts';

const segment = (text: string, start = 0): Segment => ({
  line: 0,
  speaker: undefined,
  runs: [{ text, start }],
  boundary: 'sentence',
});
const never = new AbortController().signal;
const shown = (item: LineItem | undefined) => {
  if (item?.kind !== 'flush') return item?.text.text;
  return item.count === 1 ? 'flush' : `flush ${item.count}`;
};
const isFlush = (item: string | undefined) => item?.startsWith('flush') === true;

/** A line whose listener has `remainingMs` left, and what it has handed out to a reader who always waits. */
function startLine(remainingMs: () => number) {
  const line = createRequestLine({ prefetchMs: 4000, readAheadMs: 30_000, remainingMs, prefixes: {} });
  const out: (string | undefined)[] = [];
  const read = async () => {
    for (;;) {
      const item = await line.next(never);
      out.push(shown(item));
      if (item === undefined) return;
    }
  };
  void read();
  const rest = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    return out;
  };
  return { line, out, rest };
}

describe('request line', () => {
  // Each flush used to be an item of its own behind a copy of all the others: 50,000 of them held the process for 12 s.
  it('keeps flushes in a row as one place, however many there are', async () => {
    const { line, rest } = startLine(() => 9000);
    line.add(segment('One. '));
    await rest();
    line.add(segment('Two. '));
    for (let flush = 0; flush < 100_000; flush += 1) line.flush();
    line.add(segment('Three. '));
    line.flush();
    // The first one is handed out as it comes; all that come before the reader is back are one.
    expect(await rest()).toEqual(['One. ', 'Two. ', 'flush', 'flush 99999', 'Three. ', 'flush']);
  });

  it('counts the flushes of one place', async () => {
    const line = createRequestLine({
      prefetchMs: 4000,
      readAheadMs: 30_000,
      remainingMs: () => 0,
      prefixes: {},
    });
    for (let flush = 0; flush < 3; flush += 1) line.flush();
    expect(await line.next(never)).toEqual({ kind: 'flush', count: 3 });
  });

  it('hands out the first words at once, later text together when little is left to hear', async () => {
    let remaining = 9000;
    const { line, rest } = startLine(() => remaining);
    line.add(segment('One. '));
    expect(await rest()).toEqual(['One. ']);
    line.add(segment('Two. '));
    line.add(segment('Three. '));
    line.recheck();
    expect(await rest()).toHaveLength(1);
    expect(line.waitingCharacters()).toBe(12);
    remaining = 4000;
    line.recheck();
    expect(await rest()).toEqual(['One. ', 'Two. Three. ']);
    expect([line.waitingCharacters(), line.hasText(), line.handedOut()]).toEqual([0, false, 2]);
  });

  it('counts the first words as handed out only when they hold something to say', async () => {
    const { line, rest } = startLine(() => 9000);
    line.add(segment('… '));
    line.add(segment('One. '));
    expect(await rest()).toEqual(['One. ']);
    line.add(segment('Two. '));
    expect(await rest()).toEqual(['One. ']);
  });

  it('hands out everything before a flush, then the flush', async () => {
    const { line, rest } = startLine(() => 9000);
    line.flush();
    line.add(segment('One. '));
    line.add(segment('Two. '));
    line.flush();
    line.add(segment('Three. '));
    line.flush();
    line.flush();
    line.end();
    expect(await rest()).toEqual(['flush', 'One. Two. ', 'flush', 'Three. ', 'flush 2', undefined]);
  });

  it('hands out what fills a request although some seconds are left to hear', async () => {
    const { line, rest } = startLine(() => 30_000);
    line.add(segment('One. '));
    const long = segment('word '.repeat(1000));
    for (let n = 0; n < 4; n += 1) line.add(long);
    const out = await rest();
    expect(out).toHaveLength(2);
    expect(out[1]!.length).toBe(MAX_REQUEST_TEXT);
  });

  it('does not ask for text that is there long before it is heard', async () => {
    let remaining = 0;
    const { line, rest } = startLine(() => remaining);
    line.add(segment('One. '));
    await rest();
    remaining = 1e9;
    for (let n = 0; n < 30; n += 1) line.add(segment(`${'word '.repeat(300)}${n}. `));
    line.end();
    expect(await rest()).toHaveLength(1);
    remaining = 30_000;
    line.recheck();
    remaining = 1e9;
    expect(await rest()).toHaveLength(2);
    line.recheck();
    expect(await rest()).toHaveLength(2);
    remaining = 0;
    line.recheck();
    expect((await rest()).at(-1)).toBeUndefined();
  });

  it('lets its reader go when he is aborted, and serves the next one', async () => {
    const line = createRequestLine({ prefetchMs: 0, readAheadMs: 0, remainingMs: () => 0, prefixes: {} });
    const controller = new AbortController();
    const waiting = line.next(controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(line.next(controller.signal)).rejects.toThrow('gone');
    line.add(segment('One.'));
    expect(shown(await line.next(never))).toBe('One.');
    line.end();
    expect(await line.next(never)).toBeUndefined();
  });

  it('loses, doubles and reorders nothing', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('One. ', 'Two three. ', '… ', `${'long '.repeat(2000)}. `) },
      { weight: 1, arbitrary: fc.constantFrom('FLUSH', 'POKE', 'LOW', 'HIGH') },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        let remaining = 9000;
        const { line, rest } = startLine(() => remaining);
        let text = '';
        let flushes = 0;
        for (const each of steps) {
          if (each === 'LOW' || each === 'HIGH') remaining = each === 'LOW' ? 0 : 9000;
          else if (each === 'POKE') line.recheck();
          else if (each === 'FLUSH') {
            line.flush();
            flushes += 1;
          } else {
            line.add(segment(each));
            text += each;
          }
          if (steps.length % 2 === 0) await rest();
        }
        line.end();
        const out = await rest();
        const bare = (all: string) => all.replace(/[\s….]+/g, '');
        expect(out.at(-1)).toBeUndefined();
        const counts = out.filter(isFlush).map((item) => Number(item!.split(' ')[1] ?? 1));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(flushes);
        expect(bare(out.filter((item) => !isFlush(item)).join(''))).toBe(bare(text));
        expect([line.waitingCharacters(), line.hasText()]).toEqual([0, false]);
      }),
      { numRuns: 200 },
    );
  });
});

// What is handed out can make room for more, so that taking it rechecks.
describe('a line that is rechecked while it hands out an item', () => {
  it('hands out each item once, in order', async () => {
    const ready: string[] = [];
    const take = (): string | undefined => {
      const item = ready.shift();
      if (item !== undefined) waiter.recheck();
      return item;
    };
    const waiter = createLineWaiter(take, () => false);
    const first = waiter.next(never);
    ready.push('one', 'two');
    waiter.recheck();
    expect([await first, await waiter.next(never)]).toEqual(['one', 'two']);
  });
});
