// WebVTT that is read while it grows: whatever is said and cut, a player can read it, and each word is shown once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingVtt, VTT_HEADER } from '../../src/captions/growing-vtt.ts';
import { captionsVtt } from '../../src/captions/web-vtt.ts';
import { type TimedWord, WordTimeline } from '../../src/captions/word-timeline.ts';
import type { Language } from '../../src/speech/language.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import { outside, RULES } from '../support/cue-check.ts';
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

describe('live WebVTT of words that are told before their sound has come', () => {
  const PACE = 62;
  const TICK_MS = 100;

  /** The cues of a text whose requests take other times than their letters promise, and how much time is missing to read them. */
  function live(text: string, language: Language, seed: number, times: 'told' | 'known') {
    const segments = wholeTextSegments(text, { language, markup: 'keep' });
    const timeline = new WordTimeline(PACE);
    const requests = segments.map((segment, at) => {
      const words = spokenWords([segment]);
      const weight = words.reduce((sum, word) => sum + word.weight + word.pause, 0);
      return { words, lengthMs: Math.round(weight * PACE * (0.55 + (((at + seed) * 37) % 70) / 100)) };
    });
    const vtt = new GrowingVtt();
    const reader = timeline.reader();
    const again = times === 'known' ? (count: number) => reader.again(count) : undefined;
    const options = { turn: 't', lines: [text], nameOf: () => undefined, language, again };
    const written: string[] = [];
    let baseMs = 0;
    for (const { words } of requests) timeline.addRequest(words);
    for (const [index, { lengthMs }] of requests.entries()) {
      for (let nowMs = TICK_MS; nowMs < lengthMs; nowMs += TICK_MS) {
        // The sound is half a second ahead of what is heard.
        const knownMs = Math.min(lengthMs, nowMs + 500);
        timeline.progress(index, knownMs, knownMs === lengthMs ? 'complete' : 'arriving');
        written.push(...vtt.add(reader.read(baseMs + nowMs + 250), options));
        written.push(...vtt.pass(baseMs + nowMs));
      }
      timeline.progress(index, lengthMs, 'complete');
      baseMs += lengthMs;
    }
    written.push(...vtt.add(reader.read(Number.POSITIVE_INFINITY), options));
    vtt.end('t', Number.POSITIVE_INFINITY);
    written.push(...vtt.close());
    const rules = RULES[language as keyof typeof RULES] ?? RULES.spaced;
    const cues = readVtt(VTT_HEADER + written.join(''));
    const wrong = (list: readonly { startMs: number; endMs: number; text: string }[]) =>
      list.filter((cue) => outside({ ...cue, lines: unescaped(cue.text).split('\n') }, rules).length > 0)
        .length;
    const file = readVtt(captionsVtt(timeline.words(), { ...options, endMs: Number.POSITIVE_INFINITY }));
    return {
      cues: cues.length,
      wrong: wrong(cues),
      wrongInFile: wrong(file),
      text: cues.map((cue) => cue.text).join(' '),
    };
  }

  it('obeys the rules as far as the file does', () => {
    const rows = (['english', 'mandarin'] as const).map((language) => {
      const text = readFileSync(join(import.meta.dirname, `../../fixtures/texts/${language}.txt`), 'utf8')
        .split(/^# .*\n/m)
        .slice(1)
        .map((one) =>
          one
            .trim()
            .split(/\n\s*\n/)[0]!
            .replaceAll('¦', '')
            .replace(/[⏎·\s]+/g, ' ')
            .trim(),
        )
        .join(' ')
        .slice(0, 1000);
      const sum = { told: 0, known: 0, file: 0, cues: 0 };
      for (const seed of [0]) {
        const known = live(text, language, seed, 'known');
        const told = live(text, language, seed, 'told');
        sum.known += known.wrong;
        sum.cues += known.cues;
        sum.file += known.wrongInFile;
        sum.told += told.wrong;
      }
      return `${language}: ${sum.cues} cues, ${sum.told} by told times, ${sum.known} live, ${sum.file} in the file`;
    });
    expect(rows).toMatchInlineSnapshot(`
      [
        "english: 30 cues, 0 by told times, 0 live, 0 in the file",
        "mandarin: 42 cues, 7 by told times, 4 live, 4 in the file",
      ]
    `);
  });
});
