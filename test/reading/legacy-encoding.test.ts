// Which encoding a text has that does not say: each language that is spoken, in the encodings that its old files have.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legacyEncoding } from '../../src/reading/legacy-encoding.ts';
import { encodeText } from '../support/encode-text.ts';

const FOLDER = new URL('../../fixtures/texts/', import.meta.url);
const textOf = (language: string) =>
  // Without the marks for the ends of segments, which no text has.
  readFileSync(new URL(`${language}.txt`, FOLDER), 'utf8')
    .replace(/[¦·]/g, '')
    .normalize('NFC');
const read = (bytes: Uint8Array) => new TextDecoder(legacyEncoding(bytes)).decode(bytes, { stream: true });
/** Of the text what the encoding has. */
const within = (text: string, encoding: string) => {
  const kept = [...text].filter((char) => {
    try {
      encodeText(char, encoding);
      return true;
    } catch {
      return false;
    }
  });
  return kept.join('');
};

const EAST: [language: string, encoding: string, found: string][] = [
  ['mandarin', 'gbk', 'gb18030'],
  ['mandarin', 'gb18030', 'gb18030'],
  ['japanese', 'shift_jis', 'shift_jis'],
  ['japanese', 'euc-jp', 'euc-jp'],
  ['korean', 'euc-kr', 'euc-kr'],
];
const WESTERN =
  'danish dutch english finnish french galician german indonesian italian portuguese spanish swedish catalan'
    .split(' ')
    .filter((language) => readdirSync(FOLDER).includes(`${language}.txt`));

describe('the encoding of a text that does not say it', () => {
  it.each(EAST)('%s in %s', (language, encoding, found) => {
    const bytes = encodeText(within(textOf(language), encoding), encoding);
    expect(legacyEncoding(bytes)).toBe(found);
    // A page of it is enough, and a line.
    expect(legacyEncoding(bytes.subarray(0, 1_000))).toBe(found);
  });

  it('traditional Chinese in big5', () => {
    const text = '燈塔建在岩石上，已經有一百多年的歷史。每天晚上，看守人點亮燈火，為過往的船隻指明方向。';
    expect(legacyEncoding(encodeText(text, 'big5'))).toBe('big5');
  });

  it.each(WESTERN)('%s in windows-1252, line by line', (language) => {
    for (const line of textOf(language).split('\n'))
      expect(legacyEncoding(encodeText(within(line, 'windows-1252'), 'windows-1252'))).toBe('windows-1252');
  });

  it.each([
    ['polish', 'windows-1250'],
    ['czech', 'windows-1250'],
    ['hungarian', 'windows-1250'],
    ['croatian', 'windows-1250'],
    ['polish', 'iso-8859-2'],
    ['czech', 'iso-8859-2'],
    ['croatian', 'iso-8859-2'],
    ['turkish', 'windows-1254'],
    ['russian', 'windows-1251'],
    ['ukrainian', 'windows-1251'],
    ['bulgarian', 'windows-1251'],
    ['serbian', 'windows-1251'],
    ['russian', 'koi8-u'],
    ['ukrainian', 'koi8-u'],
  ])('%s in %s', (language, encoding) => {
    const text = within(textOf(language), encoding);
    const bytes = encodeText(text, encoding);
    expect(read(bytes)).toBe(text);
    const page = bytes.subarray(0, 800);
    expect(read(page)).toBe(text.slice(0, 800));
  });

  it('Russian that says KOI8-R by its letters alone', () => {
    const text = within(textOf('russian'), 'koi8-r');
    const bytes = encodeText(text, 'koi8-r');
    expect(read(bytes)).toBe(text);
  });

  it('a page of Latin with a Russian sentence in it', () => {
    const text = `${'A manual of the lighthouse in English, with a title. '.repeat(8)}Маяк стоит на скале уже сто лет.`;
    expect(legacyEncoding(encodeText(text, 'windows-1251'))).toBe('windows-1251');
  });

  it.each([
    'word\u00b9 and word\u00b2, see note\u00b3.',
    '100 m\u00b2 of caf\u00e9',
    '\u00bfQu\u00e9?',
    'n\u00ba 5',
  ])('a mark or two in Western text: %s', (text) =>
    expect(legacyEncoding(encodeText(text, 'windows-1252'))).toBe('windows-1252'),
  );

  it.each(['greek', 'hebrew', 'arabic', 'thai'])('%s in one byte a letter is not guessed at', (language) => {
    const encoding =
      { greek: 'windows-1253', hebrew: 'windows-1255', arabic: 'windows-1256' }[language] ?? 'windows-874';
    expect(legacyEncoding(encodeText(within(textOf(language), encoding), encoding))).toBeUndefined();
  });

  it('is decided for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const found = legacyEncoding(bytes);
        if (found !== undefined) new TextDecoder(found).decode(bytes);
      }),
    );
  });
});
