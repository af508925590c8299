// Cues against the rules of broadcasters, with texts of eleven languages at the pace of speech: whatever is outside of a rule must
// be outside of it in every way of cutting, which `cue-check.ts` tries.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cue,
  type CueOptions,
  captionCues,
  cuesSoFar,
  nothingBefore,
} from '../../src/captions/caption-cues.ts';
import type { TimedWord } from '../../src/captions/word-timeline.ts';
import type { Language } from '../../src/speech/language.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';
import {
  leastMissing,
  missingMs,
  outside,
  type QuotedWord,
  RULES,
  type Rules,
} from '../support/cue-check.ts';
import '../support/property-seed.ts';

const LANGUAGES = [
  'english',
  'german',
  'french',
  'spanish',
  'italian',
  'polish',
  'russian',
  'arabic',
  'hindi',
  'mandarin',
  'japanese',
  'korean',
] as const satisfies readonly Language[];
const rulesOf = (language: Language): Rules => RULES[language as keyof typeof RULES] ?? RULES.spaced;

/** Cases of a fixture as paragraphs. */
const textOf = (language: Language): string =>
  readFileSync(join(import.meta.dirname, `../../fixtures/texts/${language}.txt`), 'utf8')
    .split(/^# .*\n/m)
    .slice(1)
    .map((one) => one.trim().split(/\n\s*\n/)[0]!)
    .map((one) =>
      one
        .replaceAll('¦', '')
        .replace(/[⏎·\n]+/g, ' ')
        .replace(/ +/g, ' ')
        .trim(),
    )
    .join('\n\n');

/** Words as they are said at `msPerWeight`, with the pauses that their punctuation makes; `draw` varies each. */
function said(text: string, language: Language, msPerWeight: number, draw: () => number): TimedWord[] {
  const words = spokenWords(
    wholeTextSegments(text, { language, markup: 'keep', turnPrefix: undefined, turnPrefix2: undefined }),
  );
  let atMs = 0;
  return words.map((word): TimedWord => {
    const startMs = atMs;
    const endMs = startMs + word.weight * msPerWeight * draw();
    atMs = endMs + word.pause * msPerWeight * draw();
    return { ...word, startMs, endMs };
  });
}
const options = (text: string, language?: Language): CueOptions => ({
  lines: [text],
  nameOf: () => undefined,
  language,
});
const linesOf = (cue: Cue): string[] =>
  cue.parts.flatMap(({ lines, hasDash }) => [(hasDash ? '- ' : '') + lines[0]!, ...lines.slice(1)]);
const shown = (cue: Cue) => ({ startMs: cue.startMs, endMs: cue.endMs, lines: linesOf(cue) });
const bare = (text: string): string => text.replace(/\s+/g, '');
const quoted = (text: string, words: readonly TimedWord[]): QuotedWord[] => {
  const points = [...text];
  return words.map((word, w) => {
    const next = words[w + 1];
    const from = w === 0 ? 0 : word.charStart;
    const gap = points.slice(word.charEnd, next?.charStart).join('');
    const lead = points.slice(from, word.charStart).join('');
    return {
      text: (lead + word.text + gap).replace(/\s+/g, ' ').trim(),
      startMs: Math.round(word.startMs),
      endMs: Math.round(word.endMs),
      space: /\s/.test(gap) ? ' ' : '',
    };
  });
};

/** The cues of a text that grows word by word. */
function grown(words: readonly TimedWord[], all: CueOptions, upToMs: number): Cue[] {
  const written: Cue[] = [];
  let before = nothingBefore();
  let held: TimedWord[] = [];
  const write = (cues: readonly Cue[]) => {
    for (const cue of cues) {
      written.push(cue);
      before = { ...before, speaker: held[cue.words - 1]?.speaker ?? before.speaker, passedMs: cue.endMs };
      held = held.slice(cue.words);
    }
  };
  for (const word of words) {
    held.push(word);
    write(cuesSoFar(held, all, before, Number.POSITIVE_INFINITY).settled());
  }
  write(cuesSoFar(held, all, before, upToMs).cues);
  return written;
}

const rate = fc.integer({ min: 45, max: 75 });
const draws = fc.array(fc.double({ min: 0.7, max: 1.4, noNaN: true }), { minLength: 5, maxLength: 40 });
const drawer = (values: readonly number[]) => {
  let at = 0;
  return () => values[at++ % values.length]!;
};

function check(
  made: readonly Cue[],
  text: string,
  words: readonly TimedWord[],
  rules: Rules,
): { outside: number } {
  expect(bare(made.map((cue) => linesOf(cue).join('')).join(''))).toBe(bare(text));
  expect(made.reduce((sum, cue) => sum + cue.words, 0)).toBe(words.length);
  let behindMs = 0;
  let missing = 0;
  let wrong = 0;
  for (const cue of made) {
    expect(cue.startMs).toBeGreaterThanOrEqual(behindMs);
    expect(cue.endMs).toBeGreaterThan(cue.startMs);
    behindMs = cue.endMs;
    const found = outside(shown(cue), rules);
    expect(found.filter((what) => what !== 'short' && what !== 'fast')).toEqual([]);
    missing += missingMs(shown(cue), rules);
    if (found.length > 0) wrong += 1;
  }
  if (missing > 0) {
    const least = leastMissing(quoted(text, words), rules);
    if (least === 0) expect(missing).toBe(0);
    // Spaces at the ends of cues count in fast speech, which the check does not see: 50 ms each.
    expect(missing).toBeLessThanOrEqual(least + 60 * made.length);
  }
  return { outside: wrong };
}

describe('cues', () => {
  it.each(LANGUAGES)('of %s keep the text, the rules where they can be kept, and the order', (language) => {
    const text = textOf(language);
    const rules = rulesOf(language);
    fc.assert(
      fc.property(rate, draws, (msPerWeight, values) => {
        const words = said(text, language, msPerWeight, drawer(values));
        check(captionCues(words, options(text, language)), text, words, rules);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it.each(LANGUAGES)('of %s that grow word by word keep them too', (language) => {
    const text = textOf(language).slice(0, 700).replace(/\S+$/, '').trim();
    fc.assert(
      fc.property(rate, draws, (msPerWeight, values) => {
        const words = said(text, language, msPerWeight, drawer(values));
        check(
          grown(words, options(text, language), Number.POSITIVE_INFINITY),
          text,
          words,
          rulesOf(language),
        );
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});

/** By language: cues of its texts at a slow, a usual and a fast pace of speech, those outside of a rule, and how much they lack. */
describe('what cannot be kept', () => {
  it('is counted for each language', () => {
    const rows = LANGUAGES.map((language) => {
      const text = textOf(language);
      const rules = rulesOf(language);
      const counted = [75, 60, 45].map((msPerWeight) => {
        const words = said(text, language, msPerWeight, () => 1);
        const made = captionCues(words, options(text, language));
        return `${made.length}/${check(made, text, words, rules).outside}`;
      });
      const short = textOf(language).slice(0, 700).replace(/\S+$/, '').trim();
      const words = said(short, language, 60, () => 1);
      const live = grown(words, options(short, language), Number.POSITIVE_INFINITY);
      const { outside: liveOutside } = check(live, short, words, rules);
      return `${language}: ${counted.join(' ')}, live ${live.length}/${liveOutside}`;
    });
    expect(rows).toMatchInlineSnapshot(`
      [
        "english: 116/0 104/0 82/1, live 25/0",
        "german: 54/0 53/0 45/0, live 20/0",
        "french: 57/0 50/0 44/0, live 23/0",
        "spanish: 56/0 54/0 43/0, live 23/0",
        "italian: 54/0 47/0 37/0, live 23/0",
        "polish: 27/0 25/0 20/0, live 23/0",
        "russian: 58/0 54/0 44/0, live 24/0",
        "arabic: 50/0 48/0 35/0, live 29/0",
        "hindi: 51/0 48/0 38/0, live 27/0",
        "mandarin: 50/1 42/5 37/12, live 53/5",
        "japanese: 53/0 51/0 48/0, live 53/0",
        "korean: 26/1 27/2 26/3, live 34/3",
      ]
    `);
  });
});

describe('a cue', () => {
  const steady = (text: string, msPerWeight = 60) => said(text, 'english', msPerWeight, () => 1);
  const cuesOf = (text: string, msPerWeight?: number) =>
    captionCues(steady(text, msPerWeight), options(text));
  const textsOf = (text: string, msPerWeight?: number) =>
    cuesOf(text, msPerWeight).map((cue) => linesOf(cue).join(' | '));

  it('has signs as they were written', () => {
    for (const text of ['Now 5 * 3 = 15 and 7 > 2.', 'In C # minor, a | b.', 'See a / b, ~ 5, x < y & z.'])
      expect(textsOf(text).join(' ').replaceAll(' | ', ' ')).toBe(text.replaceAll(' | ', ' '));
    expect(textsOf('In C # minor, a | b.')[0]).toContain('a | b.');
  });

  it('is never the number of a list alone, however long the rest is thought about', () => {
    const text = '1. Take the bread out of the bag.\n2. Cut it into slices with a knife.\n\n3. Eat it.';
    const words = steady(text).map((word, w, all) => {
      const later = 2000 * all.slice(0, w).filter(({ text: before }) => /^\d\.$/.test(before)).length;
      return { ...word, startMs: word.startMs + later, endMs: word.endMs + later };
    });
    const shownTexts = captionCues(words, options(text)).map((cue) => linesOf(cue).join(' '));
    expect(shownTexts).toEqual([
      '1. Take the bread out of the bag.',
      '2. Cut it into slices with a knife.',
      '3. Eat it.',
    ]);
  });

  it('keeps a number and its unit on one line', () => {
    const amounts = ['12 kg', '3,500 km/h', '20 %', '$ 15', '7.5 °C', '100 €', '45 min'];
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.array(fc.stringMatching(/^[a-z]{2,11}$/), { maxLength: 9 }),
            fc.constantFrom(...amounts),
          ),
          {
            minLength: 1,
            maxLength: 15,
          },
        ),
        fc.integer({ min: 40, max: 80 }),
        (parts, msPerWeight) => {
          const text = parts.map(([words, amount]) => [...words, amount].join(' ')).join(' ');
          for (const cue of cuesOf(text, msPerWeight))
            for (const line of linesOf(cue))
              expect(line).not.toMatch(/(?:^|\s)\$$|(?<!\$ )\b\d[\d.,]*$|^(?:kg|km\/h|%|°C|€|min)(?:\s|$)/);
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it.each([
    [
      'english',
      'the surveyor Dr.~Ahlgren counted it|of the report (p.~47) this is told|by J.~S.~Bach and|see No.~5 there|in Fig.~2 one sees|about approx.~5 km on',
    ],
    [
      'german',
      'wie Herr Dr.~med.~Weber sagt|etwa z.~B.~Holz und|auf S.~47 steht|am 3.~Mai war|in Abb.~2 ist|der Weg ist ca.~fünf',
    ],
    ['french', 'avec M.~Dupont et|à la p.~47 du livre|de J.-P.~Martin qui'],
    ['spanish', 'con la Sra.~García y|en la pág.~47 de|de J.~L.~Borges que|el núm.~5 de'],
    ['italian', 'con il dott.~Rossi e|a pag.~47 si|la fig.~2 mostra'],
    ['polish', 'jak prof.~Nowak i|na rys.~2 widać|przy ul.~Długiej jest'],
    ['russian', 'на ул.~Ленина и|на рис.~2 видно|у А.~С.~Пушкина есть'],
    ['dutch', 'met dhr.~Jansen en|op blz.~47 staat'],
    ['portuguese', 'com o Sr.~Silva e|na pág.~47 diz'],
    ['czech', 'jak Ing.~Novák a|na str.~47 knihy'],
    ['turkish', 'ile Dr.~Yılmaz ve|sayfa s.~47 olarak'],
    ['hindi', 'और डॉ.~शर्मा का|यह पृ.~47 पर'],
  ] as const)('never parts an abbreviation of %s from what it stands before', (language, cases) => {
    const phrases = cases.split('|');
    const word = fc.stringMatching(/^[a-z]{2,11}$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(word, { maxLength: 9 }), fc.constantFrom(...phrases)), {
          minLength: 1,
          maxLength: 9,
        }),
        fc.integer({ min: 40, max: 80 }),
        (parts, msPerWeight) => {
          const text = parts.map(([words, phrase]) => [...words, phrase].join(' ')).join(' ');
          const plain = text.replaceAll('~', ' ');
          const lines = captionCues(
            said(plain, language, msPerWeight, () => 1),
            options(plain, language),
          );
          const shownLines = lines.flatMap(linesOf);
          const ends = phrases.flatMap((phrase) =>
            [...phrase.matchAll(/(\S+?)~/g)].map(([, end]) => end!.replace(/^.*~/, '')),
          );
          for (const line of shownLines.slice(0, -1)) expect(ends).not.toContain(line.split(' ').at(-1));
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('breaks a word that is longer than a line, and one that is said for longer than a cue may stand', () => {
    const address = `https://example.com/${'path-of-many-parts/'.repeat(7)}end`;
    const broken = cuesOf(`See ${address} now.`, 90);
    for (const cue of broken) expect(outside(shown(cue), RULES.spaced)).toEqual([]);
    expect(bare(broken.map((cue) => linesOf(cue).join('')).join(''))).toBe(bare(`See ${address} now.`));
    const [long] = steady('Eeeeeeeeeeeeeeek!');
    const cues = captionCues([{ ...long!, endMs: 20_000 }], options('Eeeeeeeeeeeeeeek!'));
    expect(cues.length).toBeGreaterThan(2);
    for (const cue of cues) expect(outside(shown(cue), RULES.spaced)).toEqual([]);
  });

  it('breaks where the sense does', () => {
    expect(
      textsOf(
        'The people who live beside the river know that the water rises twice a day and falls as often.',
      ),
    ).toEqual([
      'The people who live beside the river know',
      'that the water rises twice a day | and falls as often.',
    ]);
  });

  it('does not stand longer than the sound', () => {
    const words = steady('Yes.');
    const [cue] = captionCues(words, { ...options('Yes.'), endMs: 600 });
    expect([cue!.startMs, cue!.endMs]).toEqual([0, 600]);
  });
});
