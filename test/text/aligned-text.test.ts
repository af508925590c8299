// Each of the caller's words points at where it is said, whatever became of the text on its way to a request.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAlignedText } from '../../src/pipeline/outgoing-request.ts';
import { type AlignedText, alignedText } from '../../src/text/aligned-text.ts';
import type { Pronunciation } from '../../src/text/pronunciations.ts';
import { composeRequest, type RequestText, splitIntoRequests } from '../../src/text/request-text.ts';
import type { Segment } from '../../src/text/segment.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';
import { dialogueSegments, wholeTextSegments } from '../../src/text/turn-text.ts';
import { hardText } from './any-split.ts';

const wordsOf = (request: RequestText) => spokenWords(request.parts.map(({ segment }) => segment));
const points = (text: string) => [...text];
const plain = (text: string, language: 'english' | 'thai' | 'mandarin' = 'english') =>
  wholeTextSegments(text, { language, markup: 'strip' });
const talk = (...lines: readonly string[]) =>
  dialogueSegments(
    lines.map((text, index) => ({ speaker: ((index % 2) + 1) as 1 | 2, text })),
    { language: 'english', markup: 'strip' },
  );

function align(segments: readonly Segment[], pronunciations: readonly Pronunciation[] = []) {
  const request = composeRequest(segments)!;
  const words = wordsOf(request);
  return { request, words, aligned: toAlignedText(request, words, pronunciations) };
}
/** What is said from the beginning of each word to the next. */
const saidOf = ({ text, wordAt }: AlignedText) =>
  wordAt.map((at, index) =>
    points(text)
      .slice(at, wordAt[index + 1])
      .join('')
      .trim(),
  );

/** With no letter changed, the word itself stands where it points. */
function expectAtWords({ aligned, words }: { aligned: AlignedText; words: ReturnType<typeof wordsOf> }) {
  const said = points(aligned.text);
  expect(aligned.wordAt).toHaveLength(words.length);
  let last = -1;
  for (const [index, { text }] of words.entries()) {
    const at = aligned.wordAt[index]!;
    expect(at).toBeGreaterThan(last);
    expect(said.slice(at, at + points(text).length).join('')).toBe(text);
    last = at;
  }
}

describe('aligned text', () => {
  it('points at the words of a plain text, with their weights and pauses', () => {
    const { aligned, words } = align(plain('Good evening. The last train, at ten.'));
    expect(saidOf(aligned)).toEqual(['Good', 'evening.', 'The', 'last', 'train,', 'at', 'ten.']);
    expect(aligned.weights).toEqual(words.map(({ weight }) => weight));
    expect(aligned.pauses).toEqual(words.map(({ pause }) => pause));
    expect([aligned.turnPrefix, aligned.turnPrefix2]).toEqual([undefined, undefined]);
  });

  it('passes over the turn prefixes of a dialogue', () => {
    const found = align(talk('Hello there.', 'Good day. And you?', 'Fine.'));
    const { turnPrefix, turnPrefix2, text } = found.aligned;
    expect([turnPrefix, turnPrefix2]).toEqual([found.request.turnPrefix, found.request.turnPrefix2]);
    expect(text.startsWith(turnPrefix!)).toBe(true);
    expectAtWords(found);
    expect(found.words.map(({ line }) => line)).toEqual([0, 0, 1, 1, 1, 1, 2]);
  });

  it('counts code points where units are twice as many, in prefixes too', () => {
    const found = align(talk('𝒳𝒴 🚂 goes.', '𝒵 waits 😀 here.'));
    expectAtWords(found);
    const own = composeRequest(talk('Yes.', 'No.'), { turnPrefix: '🚂:', turnPrefix2: '😀:' })!;
    expectAtWords({ words: wordsOf(own), aligned: toAlignedText(own, wordsOf(own)) });
  });

  it('follows words through markup that is not said', () => {
    const found = align(plain('# Head\n\nA **bold** one, **said**: and `code` [here](https://x.test).'));
    expect(found.aligned.text).not.toMatch(/[*#`[]/);
    expectAtWords(found);
  });

  it.each([
    ['thai', 'สวัสดีตอนเย็น รถไฟขบวนสุดท้ายออกเวลาเก้าโมง'],
    ['mandarin', '晚上好。最后一班火车九点十分开往港口，从四号站台。'],
  ] as const)('points at the words of %s, which has no spaces', (language, text) => {
    const found = align(plain(text, language));
    expect(found.words.length).toBeGreaterThan(4);
    expectAtWords(found);
  });

  it('points at what is said for a word that is written otherwise', () => {
    const pronunciations = [
      { written: 'AI', spoken: 'ay eye' },
      { written: 'New York', spoken: 'NYC' },
      { written: '🚂', spoken: 'train' },
    ];
    const { aligned } = align(plain('The AI of New York, by 🚂 AI.'), pronunciations);
    expect(aligned.text).toBe('The ay eye of NYC, by train ay eye.');
    const said = points(aligned.text);
    const heads = aligned.wordAt.map((at) => said.slice(at, at + 3).join(''));
    expect(heads).toEqual(['The', 'ay ', 'of ', 'NYC', 'NYC', 'by ', 'ay ']);
  });

  it('leaves what is said unmapped where the pronounced text would be too long to ask for', () => {
    const long = [{ written: 'x', spoken: 'y'.repeat(200) }];
    const found = align(plain('x '.repeat(100).trim()), long);
    expect(found.aligned.text).toBe(found.request.text);
    expectAtWords(found);
  });

  it('has no words for a request without any, and stays at the last place for a word that is not in it', () => {
    const request = composeRequest(plain('One two.'))!;
    expect(alignedText(request, []).wordAt).toEqual([]);
    const [one] = wordsOf(request);
    const stranger = { ...one!, line: 7 };
    expect(alignedText(request, [one!, stranger]).wordAt).toEqual([0, 0]);
  });

  it('points at every word of any text, however it is cut into requests', () => {
    fc.assert(
      fc.property(
        fc.array(hardText, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('plain' as const, 'dialogue' as const),
        fc.integer({ min: 40, max: 200 }),
        (texts, kind, limit) => {
          const segments = kind === 'plain' ? plain(texts.join(' ')) : talk(...texts);
          for (const request of splitIntoRequests(segments, limit)) {
            const words = wordsOf(request);
            expectAtWords({ words, aligned: toAlignedText(request, words) });
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('rises and stays inside what is said, whatever is pronounced otherwise', () => {
    const written = fc.constantFrom('the', 'Then', 'He', '3', 'Xo', 'Dr', '"', '🚂', 'a');
    const spoken = fc.constantFrom('w', 'ay eye', '𝒳 and 𝒴', 'Doctor', '…');
    fc.assert(
      fc.property(
        fc.array(hardText, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(fc.record({ written, spoken }), { maxLength: 5, selector: (pair) => pair.written }),
        (texts, pronunciations) => {
          for (const request of splitIntoRequests(talk(...texts), 200)) {
            const words = wordsOf(request);
            const { text, wordAt } = toAlignedText(request, words, pronunciations);
            const said = points(text);
            const spokenFor = new Map(pronunciations.map((pair) => [pair.written, pair.spoken]));
            let last = 0;
            for (const [index, at] of wordAt.entries()) {
              expect(at).toBeGreaterThanOrEqual(last);
              expect(at).toBeLessThan(said.length);
              last = at;
              const word = words[index]!.text;
              // Its own first letter, or that of what is said for something it begins in.
              const heads = [word, ...spokenFor.values()].map((head) => points(head)[0]);
              expect(heads).toContain(said[at]);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
