import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceWordTimes } from '../../../src/captions/alignment/service-words.ts';
import type { ServiceWord } from '../../../src/speech/service-word.ts';

/** Words as a reader sees them, and where they begin. */
function textOf(words: readonly string[]) {
  let at = 0;
  const wordAt = words.map((word) => {
    const begins = at;
    at += [...word].length + 1;
    return begins;
  });
  return { text: words.join(' '), wordAt, weights: words.map((word) => [...word].length) };
}

const told = (
  ...words: readonly (readonly [text: string, startMs: number, endMs: number])[]
): ServiceWord[] => words.map(([text, startMs, endMs]) => ({ text, startMs, endMs }));

const timesOf = (words: readonly string[], said: readonly ServiceWord[]) => {
  const times = new ServiceWordTimes(textOf(words));
  times.add(said);
  const estimate = times.estimate(60)!;
  return {
    starts: Array.from(estimate.startsMs),
    ends: Array.from(estimate.endsMs),
    reached: estimate.reached,
  };
};

describe('word times of a service', () => {
  it('are those of the words, where they are written as they are told', () => {
    const { starts, ends, reached } = timesOf(
      ['The', 'tide,', 'turns.'],
      told(['The', 0, 90], ['tide', 100, 300], ['turns', 500, 800]),
    );
    expect([starts, ends, reached]).toEqual([[0, 100, 500], [90, 300, 800], 3]);
  });

  it('begin with a sign that is said with its number, where each character is told', () => {
    const text = 'of £75, #5 or 5€ now';
    const said = [...text].map((one, at) => [one, at * 100, at * 100 + 100] as const);
    const { starts } = timesOf(text.split(' '), told(...said));
    expect(starts).toEqual([0, 300, 800, 1_100, 1_400, 1_700]);
  });

  it('are found where a number is told in words', () => {
    const { starts, ends } = timesOf(
      ['In', '2026', 'people', 'paid', '$12', 'each'],
      told(
        ['in', 0, 90],
        ['twenty', 100, 300],
        ['twenty', 310, 500],
        ['six', 510, 700],
        ['people', 710, 990],
        ['paid', 1000, 1190],
        ['twelve', 1200, 1400],
        ['dollars', 1410, 1690],
        ['each', 1700, 2000],
      ),
    );
    expect(starts).toEqual([0, 100, 710, 1000, 1200, 1700]);
    expect(ends).toEqual([90, 700, 990, 1190, 1690, 2000]);
  });

  it('are shared where one told word is several of the caller, and where one was not told', () => {
    expect(
      timesOf(['well', 'known', 'it', 'is'], told(['wellknown', 0, 900], ['is', 1200, 1300])).starts,
    ).toEqual([0, 400, 971.4285714285714, 1200]);
  });

  it('of characters are those of the words that they make', () => {
    const characters = [...'Über die'].map((text, at) => ({ text, startMs: at * 10, endMs: at * 10 + 10 }));
    const { starts, ends } = timesOf(['Über', 'die'], characters);
    expect([starts, ends]).toEqual([
      [0, 50],
      [40, 80],
    ]);
  });

  it('of what is not told yet are guessed', () => {
    const { starts, reached } = timesOf(['one', 'two', 'three'], told(['one', 10, 200]));
    expect([starts, reached]).toEqual([[10, 200, 380], 1]);
  });

  it('are the same in whatever pieces they come, rise, and are exact where the words are alike', () => {
    const word = fc.stringMatching(/^[a-zäöü]{1,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.nat(), (words, seed) => {
        const said = words.map((text, at) => ({ text, startMs: at * 300 + 5, endMs: at * 300 + 290 }));
        const whole = new ServiceWordTimes(textOf(words));
        whole.add(said);
        const pieces = new ServiceWordTimes(textOf(words));
        const size = 1 + (seed % 7);
        for (let at = 0; at < said.length; at += size) {
          pieces.add(said.slice(at, at + size));
          expect(pieces.estimate(60)!.reached).toBeLessThanOrEqual(words.length);
        }
        expect(pieces.estimate(60)).toEqual(whole.estimate(60));
        expect(Array.from(whole.estimate(60)!.startsMs)).toEqual(said.map(({ startMs }) => startMs));
      }),
    );
  });

  it('rise whatever is told', () => {
    const anyWord = fc.record({
      text: fc.string({ maxLength: 12 }),
      startMs: fc.nat(10_000),
      endMs: fc.nat(10_000),
    });
    const words = fc.array(fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !text.includes(' ')));
    fc.assert(
      fc.property(words, fc.array(anyWord, { maxLength: 60 }), (written, said) => {
        const times = new ServiceWordTimes(textOf(written));
        times.add(said);
        const estimate = times.estimate(60);
        if (estimate === undefined) return;
        let before = 0;
        for (let w = 0; w < written.length; w += 1) {
          expect(estimate.startsMs[w]!).toBeGreaterThanOrEqual(before);
          expect(estimate.endsMs[w]!).toBeGreaterThanOrEqual(estimate.startsMs[w]!);
          before = estimate.startsMs[w]!;
        }
      }),
    );
  });

  it('are found at once in a text as long as a request can be', () => {
    const words = Array.from({ length: 800 }, (_, at) => `word${at}`);
    const said = words.map((text, at) => ({
      text: at % 50 === 7 ? 'other things' : text,
      startMs: at * 10,
      endMs: at * 10 + 9,
    }));
    expect(timesOf(words, said).starts[799]).toBe(7990);
  });
});
