// Whatever a text is made of, reading it takes work in proportion to its length. Work is counted, never timed.
import { describe, expect, it } from 'vitest';
import { HARD_TEXTS, hardText } from '../../bench/lab/hard-texts.ts';
import { createBracketPairs } from '../../src/text/inline-markup.ts';
import { createMarkupStripper } from '../../src/text/markup-stripper.ts';
import { createTurnText } from '../../src/text/turn-text.ts';

const PIECE = 512;
/** The longest look-ahead is that of a link's target, 2,000 units, and a segment is cut at 1,200. */
const MAX_HELD = 3800;

function visitsOf(text: string): number {
  const stripper = createMarkupStripper({ text() {}, lineBreak() {} });
  for (let at = 0; at < text.length; at += PIECE) stripper.push(text.slice(at, at + PIECE), at);
  stripper.flush();
  return stripper.visitedForBrackets();
}

describe('a text that is hard to read', () => {
  it.each(HARD_TEXTS)('has each of its characters looked at once for brackets: %s', (name) => {
    // One look for square brackets, one for round ones; each may reach a little further than it must.
    for (const units of [4000, 16_000, 64_000])
      expect(visitsOf(hardText(name, units))).toBeLessThanOrEqual(2 * units + 64);
  });

  it.each(HARD_TEXTS)('is held back no further than the longest look-ahead: %s', (name) => {
    for (const options of [
      { markup: 'strip', early: 'first-clause' },
      { markup: 'keep', early: 'off' },
      { markup: 'strip', early: 'off', turnPrefix: `${hardText(name, 199)}:`, turnPrefix2: 'B:' },
    ] as const) {
      let cut = 0;
      const turn = createTurnText({ language: 'english', ...options }, () => {
        cut += 1;
      });
      const text = hardText(name, 24_000);
      for (let at = 0; at < text.length; at += PIECE) {
        turn.append(text.slice(at, at + PIECE));
        expect(turn.heldCharacters()).toBeLessThanOrEqual(MAX_HELD);
      }
      turn.end();
      expect(turn.heldCharacters()).toBe(0);
      expect(cut).toBeGreaterThan(0);
    }
  });
});

describe('brackets that belong together', () => {
  const pairs = () => createBracketPairs('(', ')', 20);

  it('are found, nested ones too, and told to be missing as soon as that is known', () => {
    const of = pairs();
    const text = '((a)b)c(d\n)';
    expect([0, 1, 7].map((at) => of.partnerOf(at, 20, text, 0))).toEqual([5, 3, 'never']);
  });

  it('may come later, but for those that are too far', () => {
    const of = pairs();
    expect(of.partnerOf(0, 20, '(abc', 0)).toBe('later');
    expect(of.partnerOf(0, 20, '(abcdef)', 0)).toBe(7);
    const far = pairs();
    expect(far.partnerOf(0, 20, `(${'a'.repeat(30)})`, 0)).toBe('never');
    expect(far.partnerOf(0, 20, `(${'a'.repeat(18)})`, 0)).toBe('never');
    expect(pairs().partnerOf(0, 20, `(${'a'.repeat(18)})`, 0)).toBe(19);
  });

  it('are told by the place in all text, when what was before has been dropped', () => {
    const of = pairs();
    expect(of.partnerOf(100, 20, '((x)', 100)).toBe('later');
    of.forgetBefore(101);
    expect(of.partnerOf(101, 20, '(x))', 101)).toBe(103);
  });
});
