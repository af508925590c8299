// Which encoding a text has that does not say: each language that is spoken, in the encodings that its old files have.
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legacyEncoding } from '../../src/reading/legacy-encoding.ts';
import { encodeText } from '../support/encode-text.ts';

const FOLDER = new URL('../../fixtures/texts/', import.meta.url);
const textOf = (language: string) =>
  readFileSync(new URL(`${language}.txt`, FOLDER), 'utf8').normalize('NFC');
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

  it.each(['russian', 'ukrainian', 'bulgarian', 'greek', 'hebrew', 'arabic', 'thai'])(
    '%s in one byte a letter is not guessed at',
    (language) => {
      const encoding =
        { greek: 'windows-1253', hebrew: 'windows-1255', arabic: 'windows-1256', thai: 'windows-874' }[
          language
        ] ?? 'windows-1251';
      expect(legacyEncoding(encodeText(within(textOf(language), encoding), encoding))).toBeUndefined();
    },
  );

  it('is decided for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const found = legacyEncoding(bytes);
        if (found !== undefined) new TextDecoder(found).decode(bytes);
      }),
    );
  });
});
