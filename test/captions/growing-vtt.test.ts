// WebVTT that is read while it grows: whatever is said and cut, a player can read it, and each word is shown once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingVtt, VTT_HEADER } from '../../src/captions/growing-vtt.ts';
import type { TimedWord } from '../../src/captions/word-timeline.ts';
import { readVtt, untimely } from '../support/read-vtt.ts';
import '../support/property-seed.ts';

const nameOf = (speaker: 1 | 2 | undefined) => (speaker === undefined ? undefined : `Speaker ${speaker}`);
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
type Turn = { readonly words: readonly TimedWord[]; readonly lines: readonly string[] };

/** Words of one line, each `weight` × 50 ms long, with what stands between them. */
function turnOf(
  parts: readonly (readonly [string, string, number])[],
  fromMs: number,
  speaker?: 1 | 2,
): Turn {
  let line = '';
  let atMs = fromMs;
  const words = parts.map(([text, mark, weight]): TimedWord => {
    const charStart = [...line].length;
    line += text;
    const charEnd = [...line].length;
    line += `${mark} `;
    const startMs = atMs;
    atMs += weight * 50;
    return { text, startMs, endMs: atMs, speaker, line: 0, charStart, charEnd, weight, pause: 0 };
  });
  return { words, lines: [line] };
}
const partsOf = fc.array(
  fc.tuple(
    fc.stringMatching(/^[a-z<&>]{1,9}$/),
    fc.constantFrom('', ',', '.', '!', ' -->'),
    fc.integer({ min: 0, max: 30 }),
  ),
  { minLength: 1, maxLength: 40 },
);

it('is WebVTT at every moment, in order, with every word that was heard', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(partsOf, fc.constantFrom(undefined, 1, 2), fc.integer({ min: 1, max: 7 }), fc.nat(40)),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      (turns) => {
        const vtt = new GrowingVtt();
        let text = VTT_HEADER;
        let fromMs = 0;
        const heardWords: string[] = [];
        const take = (cues: readonly string[]) => {
          text += cues.join('');
          readVtt(text);
        };
        for (const [parts, speaker, step, heardCount] of turns) {
          const { words, lines } = turnOf(parts, fromMs, speaker);
          const heard = words.slice(0, heardCount);
          heardWords.push(...heard.map((word) => word.text));
          for (let at = 0; at < heard.length; at += step) {
            take(vtt.add(heard.slice(at, at + step), { lines, nameOf }));
            take(vtt.pass(heard[at]!.startMs));
          }
          take(vtt.end(Number.POSITIVE_INFINITY));
          fromMs = words.at(-1)!.endMs + 100;
        }
        const cues = readVtt(text);
        expect(untimely(cues, Number.POSITIVE_INFINITY)).toBeUndefined();
        const shown = cues.map((cue) => unescaped(cue.text.replace(/^<v [^>]*>/, ''))).join(' ');
        let at = 0;
        for (const word of heardWords) {
          const found = shown.indexOf(word, at);
          expect(found, word).toBeGreaterThanOrEqual(0);
          at = found + word.length;
        }
        for (const cue of cues) expect(cue.text).not.toMatch(/-->|<(?!v )/);
      },
    ),
  );
});

it('writes a cue when the next word shows that it is whole, after a pause, and at the end', () => {
  const vtt = new GrowingVtt();
  const { words, lines } = turnOf(
    [
      ['One', '', 4],
      ['two', '.', 4],
      ['Three', '', 4],
      ['four', '', 4],
    ],
    0,
  );
  const options = { lines, nameOf };
  expect(vtt.add(words.slice(0, 2), options)).toEqual([]);
  expect(vtt.add(words.slice(2, 3), options)).toEqual(['1\n00:00:00.000 --> 00:00:00.400\nOne two.\n\n']);
  expect(vtt.pass(1200)).toEqual([]);
  expect(vtt.pass(1300)).toEqual(['2\n00:00:00.400 --> 00:00:00.600\nThree\n\n']);
  expect(vtt.add(words.slice(3), options)).toEqual([]);
  expect(vtt.end(Number.POSITIVE_INFINITY)).toEqual(['3\n00:00:00.600 --> 00:00:00.800\nfour\n\n']);
});

it('shows no word that was cut before it was heard', () => {
  const vtt = new GrowingVtt();
  const { words, lines } = turnOf(
    [
      ['One', '', 4],
      ['two', '', 4],
      ['three', '', 4],
    ],
    0,
  );
  vtt.add(words, { lines, nameOf });
  expect(vtt.end(300).join('')).toContain('One two');
  const again = turnOf([['One', '', 4]], 0);
  vtt.add(again.words, { lines: again.lines, nameOf });
  expect(vtt.end(0)).toEqual([]);
});
