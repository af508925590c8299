import { describe, expect, it } from 'vitest';
import { PackedWords } from '../../src/captions/packed-words.ts';
import type { SpokenWord } from '../../src/speech/spoken-word.ts';

const word = (n: number): SpokenWord => ({
  text: n % 3 === 0 ? `字${n}` : `word${n}`,
  line: n % 5,
  speaker: ([undefined, 1, 2] as const)[n % 3],
  charStart: n * 7,
  charEnd: n * 7 + 5,
  weight: n * 0.1 - 0.75,
  pause: [0, 2, 5][n % 3]!,
});

describe('packed words', () => {
  it('are told as they were given, over any number of requests', () => {
    const packed = new PackedWords();
    const all = Array.from({ length: 500 }, (_, n) => word(n));
    packed.add(all.slice(0, 3));
    packed.add([]);
    packed.add(all.slice(3, 400));
    packed.add(all.slice(400));
    expect(Array.from({ length: packed.length() }, (_, w) => packed.at(w))).toEqual(all);
    expect([0, 2, 3, 399, 400, 499, 500].map((w) => packed.requestOf(w))).toEqual([
      0,
      0,
      2,
      2,
      3,
      3,
      undefined,
    ]);
    // A quarter of room and the text, far below the two hundred bytes of an object.
    expect(packed.bytes()).toBeLessThan(500 * 80);
  });
});
