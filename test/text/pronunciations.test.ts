import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPronouncer } from '../../src/text/pronunciations.ts';
import { mapText } from '../../src/text/spoken-form/mapped-text.ts';

const say = (text: string, ...pairs: [string, string][]) =>
  mapText(text).edit(createPronouncer(pairs.map(([written, spoken]) => ({ written, spoken })))(text)).text;

describe('pronunciations', () => {
  it.each<[string, [string, string][], string]>([
    ['AI in the AIR, AI.', [['AI', 'ay eye']], 'ay eye in the AIR, ay eye.'],
    ['ai and AI', [['AI', 'x']], 'ai and x'],
    [
      'C++ and C',
      [
        ['C', 'see'],
        ['C++', 'see plus plus'],
      ],
      'see plus plus and see',
    ],
    [
      '$5 (a+b)',
      [
        ['(a+b)', 'the sum'],
        ['$', 'dollar '],
      ],
      'dollar 5 the sum',
    ],
    ['naïve naïveté', [['naïve', 'nah eve']], 'nah eve naïveté'],
    [
      'one two',
      [
        ['one', 'two'],
        ['two', 'one'],
      ],
      'two one',
    ],
    [
      'New York, York',
      [
        ['York', 'yawk'],
        ['New York', 'noo yawk'],
      ],
      'noo yawk, yawk',
    ],
    ['a b', [['a', '$& $1 \\1']], '$& $1 \\1 b'],
    ['a-b', [['a-b', 'x']], 'x'],
    ['𝄞 clef', [['𝄞', 'treble']], 'treble clef'],
  ])('%s', (text, pairs, said) => {
    expect(say(text, ...pairs)).toBe(said);
  });

  it('change nothing that they do not name', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string())),
        (text, pairs) => {
          const written = pairs.map(([one]) => one);
          fc.pre(!written.some((one) => text.includes(one)));
          expect(say(text, ...pairs)).toBe(text);
        },
      ),
    );
  });

  it('are taken as they are written, whatever signs they hold', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (written, spoken) => {
        // With a space at its own edge it would be found one place early, in the space around it.
        fc.pre(!/^ | $/.test(written));
        expect(say(` ${written} `, [written, spoken])).toBe(` ${spoken} `);
      }),
    );
  });

  it('put in what is not looked at again, however the words lie in one another', () => {
    const pairs = fc.uniqueArray(fc.stringMatching(/^[ab+]{1,4}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pairs, fc.stringMatching(/^[ab+ ]{0,40}$/), (written, text) => {
        const said = say(text, ...written.map((one): [string, string] => [one, `<${one}>`]));
        // Taking the marks away again gives the text: nothing is lost, doubled or moved.
        expect(said.replace(/[<>]/g, '')).toBe(text);
        expect(said).not.toMatch(/<[^>]*</);
        for (const [, inside] of said.matchAll(/<([^>]*)>/g)) expect(written).toContain(inside);
        // A word of letters is never found inside another.
        expect(said).not.toMatch(/[ab]<[ab]|[ab]>[ab]/);
      }),
    );
  });

  it('of hundreds of words cost a long text no more than its length', () => {
    const pairs = Array.from({ length: 500 }, (_, n): [string, string] => [`${'a'.repeat(90)}${n}`, 'x']);
    expect(say(`${'a'.repeat(90)} `.repeat(200), ...pairs)).toBe(`${'a'.repeat(90)} `.repeat(200));
  });
});
