import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { toSpokenForm } from '../../../src/text/spoken-form/spoken-form.ts';

const anyLanguage = fc.constantFrom(...LANGUAGES);
/** Languages that leave numbers in digits. */
const inDigits = LANGUAGES.filter((language) => language !== 'mandarin' && language !== 'japanese');

/** Words without an abbreviation or a month among them. */
const WORDS: Partial<Record<Language, string>> = {
  arabic: 'ذهب الولد إلى المدرسة مع أخيه',
  bengali: 'ছেলেটি তার ভাইয়ের সঙ্গে স্কুলে গেল',
  english: "The boy didn't go to school with his well-known friend",
  french: "Aujourd'hui l'enfant est-il allé à l'école",
  german: 'Der Junge ging mit seinem Bruder zur Schule',
  greek: 'Το παιδί πήγε στο σχολείο',
  hindi: 'लड़का अपने भाई के साथ स्कूल गया',
  indonesian: 'Anak-anak itu pergi ke sekolah',
  italian: "Il ragazzo è andato all'università",
  japanese: 'こどもは がっこうへ いきました',
  mandarin: '孩子和他的哥哥去学校了',
  portuguese: 'O menino foi à escola com o irmão',
  russian: 'Мальчик пошёл в школу с братом кое-как',
  spanish: 'El niño fue a la escuela con su hermano',
  thai: 'เด็กไปโรงเรียน',
  urdu: 'لڑکا اپنے بھائی کے ساتھ سکول گیا',
};

describe('toSpokenForm', () => {
  it('leaves ordinary words and their punctuation alone', () => {
    for (const [language, text] of Object.entries(WORDS) as [Language, string][]) {
      for (const end of ['', '.', '!', '…'])
        expect(toSpokenForm(`${text}${end}`, language)).toBe(`${text}${end}`);
      expect(toSpokenForm(`«${text}», (${text})`, language)).toBe(`«${text}», (${text})`);
    }
  });

  it('leaves any words of two letters and more alone, in every language', () => {
    const word = fc.stringMatching(/^[a-zäéñżа-яα-ωא-ת]{2,12}$/u);
    fc.assert(
      fc.property(anyLanguage, fc.array(word, { minLength: 1, maxLength: 12 }), (language, words) => {
        expect(toSpokenForm(words.join(' '), language)).toBe(words.join(' '));
      }),
    );
  });

  it('keeps every digit of a bare number', () => {
    fc.assert(
      fc.property(fc.constantFrom(...inDigits), fc.nat({ max: 999_999_999 }), (language, number) => {
        expect(toSpokenForm(`x ${number} y`, language)).toBe(`x ${number} y`);
      }),
    );
  });

  it('keeps the letters around everything that it says', () => {
    const item = fc.constantFrom(
      '$5',
      '5 km',
      '14:30',
      '3/4/2025',
      '10%',
      '😀',
      '#1',
      '+1',
      '~2',
      '5-6',
      'a@b.com',
    );
    fc.assert(
      fc.property(anyLanguage, fc.array(item, { maxLength: 8 }), (language, items) => {
        const said = toSpokenForm(`qua ${items.join(' ')} quo`, language);
        expect(said).toMatch(/^qua .*quo$/su);
      }),
    );
  });

  it('takes any text, says something finite for it, and never throws', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.stringMatching(/^[0-9.,:/$€%°+\-–hkm@#&IVX a]{0,24}$/u),
    );
    fc.assert(
      fc.property(anyLanguage, fc.array(piece, { maxLength: 6 }), (language, pieces) => {
        const text = pieces.join('');
        const said = toSpokenForm(text, language);
        expect(said.length).toBeLessThanOrEqual(80 * text.length + 80);
        expect(toSpokenForm(said, language).length).toBeLessThanOrEqual(80 * said.length + 80);
      }),
      { numRuns: 100 },
    );
  });

  it('comes to rest: after a few passes another one changes nothing', () => {
    const piece = fc.constantFrom(
      '$5',
      '5',
      ' ',
      '-',
      '10',
      'km',
      '/',
      ':',
      '30',
      '.',
      ',',
      '%',
      'May',
      'a',
      '€',
      '+',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let said = pieces.join('');
        for (let pass = 0; pass < 4; pass += 1) said = toSpokenForm(said, 'english');
        expect(toSpokenForm(said, 'english')).toBe(said);
      }),
    );
  });

  it('reads hostile text to its end', () => {
    const hostile = [
      '1',
      '1,',
      '1.',
      '1/',
      '12:',
      '1-',
      'a@',
      'a.',
      '$',
      '#',
      '+1-1',
      '(1) ',
      'www.',
      '😀',
      '\u200d',
      '²',
      '1½',
    ];
    for (const language of ['english', 'russian', 'japanese', 'polish'] as const) {
      for (const unit of hostile) {
        const said = toSpokenForm(`${unit.repeat(300)} end`, language);
        expect(said.endsWith('end')).toBe(true);
      }
    }
    expect(toSpokenForm('7'.repeat(10_000), 'english').replaceAll(' ', '')).toBe('7'.repeat(10_000));
  });

  it('says blank or silent text as nothing', () => {
    for (const text of ['', '  ', '😀', '👨‍👩‍👧🏳️‍🌈', '\u200b', '™'])
      expect(toSpokenForm(text, 'english')).toBe('');
  });

  it('does for every language what needs no words', () => {
    expect(toSpokenForm('Zobacz https://www.example.com/pomoc/?q=1#x.', 'polish')).toBe(
      'Zobacz www.example.com/pomoc.',
    );
    expect(toSpokenForm('Mail: anna@example.com', 'dutch')).toBe('Mail: anna@example.com');
    expect(toSpokenForm('ราคา ๑๒๓ บาท 😀', 'thai')).toBe('ราคา 123 บาท');
    expect(toSpokenForm('5 € & 3.5% od 2024-05-03', 'czech')).toBe('5 € & 3.5% od 2024-05-03');
    expect(toSpokenForm('col·lecció', 'catalan')).toBe('col·lecció');
  });

  it('leaves what is ambiguous, and what no calendar or clock has', () => {
    for (const text of ['9/11', '5/7', '32/13/2024', '25:30', '14:75', '3-2', '10 - 4', '2024-13-45', 'a-5'])
      expect(toSpokenForm(text, 'english')).toBe(text);
  });
});
