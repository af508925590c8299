import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import type { SourceBlock, SourceDocument } from '../../src/script/source-document.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import { writeScript } from '../../src/script/write-script.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';
import { LANGUAGES } from '../../src/speech/language.ts';
import { SYNTHESIS_STYLES } from '../../src/speech/playnote-request.ts';
import { repeatedIn, unanchored, unfinished, ungrounded } from './grounding.ts';

const word = fc.constantFrom(
  ...'the river town because however two kinds first But advantage problem 12 3,400 (see p. 4) [7] light water quickly {term} It These energy old for example, and but winter "quoted" instead such too --flag x_y 東京 これ さくら。 город.'.split(
    ' ',
  ),
);
const sentence = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 16 }),
    fc.constantFrom('.', '.', '.', '?', '!', ':', '', '。'),
  )
  .map(([words, end]) => {
    const text = words.join(' ');
    return text.charAt(0).toUpperCase() + text.slice(1) + end;
  });
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
const block: fc.Arbitrary<SourceBlock> = fc.oneof(
  { weight: 5, arbitrary: paragraph.map((text): SourceBlock => ({ kind: 'paragraph', text })) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('heading' as const),
      level: fc.integer({ min: 1, max: 4 }),
      text: sentence,
    }),
  },
  { weight: 2, arbitrary: sentence.map((text): SourceBlock => ({ kind: 'item', text })) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.record({ name: word, value: word }), { maxLength: 4 })
      .map((cells): SourceBlock => ({ kind: 'row', cells })),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary' }).map((text): SourceBlock => ({ kind: 'paragraph', text })),
  },
);
const document: fc.Arbitrary<SourceDocument> = fc.record({
  title: fc.option(fc.string(), { nil: undefined }),
  language: fc.constant(undefined),
  blocks: fc.array(block, { maxLength: 14 }),
});
const wish = fc.record({
  style: fc.constantFrom(...SYNTHESIS_STYLES),
  speakers: fc.record({
    name1: fc.option(fc.string(), { nil: undefined }),
    name2: fc.option(fc.string(), { nil: undefined }),
    voices: fc.constantFrom(1 as const, 2 as const),
  }),
  language: fc.constantFrom(...LANGUAGES),
  seed: fc.nat(),
});

describe('any document', () => {
  it('is refused, or gives a grounded script of bounded lines by the voices that there are', () => {
    fc.assert(
      fc.property(document, wish, (source, wanted) => {
        const script = writeScript(source, wanted, cutSentences);
        if ('refused' in script) {
          // What is named as possible is possible.
          for (const style of script.refused === 'too-little-text' ? [] : script.suits.slice(0, 1))
            expect(writeScript(source, { ...wanted, style }, cutSentences)).toHaveProperty('chapters');
          return;
        }
        const reader = languageReaderOf(scriptLanguageOf(wanted.language)?.cues);
        const sentences = toSourceSentences(source, cutSentences, wanted.language, reader);
        expect(script.title.trim()).not.toBe('');
        expect(script.chapters.length).toBeGreaterThan(0);
        for (const { title, lines } of script.chapters) {
          expect(title.trim()).not.toBe('');
          expect(lines.length).toBeGreaterThan(0);
          for (const line of lines) {
            expect(line.text.length).toBeLessThanOrEqual(1000);
            expect(line.text).toMatch(/[\p{L}\p{N}]/u);
            expect(line.speaker).toBeLessThanOrEqual(wanted.speakers.voices);
            if (line.sources.length > 0) expect(ungrounded(line, sentences)).toBeUndefined();
          }
        }
        const stated = script.chapters.flatMap((chapter) => chapter.lines.flatMap((line) => line.sources));
        expect(stated.length).toBeGreaterThan(0);
        expect(unanchored(script, sentences)).toEqual([]);
        // In a debate the other side takes back.
        if (script.style !== 'debate') expect(unfinished(script, sentences)).toEqual([]);
        expect(repeatedIn(script)).toEqual([]);
        expect(writeScript(source, wanted, cutSentences)).toEqual(script);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the numbers of the sentences', () => {
  it('count from 0 in the order of the source, and do not depend on fitness', () => {
    fc.assert(
      fc.property(document, (source) => {
        const sentences = toSourceSentences(source, cutSentences, 'english', languageReaderOf(undefined));
        const other = toSourceSentences(
          source,
          cutSentences,
          'english',
          languageReaderOf(scriptLanguageOf('english')!.cues),
        );
        expect(sentences.map(({ number }) => number)).toEqual(sentences.map((_, index) => index));
        expect(other.map(({ text }) => text)).toEqual(sentences.map(({ text }) => text));
      }),
      { numRuns: 60 },
    );
  });
});
