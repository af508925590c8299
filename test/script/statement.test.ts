import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import {
  asks,
  hasCodeWords,
  isBroken,
  isCapitals,
  isCode,
  isContents,
  isStatement,
  lacksSubject,
} from '../../src/script/statement.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';

const reader = languageReaderOf(scriptLanguageOf('english')!.cues);

describe('what is for a machine', () => {
  it.each([
    '# This file was automatically generated.',
    '// The default is 5.',
    '$ npm install voxgate',
    '--force overwrites a file.',
    '.TH man 1',
    'int main(void) { return 0; }',
    'The term \\emph{tide} is old.',
    'The rate $r_{i}$ grows.',
    'node_modules/.bin/tsc -p tsconfig.json',
  ])('is %s', (text) => expect(isCode(text)).toBe(true));

  it.each([
    'The wheel turns slowly every day.',
    'It costs $5 or $6 and/or a kind word.',
    'The C++ language and the word A&B are old.',
    'McDonald keeps JavaScript and the iPhone apart from the rest.',
    'Wer früh aufsteht, sieht die Sonne.',
  ])('is not %s', (text) => expect(isCode(text)).toBe(false));

  it('may be a word within a sentence', () => {
    expect(hasCodeWords('The option --force overwrites every file of the folder.')).toBe(true);
    expect(hasCodeWords('The option overwrites every file of the folder.')).toBe(false);
  });
});

it('knows lines of a table of contents, and lines in capitals', () => {
  expect(isContents('Installing the mill . . . . . . 12')).toBe(true);
  expect(isContents('Installing the mill ........ 12')).toBe(true);
  expect(isContents('A. Miller, The Mill Protocol, RFC 4254, January 2006.')).toBe(true);
  expect(isContents('A mill was built in 2006.')).toBe(false);
  expect(isContents('The mill is old... and it turns.')).toBe(false);
  expect(isCapitals('THE MILL IS PROVIDED AS IT IS.')).toBe(true);
  expect(isCapitals('The MILL is OLD.')).toBe(false);
  expect(isCapitals('水车很老。')).toBe(false);
});

it.each([
  ['There are several courses, (e.g.', true],
  ['It became old in this way.)', true],
  ['(The mill was sold.)', true],
  ['Content creation and, 5.', true],
  ['A page that has no source, i.e.', true],
  ['It was his best song.” He left.', true],
  ['He said „Guten Tag“ and left.', false],
  ['He said “good day” (twice) and left.', false],
  ['The mill has 5.', false],
] as const)('%s: cut in the middle is %s', (text, broken) => {
  expect(isBroken(text)).toBe(broken);
});

it.each([
  ['Specifies the port.', true],
  ['f FILE Specifies another file.', true],
  ['The option specifies the port.', false],
] as const)('%s: without a subject is %s', (text, lacks) => {
  expect(lacksSubject(text, reader)).toBe(lacks);
});

it('knows a question by its mark', () => {
  expect(['Why?', '“Why?”', '为什么？', 'Because.'].map(asks)).toEqual([true, true, true, false]);
});

describe('a point of its own', () => {
  const isPoint = (text: string, kind: 'paragraph' | 'item' = 'paragraph') => {
    const document = { title: undefined, language: 'english' as const, blocks: [{ kind, text }] };
    return isStatement(toSourceSentences(document, cutSentences, 'english', reader)[0]!, reader);
  };
  it.each(['Salt keeps meat fresh for months.', 'A tax on salt once emptied whole villages.'])(
    'is %s',
    (text) => expect(isPoint(text)).toBe(true),
  );
  it.each([
    'Words by an unknown hand.',
    'What does salt do to the meat?',
    'Add salt to the water every day.',
    'It keeps the meat fresh for months.',
    'The option --salt keeps meat fresh for months.',
    'As shown in [4], salt keeps meat fresh.',
  ])('is not %s', (text) => expect(isPoint(text)).toBe(false));
  it('is no item', () => expect(isPoint('Salt keeps meat fresh for months.', 'item')).toBe(false));
});

it('takes time in proportion to hostile text', () => {
  for (const text of [
    '$'.repeat(50_000),
    '$_'.repeat(25_000),
    '('.repeat(50_000),
    '. '.repeat(50_000),
    '"\'“'.repeat(20_000),
  ])
    for (const test of [isCode, isContents, isBroken, isCapitals]) expect(typeof test(text)).toBe('boolean');
});
