import { describe, expect, it } from 'vitest';
import type { TimedWord } from '../../../src/captions/word-timeline.ts';
import type { ServerEvent } from '../../../src/dialects/native-events.ts';
import { tellWordList, wordListParts } from '../../../src/session/turn/turn-announcer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const words = (count: number, more: (at: number) => Partial<TimedWord> = () => ({})): TimedWord[] =>
  Array.from({ length: count }, (_, at) => ({
    text: 'a',
    line: 0,
    speaker: undefined,
    charStart: at,
    charEnd: at + 1,
    weight: 1,
    pause: 0,
    startMs: at,
    endMs: at + 1,
    ...more(at),
  }));
const partsOf = (list: readonly TimedWord[], fromMs = 0) => [...wordListParts('t', list, fromMs)];

describe('the parts of a list of words', () => {
  it('have a bounded size, one line and one bound, and each but the last tells that more follow', () => {
    const list = words(1201, (at) => ({ line: at < 700 ? 0 : 1, withinMs: at < 900 ? 20.2 : 90 }));
    expect(
      partsOf(list).map(({ line, words, withinMs, more }) => [line, words.length, withinMs, more]),
    ).toEqual([
      [0, 500, 21, true],
      [0, 200, 21, true],
      [1, 200, 21, true],
      [1, 301, 90, false],
    ]);
  });

  it('tell those that were found apart from those that were not', () => {
    const list = words(3, (at) => (at === 0 ? { withinMs: 10 } : {}));
    expect(partsOf(list).map(({ words, withinMs }) => [words.length, withinMs])).toEqual([
      [1, 10],
      [2, undefined],
    ]);
  });

  it('have the time of the turn', () => {
    expect(partsOf(words(1), 1000)[0]!.words[0]).toMatchObject({ startMs: 1000, endMs: 1001 });
  });

  it('are one without words where there are none', () => {
    expect(partsOf([])).toMatchObject([{ words: [], more: false }]);
  });
});

describe('telling them', () => {
  const telling = (isCongested: () => boolean) => {
    const clock = createFakeClock();
    const told: { readonly atMs: number; readonly event: ServerEvent }[] = [];
    let state: 'telling' | 'over' = 'telling';
    const outlet = {
      say: (event: ServerEvent) => void told.push({ atMs: clock.now(), event }),
      isCongested,
    };
    void tellWordList(wordListParts('t', words(1500), 0), outlet, clock).then(() => {
      state = 'over';
    });
    const run = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10) {
        clock.advance(10);
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      }
    };
    return { told, run, state: () => state };
  };

  it('lets others have their turn between two parts', async () => {
    const { told, run, state } = telling(() => false);
    expect(told).toHaveLength(1);
    await run(200);
    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ atMs }) => atMs)).size).toBe(3);
    expect(state()).toBe('over');
  });

  it('waits for a socket that has enough to send', async () => {
    let isFull = true;
    const { told, run } = telling(() => isFull);
    await run(1000);
    expect(told).toEqual([]);
    isFull = false;
    await run(200);
    expect(told).toHaveLength(3);
  });

  it('gives a socket up that takes nothing for a minute', async () => {
    const { told, run, state } = telling(() => true);
    await run(59_000);
    expect(state()).toBe('telling');
    await run(2000);
    expect(state()).toBe('over');
    expect(told).toEqual([]);
  });
});
