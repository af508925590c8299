import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../bench/lab/seeded-random.ts';
import { linesOf, turnOf } from '../../../bench/lab/spoken-lines.ts';

const LINES = [
  { text: 'The ferry leaves at ten.', mp3: '', mulaw: '', ms: 1500 },
  { text: 'Shall I keep two seats?', mp3: '', mulaw: '', ms: 1200 },
  { text: 'That is no trouble.', mp3: '', mulaw: '', ms: 900 },
];

describe('turnOf', () => {
  it('takes as long as asked for, or less than one line more, and comes out the same for a seed', () => {
    for (let seed = 0; seed < 50; seed++) {
      const turn = turnOf(LINES, 6, createSeededRandom(seed));
      const ms = (linesOf(turn, LINES) ?? []).reduce((sum, line) => sum + line.ms, 0);
      expect(ms).toBeGreaterThanOrEqual(6000);
      expect(ms).toBeLessThan(7500);
      expect(turnOf(LINES, 6, createSeededRandom(seed))).toBe(turn);
    }
  });
});

describe('linesOf', () => {
  it('finds the lines of a text in its order, whatever white space is between them', () => {
    const text = ' That is no trouble.\nThe ferry leaves at ten. That is no trouble. ';
    expect(linesOf(text, LINES)).toEqual([LINES[2], LINES[0], LINES[2]]);
    expect(linesOf('', LINES)).toEqual([]);
  });

  it('knows no text with anything else in it', () => {
    expect(linesOf('That is no trouble. Really.', LINES)).toBeUndefined();
    expect(linesOf('The ferry leaves', LINES)).toBeUndefined();
  });
});
