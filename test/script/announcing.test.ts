// Sentences that cannot be told without what follows them.
import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import type { SourceBlock } from '../../src/script/source-document.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';
import type { Language } from '../../src/speech/language.ts';

const paragraph = (text: string): SourceBlock => ({ kind: 'paragraph', text });
const item = (text: string): SourceBlock => ({ kind: 'item', text });

/** How many sentences each reaches ahead. */
function reach(blocks: readonly SourceBlock[], language: Language = 'english'): number[] {
  const reader = languageReaderOf(scriptLanguageOf(language)!.cues);
  const sentences = toSourceSentences({ title: 'Mills', language, blocks }, cutSentences, language, reader);
  return sentences.map(({ until, number }) => until - number);
}

describe('what is announced', () => {
  it('is the rest of the paragraph', () => {
    expect(
      reach([
        paragraph('There are three kinds of mill. Wind drives one. Water drives one. Oxen drive one.'),
        paragraph('Millers sleep at noon.'),
      ]),
    ).toEqual([3, 0, 0, 0, 0]);
  });

  it('is the whole list, or as many paragraphs', () => {
    expect(
      reach([
        paragraph('A mill needs two things.'),
        item('a wheel'),
        item('a stone'),
        paragraph('It is old.'),
      ])[0],
    ).toBe(2);
    expect(
      reach([
        paragraph('A mill has two parts.'),
        paragraph('Wheels take power from the stream. Wheels are of oak.'),
        paragraph('Stones grind wheat.'),
        paragraph('Millers sleep at noon.'),
      ])[0],
    ).toBe(3);
  });

  it('is not told where it is not given, and needs nothing where the sentence gives it', () => {
    expect(reach([paragraph('There are four kinds of mill.')])).toEqual([Number.POSITIVE_INFINITY]);
    expect(
      reach([paragraph('There are two kinds of mill: windmills and watermills. Both are old.')])[0],
    ).toBe(0);
  });

  it('is what others said, where their words are set apart', () => {
    const blocks: SourceBlock[] = [
      paragraph('Visitors disliked the mill. The second letter was sharp indeed.'),
      { kind: 'paragraph', text: 'Your flour is full of sand and your bread is grey.', isQuoted: true },
      paragraph('Millers sleep at noon.'),
      paragraph('Wheels turn all night.'),
    ];
    expect(reach(blocks)[1]).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a sentence that is taken back', () => {
  it('is told with what takes it back, in its paragraph and behind it', () => {
    expect(reach([paragraph('Oak was a good choice. However, oak rots in still water. Elm lasts.')])).toEqual(
      [1, 0, 0],
    );
    expect(reach([paragraph('Oak was a good choice.'), paragraph('But oak rots in still water.')])).toEqual([
      1, 0,
    ]);
    expect(reach([paragraph('A wheel may be painted. It is not recommended.')])[0]).toBe(1);
  });

  it('is known in other languages', () => {
    expect(reach([paragraph('Eiche war eine gute Wahl. Aber Eiche fault im Wasser.')], 'german')[0]).toBe(1);
    expect(reach([paragraph('Le chêne était un bon choix. Mais le chêne pourrit.')], 'french')[0]).toBe(1);
    expect(reach([paragraph('木の車輪は良い選択でした。しかし、水の中では腐ります。')], 'japanese')[0]).toBe(
      1,
    );
  });
});

it('a question comes with what is said to it', () => {
  expect(reach([paragraph('Why do mills stop? Streams dry up in summer.')])).toEqual([1, 0]);
  expect(reach([paragraph('Streams dry up in summer. Why do mills stop?')])[1]).toBe(
    Number.POSITIVE_INFINITY,
  );
});

describe('what is compared and pointed at', () => {
  const leans = (...blocks: SourceBlock[]): boolean => {
    const reader = languageReaderOf(scriptLanguageOf('english')!.cues);
    return toSourceSentences({ title: 'M', language: 'english', blocks }, cutSentences, 'english', reader).at(
      -1,
    )!.leans;
  };

  it('leans, unless the sentence says with what', () => {
    const before = paragraph('Windmills stood on every hill of the coast.');
    expect(leans(before, paragraph('Watermills were quieter and cheaper.'))).toBe(true);
    expect(leans(before, paragraph('Watermills were quieter and cheaper than horses.'))).toBe(false);
  });

  it('leans where a paragraph takes up a noun of those before it', () => {
    const before = paragraph('Every gate has a lever of iron.');
    expect(leans(before, paragraph('Children often hang from the lever.'))).toBe(true);
    expect(leans(before, paragraph('Children often hang from the trees.'))).toBe(false);
  });
});
