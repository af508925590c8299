import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { type MappedText, mapText } from '../../../src/text/spoken-form/mapped-text.ts';
import { toMappedSpokenForm, toSpokenForm } from '../../../src/text/spoken-form/spoken-form.ts';

const points = (text: string) => [...text];
const slice = (text: string, { start, end }: { start: number; end: number }) =>
  points(text).slice(start, end).join('');

/** What each stretch of one origin says, and what is written there. */
function stretches(mapped: MappedText, written: string): [said: string, written: string][] {
  const told: [string, string][] = [];
  let last = '';
  for (const [index, character] of points(mapped.text).entries()) {
    const range = mapped.sourceOf(index);
    const key = `${range.start} ${range.end}`;
    if (key === last) told.at(-1)![0] += character;
    else told.push([character, slice(written, range)]);
    last = key;
  }
  return told;
}
const changed = (text: string, language: Language) =>
  stretches(toMappedSpokenForm(text, language), text).filter(([said, written]) => said !== written);

const LANGUAGES_TRIED = [
  'english',
  'german',
  'russian',
  'arabic',
  'hindi',
  'japanese',
  'mandarin',
  'thai',
  'polish',
] as const;

describe('toMappedSpokenForm', () => {
  it('maps what is said for a written piece to all of the piece', () => {
    expect(changed('He paid €5.20, then 20% 😀 more.', 'english')).toEqual([
      ['5 euros and 20 cents', '€5.20'],
      ['20 percent', '20%'],
    ]);
    expect(changed('Am 3. Mai um 14:30.', 'german')).toEqual([
      ['dritten', '3.'],
      ['14 Uhr 30', '14:30'],
    ]);
    expect(changed('他付了￥５。', 'mandarin')).toEqual([['五元', '￥５']]);
  });

  it('tells where a character stands after emoji, unseen characters and spaces have gone', () => {
    const text = '  😀 so\u00adft\u200b   👍🏽 end ';
    const mapped = toMappedSpokenForm(text, 'english');
    expect(mapped.text).toBe('soft end');
    const starts = points(mapped.text).map((_, index) => mapped.sourceOf(index).start);
    expect(starts.filter((_, index) => index !== 4)).toEqual([4, 5, 7, 8, 16, 17, 18]);
    expect(slice(text, mapped.sourceOf(5))).toBe('e');
    expect(slice(text, mapped.sourceOf(7))).toBe('d');
    expect(mapped.sourceOf(8)).toEqual({ start: points(text).length, end: points(text).length });
  });

  const piece = fc.oneof(
    fc.constantFrom('$5', '5 km', '14:30', '3/4/2025', '10%', '😀', '#1', '~2', '5-6', 'a@b.com', '٣٫٥', '½'),
    fc.constantFrom('https://www.example.com/a-b?x=1', '1\ufe0f\u20e3', '+1 212-555-0123', ' ', '  ', '\n'),
    fc.stringMatching(/^[a-zäñжшאת語]{1,8}$/u),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.stringMatching(/^[0-9.,:/$€%°+\-–hkm@#&IVX a]{0,16}$/u),
  );
  const anyText = fc
    .array(fc.tuple(piece, fc.constantFrom('', ' ', ' ')), { maxLength: 10 })
    .map((pieces) => pieces.flat().join(''));

  it('says what toSpokenForm says, from ranges inside the text that never fall', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES_TRIED), anyText, (language, text) => {
        const mapped = toMappedSpokenForm(text, language);
        expect(mapped.text).toBe(toSpokenForm(text, language));
        let [start, end] = [0, 0];
        for (const [index, character] of points(mapped.text).entries()) {
          const range = mapped.sourceOf(index);
          expect(range.start).toBeGreaterThanOrEqual(start);
          expect(range.end).toBeGreaterThanOrEqual(Math.max(end, range.start));
          // Only a space can have come from nothing.
          if (character !== ' ') expect(range.end).toBeGreaterThan(range.start);
          [start, end] = [range.start, range.end];
        }
        expect(end).toBeLessThanOrEqual(points(text).length);
      }),
      { numRuns: 400 },
    );
  });

  it('maps words that stay letter by letter to themselves, whatever stands between them', () => {
    const between = fc.constantFrom(
      '$5',
      '5 km',
      '😀',
      '14:30',
      '3/4/2025',
      '👍🏽 10%',
      '½',
      '٣',
      '\u200b',
      '𝒳',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...LANGUAGES),
        fc.array(fc.tuple(between, fc.stringMatching(/^q[uwxz]{3,9}$/)), { minLength: 1, maxLength: 8 }),
        (language, pairs) => {
          const text = pairs.flat().join(' ');
          const mapped = toMappedSpokenForm(text, language);
          let from = 0;
          let spokenFrom = 0;
          for (const [, word] of pairs) {
            const at = points(text.slice(0, text.indexOf(word, from))).length;
            const spokenUnit = mapped.text.indexOf(word, spokenFrom);
            const spokenAt = points(mapped.text.slice(0, spokenUnit)).length;
            for (let letter = 0; letter < word.length; letter += 1)
              expect(mapped.sourceOf(spokenAt + letter)).toEqual({
                start: at + letter,
                end: at + letter + 1,
              });
            from = text.indexOf(word, from) + word.length;
            spokenFrom = spokenUnit + word.length;
          }
        },
      ),
    );
  });
});

describe('mapText', () => {
  it('composes edits: a piece of a piece comes from all of it', () => {
    const once = mapText('ab𝒳cd').edit([{ from: 1, to: 4, text: 'one two' }]);
    expect(once.text).toBe('aone twocd');
    const twice = once.edit([
      { from: 0, to: 0, text: '>' },
      { from: 4, to: 5, text: '' },
      { from: 6, to: 6, text: '-' },
      { from: 8, to: 10, text: 'Z' },
    ]);
    expect(twice.text).toBe('>aonet-woZ');
    expect(points(twice.text).map((_, index) => twice.sourceOf(index))).toEqual([
      { start: 0, end: 0 },
      { start: 0, end: 1 },
      ...Array.from({ length: 7 }, () => ({ start: 1, end: 3 })),
      { start: 3, end: 5 },
    ]);
    expect(once.edit([])).toBe(once);
    expect(mapText('').sourceOf(0)).toEqual({ start: 0, end: 0 });
  });
});
