// No soft cut falls between a number and what it counts or names, wherever the limits of a segment fall and however the
// text comes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { segmentText } from '../../../src/text/segment.ts';
import { createSegmenter, type Early } from '../../../src/text/sentences/segmenter.ts';
import { COUNTED_PHRASES } from './counted-phrases.ts';

/** A word that means nothing, and what stands between two of them. */
const FILLERS: Partial<Record<Language, readonly [word: string, space: string]>> = {
  amharic: ['ቃል', ' '],
  arabic: ['كلمة', ' '],
  bengali: ['শব্দ', ' '],
  bulgarian: ['дума', ' '],
  greek: ['λέξη', ' '],
  hebrew: ['מילה', ' '],
  hindi: ['शब्द', ' '],
  japanese: ['学校', ''],
  korean: ['단어', ' '],
  mandarin: ['学校', ''],
  russian: ['слово', ' '],
  serbian: ['реч', ' '],
  thai: ['ภาษา', ''],
  ukrainian: ['слово', ' '],
  urdu: ['لفظ', ' '],
};
const LATIN = ['lorem', ' '] as const;

const ALL = LANGUAGES.flatMap((language) =>
  COUNTED_PHRASES[language].map((phrase) => [language, phrase] as const),
);

/** Where the text is cut, as UTF-16 units from its start. */
function cutsOf(language: Language, early: Early, chunks: readonly string[]): number[] {
  const cuts: number[] = [];
  let at = 0;
  const segmenter = createSegmenter({ language, early }, (cut) => {
    at += segmentText(cut).length;
    cuts.push(at);
  });
  let start = 0;
  for (const chunk of chunks) {
    segmenter.push(chunk, start);
    start += chunk.length;
  }
  segmenter.flush();
  return cuts;
}

/** The phrase between words, with the places inside it. */
function around(language: Language, phrase: string, before: string, count: number) {
  const [word, space] = FILLERS[language] ?? LATIN;
  const head = `${before}${`${word}${space}`.repeat(count)}`;
  const text = `${head}${space === '' ? '' : ' '}${phrase}${space}${`${space}${word}`.repeat(4)}`;
  const from = text.indexOf(phrase, head.length);
  return { text, from, to: from + phrase.length };
}

const inside = (cuts: readonly number[], { from, to }: { from: number; to: number }) =>
  cuts.filter((cut) => cut > from && cut < to);

describe('a number and what it counts', () => {
  it('has a table of every language, more than two hundred in all', () => {
    expect(LANGUAGES.filter((language) => COUNTED_PHRASES[language].length < 8)).toEqual([]);
    expect(ALL.length).toBeGreaterThanOrEqual(200);
  });

  it.each(LANGUAGES)('stay together in %s wherever the first cut falls', (language) => {
    const parted: string[] = [];
    const [word, space] = FILLERS[language] ?? LATIN;
    for (const phrase of COUNTED_PHRASES[language])
      for (let count = 0; count <= (space === '' ? 28 : 13); count += 1)
        for (const before of ['', `${word}${space}${word}, `, `${word} (`]) {
          const place = around(language, phrase, before, count);
          const cuts = inside(cutsOf(language, 'first-clause', [place.text]), place);
          for (const cut of cuts)
            parted.push(
              `${count} ${before}| ${place.text.slice(place.from, cut)}¦${place.text.slice(cut, place.to)}`,
            );
        }
    expect(parted).toEqual([]);
  });

  it.each(LANGUAGES)('stay together in %s wherever the limits of long sentences fall', (language) => {
    const parted: string[] = [];
    const [word, space] = FILLERS[language] ?? LATIN;
    const each = word.length + space.length;
    for (const phrase of COUNTED_PHRASES[language])
      for (let inner = 1; inner < phrase.length; inner += 1)
        for (const limit of phrase[inner] === ' ' || space === '' ? [250, 500] : [])
          for (const early of [0, 1]) {
            const head = limit - inner - early;
            const before = `${word.slice(0, 1).repeat(head % each)}, `;
            const place = around(language, phrase, before, Math.floor(head / each) - 1);
            const cuts = inside(cutsOf(language, 'off', [place.text]), place);
            for (const cut of cuts)
              parted.push(
                `${limit}| ${place.text.slice(place.from, cut)}¦${place.text.slice(cut, place.to)}`,
              );
          }
    expect(parted).toEqual([]);
  });

  it('stay together however the text comes, several of them too', () => {
    const phrases = fc.constantFrom(...LANGUAGES).chain((language) =>
      fc.record({
        language: fc.constant(language),
        parts: fc.array(
          fc.record({
            phrase: fc.constantFrom(...COUNTED_PHRASES[language]),
            count: fc.nat({ max: 14 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        places: fc.array(fc.nat({ max: 400 }), { maxLength: 40 }),
      }),
    );
    fc.assert(
      fc.property(phrases, ({ language, parts, places }) => {
        const [word, space] = FILLERS[language] ?? LATIN;
        let text = '';
        const kept = parts.map(({ phrase, count }) => {
          text += `${`${word}${space}`.repeat(count)}${space === '' ? ' ' : ''}`;
          const from = text.length;
          text += `${phrase} ${word}${space}${word}${space}`;
          return { from, to: from + phrase.length };
        });
        const at = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b);
        const chunks = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
        const cuts = cutsOf(language, 'first-clause', chunks);
        expect(cuts).toEqual(cutsOf(language, 'first-clause', [text]));
        for (const place of kept) expect(inside(cuts, place)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the end of what is held together', () => {
  const first = (text: string, language: Language = 'english') =>
    text.slice(0, cutsOf(language, 'first-clause', [text])[0]);

  it('is one word behind the number', () => {
    expect(first('lorem lorem lorem lorem lorem lorem lorem 5 km from the town')).toBe(
      'lorem lorem lorem lorem lorem lorem lorem 5 km ',
    );
    expect(first('lorem lorem lorem lorem lorem lorem page 12 but no more')).toBe(
      'lorem lorem lorem lorem lorem lorem page 12 but ',
    );
  });

  it('is before the number when twelve words are too few', () => {
    expect(first('lorem lorem lorem lorem 5 5 km 6 km 7 km 8 km 9 km 10 km 11 km 12 km')).toBe(
      'lorem lorem lorem lorem ',
    );
    const endless = '12 km '.repeat(400);
    const cuts = cutsOf('english', 'first-clause', [endless]);
    expect(cuts[0]).toBeLessThanOrEqual('12 km '.length * 6);
    expect(Math.max(...cuts.map((cut, index) => cut - (cuts[index - 1] ?? 0)))).toBeLessThanOrEqual(1200);
  });
});
