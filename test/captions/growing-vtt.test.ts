// WebVTT that is read while it grows: whatever is said and cut, a player can read it, and each word is shown once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
        for (const [index, [parts, speaker, step, heardCount]] of turns.entries()) {
          const turn = `t${index}`;
          const { words, lines } = turnOf(parts, fromMs, speaker);
          const heard = words.slice(0, heardCount);
          heardWords.push(...heard.map((word) => word.text));
          for (let at = 0; at < heard.length; at += step) {
            take(vtt.add(heard.slice(at, at + step), { turn, lines, nameOf }));
            take(vtt.pass(heard[at]!.startMs));
          }
          vtt.end(turn, Number.POSITIVE_INFINITY);
          fromMs = words.at(-1)!.endMs + 100;
        }
        take(vtt.close());
        const cues = readVtt(text);
        expect(untimely(cues, Number.POSITIVE_INFINITY)).toBeUndefined();
        const shown = cues.map((cue) => unescaped(cue.text.replace(/<v [^>]*>|<\/v>/g, ''))).join(' ');
        let at = 0;
        for (const word of heardWords) {
          const found = shown.indexOf(word, at);
          expect(found, word).toBeGreaterThanOrEqual(0);
          at = found + word.length;
        }
        for (const cue of cues) expect(cue.text).not.toMatch(/-->|<(?!v |\/v>)/);
      },
    ),
  );
});

describe('a cue of live WebVTT', () => {
  const options = (lines: readonly string[], turn = 'a') => ({ turn, lines, nameOf: () => undefined });
  const timesOf = (cues: readonly string[]) =>
    cues.map((cue) => cue.split('\n').slice(1, -2).join(' | ').replaceAll('00:00:', ''));

  it('is written when the words behind it show where it ends', () => {
    const vtt = new GrowingVtt();
    const { words, lines } = turnOf(
      [
        ['Once', '', 10],
        ['more', '.', 20],
        ['Three', '', 10],
        ['four', '', 10],
        ['five', '', 10],
      ],
      0,
    );
    expect(vtt.add(words.slice(0, 2), options(lines))).toEqual([]);
    expect(vtt.add(words.slice(2, 4), options(lines))).toEqual([]);
    expect(timesOf(vtt.add(words.slice(4), options(lines)))).toEqual(['00.000 --> 01.500 | Once more.']);
  });

  it('is written after a pause, when it has been on the screen for long enough', () => {
    const vtt = new GrowingVtt();
    const { words, lines } = turnOf([['Yes', '.', 4]], 100);
    vtt.add(words, options(lines));
    expect(vtt.pass(1099)).toEqual([]);
    expect(timesOf(vtt.pass(1100))).toEqual(['00.100 --> 01.100 | Yes.']);
    expect(vtt.pass(9000)).toEqual([]);
  });

  it('of a turn that is over ends when the next one begins, or when it has been read', () => {
    const vtt = new GrowingVtt();
    const first = turnOf([['Yes', '.', 4]], 0);
    const second = turnOf([['No', '.', 4]], 600);
    vtt.add(first.words, options(first.lines));
    vtt.end('a', Number.POSITIVE_INFINITY);
    expect(vtt.pass(599)).toEqual([]);
    expect(timesOf(vtt.add(second.words, options(second.lines, 'b')))).toEqual(['00.000 --> 00.600 | Yes.']);
    vtt.end('a', 0);
    expect(timesOf(vtt.close())).toEqual(['00.600 --> 01.600 | No.']);
  });

  it('has the words of one turn, each with the signs of its own text', () => {
    const vtt = new GrowingVtt();
    const first = turnOf([['One', ' !', 30]], 0);
    const second = turnOf([['Two', ' ?', 30]], 1500);
    vtt.add(first.words, options(first.lines));
    expect(timesOf(vtt.add(second.words, options(second.lines, 'b')))).toEqual(['00.000 --> 01.500 | One !']);
    expect(timesOf(vtt.close())).toEqual(['01.500 --> 03.000 | Two ?']);
  });

  it('leaves what opens to the word behind it, also when that word is not known yet', () => {
    for (const [mark, opening] of [
      ['. “', '“'],
      [' (', '('],
      [' — «', '«'],
    ] as const) {
      const vtt = new GrowingVtt();
      const line = `He said${mark}Over now.`;
      const place = (text: string, startMs: number, endMs: number): TimedWord => {
        const charStart = [...line.slice(0, line.indexOf(text))].length;
        const at = { charStart, charEnd: charStart + text.length };
        return { text, startMs, endMs, speaker: undefined, line: 0, ...at, weight: 4, pause: 0 };
      };
      vtt.add([place('He', 0, 300), place('said', 300, 1000)], options([line]));
      const written = [...vtt.pass(4000)];
      written.push(...vtt.add([place('Over', 4000, 4500), place('now', 4500, 5000)], options([line])));
      written.push(...vtt.close());
      const shown = written.map((cue) => cue.split('\n').slice(2).join(' ').trim());
      expect(shown).toEqual([`He said${mark.replace(opening, '').trimEnd()}`, `${opening}Over now.`]);
    }
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
    vtt.add(words, options(lines));
    vtt.end('a', 300);
    expect(timesOf(vtt.close())).toEqual(['00.000 --> 01.000 | One two']);
    vtt.add(words, options(lines, 'b'));
    vtt.end('b', 0);
    expect(vtt.close()).toEqual([]);
  });
});
