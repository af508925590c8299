// Kinds by their bytes, encodings, text, tables and languages: small files written here.
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { joinLines, knownWords } from '../../src/reading/join-lines.ts';
import { LANGUAGES } from '../../src/speech/language.ts';
import { languageOfTag } from '../../src/speech/language-tag.ts';
import { allText, readBytes, readText, textOf } from './read-fixture.ts';

const kinds = async (text: string, name?: string) =>
  (await readText(text, name)).blocks.map((block) => `${block.kind} ${textOf(block)}`);

describe('readSource', () => {
  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße aus Köln', 'utf8')],
    ['UTF-16 with a mark', Buffer.from('\ufeffGrüße aus Köln', 'utf16le')],
    ['UTF-16 without one', Buffer.from('Grüße aus Köln', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('\ufeffGrüße aus Köln', 'utf16le').swap16()],
    ['windows-1252', Buffer.from('Grüße aus Köln', 'latin1')],
  ])('decodes %s', async (_, bytes) => {
    expect(allText(await readBytes(new Uint8Array(bytes)))).toBe('Grüße aus Köln');
  });

  it('knows the quotation marks of windows-1252', async () => {
    const bytes = Uint8Array.of(0x93, 0x4e, 0x6f, 0x94, 0x20, 0x80, 0x35);
    expect(allText(await readBytes(bytes))).toBe('“No” €5');
  });

  it('believes a declared charset when the bytes allow it', async () => {
    const bytes = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2);
    expect(allText(await readBytes(bytes, 'a.txt', 'text/plain; charset=windows-1251'))).toBe('Привет');
    expect(allText(await readBytes(Buffer.from('né'), 'a.txt', 'text/plain; charset=iso-8859-1'))).toBe('né');
  });

  it.each([
    ['{"a": [1, 2]}', /file of data/],
    ['<?xml version="1.0"?><rss></rss>', /file of data/],
    ['{\\rtf1 hello}', /save it as DOCX/],
    ['\x7fELF\x02', /program/],
    ['... --- ...', /holds no text/],
    ['a\0b\0\0c\x01\x02', /no document/],
  ])('refuses %j with a way out', async (text, message) => {
    await expect(readText(text)).rejects.toMatchObject({
      code: 'invalid_source',
      message: expect.stringMatching(message),
    });
  });

  it('never repeats the text in a refusal', async () => {
    const error: unknown = await readText('{"secret": "canary"}').catch((thrown: unknown) => thrown);
    expect(String(error)).not.toContain('canary');
  });

  it('joins lines that were broken to a width, and leaves others', async () => {
    const broken =
      'This line was broken at about forty cha-\nracters by a program of long ago that\nhad no other way.\n\nA second paragraph.';
    expect(await kinds(broken)).toEqual([
      'paragraph This line was broken at about forty characters by a program of long ago that had no other way.',
      'paragraph A second paragraph.',
    ]);
    expect(await kinds('One.\nTwo.\nThree.')).toEqual([
      'paragraph One.',
      'paragraph Two.',
      'paragraph Three.',
    ]);
  });

  it('finds headings and items of plain text', async () => {
    expect(await kinds('Title\n=====\n\nCHAPTER ONE\n\n- first\n- second\n  goes on\n\nEnd.')).toEqual([
      'heading Title',
      'heading CHAPTER ONE',
      'item first',
      'item second goes on',
      'paragraph End.',
    ]);
  });

  it('takes the kind of text from the name alone', async () => {
    expect(await kinds('# A\n\nb', 'x.md')).toEqual(['heading A', 'paragraph b']);
    expect(await kinds('a,b\n1,2', 'x.csv')).toEqual(['row a: 1; b: 2']);
    expect(await kinds('a,b', 'x.pdf')).toEqual(['paragraph a,b']);
    expect(await kinds('<!doctype html><p>Hello there', 'x.txt')).toEqual(['paragraph Hello there']);
  });

  it('reads tables without a head, with tabs, and with lines in cells', async () => {
    expect(await kinds('1\t2\n3\t4', 'x.tsv')).toEqual(['row : 1; : 2', 'row : 3; : 4']);
    expect(await kinds('name,note\nA,"two\nlines"\n,\nB,', 'x.csv')).toEqual([
      'row name: A; note: two lines',
      'row name: B',
    ]);
  });

  it('takes the declared language where detection agrees or cannot know, else the detected one', async () => {
    const german =
      'Der Leuchtturm steht seit hundert Jahren auf dem Felsen und wird jeden Abend bei Sonnenuntergang eingeschaltet.';
    const page = (lang: string, text: string) => readText(`<!doctype html><html lang="${lang}"><p>${text}`);
    expect((await page('de-AT', german)).language).toBe('german');
    expect((await page('en', german.repeat(3))).language).toBe('german');
    expect(
      (await page('af', 'Die vuurtoring staan al honderd jaar op die rots en word elke aand aangeskakel.'))
        .language,
    ).toBe('afrikaans');
    expect((await page('fr', 'Oui.')).language).toBe('french');
    expect((await readText('Oui.')).language).toBeUndefined();
    expect((await readText('灯塔建在岩石上，已经有一百年的历史。'.repeat(5))).language).toBe('mandarin');
    expect((await readText('灯台は岩の上に建っていて、百年の歴史があります。'.repeat(5))).language).toBe(
      'japanese',
    );
  });
});

describe('joinLines', () => {
  it('tells a divided word from a compound by the other words of the document', () => {
    const known = knownWords(['a sea-washed rock stood', 'twenty-three men and', 'lighthouse keepers said']);
    expect(joinLines(['the sea-', 'washed tower'], known)).toBe('the sea-washed tower');
    expect(joinLines(['a light-', 'house'], known)).toBe('a lighthouse');
    expect(joinLines(['twenty-', 'two'], known)).toBe('twenty-two');
    expect(joinLines(['the Anglo-', 'Saxon'], known)).toBe('the Anglo-Saxon');
    expect(joinLines(['from 1914–', '1918 –', 'four years'], known)).toBe('from 1914–1918 – four years');
  });
});

describe('joinLines in a document that divides no words', () => {
  const plain = Array.from({ length: 60 }, (_, i) => `a line of the number ${i} without a word`);

  it('keeps the hyphen of a compound, and that alone', () => {
    const known = knownWords([...plain, 'an eight-', 'the lighthouse stands']);
    expect(joinLines(['an eight-', 'sided tower'], known)).toBe('an eight-sided tower');
    expect(joinLines(['a light-', 'house'], known)).toBe('a lighthouse');
    const divided = knownWords([...plain, ...plain.slice(0, 8).map((line) => `${line} some-`)]);
    expect(joinLines(['a won-', 'derful tower'], divided)).toBe('a wonderful tower');
  });
});

describe('languageOfTag', () => {
  it('knows a tag of each language, in any case and with regions, and no other', () => {
    const tags =
      'af sq am ar bn bg ca hr cs da nl en fr gl de el he hi hu id it ja ko ms zh pl pt ru sr es sv tl th tr uk ur xh';
    expect(new Set(tags.split(' ').map(languageOfTag))).toEqual(new Set(LANGUAGES));
    expect(['PT-br', 'zh_Hant_TW', 'eng', 'fil', 'iw'].map(languageOfTag)).toEqual([
      'portuguese',
      'mandarin',
      'english',
      'tagalog',
      'hebrew',
    ]);
    expect(['fi', 'english', '', 'x', undefined, 'e n'].map(languageOfTag)).toEqual(Array(6).fill(undefined));
  });
});
