import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScript, type ScriptSource } from '../../src/speech-program/speech-script.ts';

const script = (text: string, more: Partial<ScriptSource> = {}) =>
  createScript({ text, language: 'english', ...more }).map(({ speaker, text: said, pause }) => [
    speaker,
    said,
    pause,
  ]);
const AB = { turnPrefix: 'A:', turnPrefix2: 'B:' };

describe('createScript', () => {
  it('speaks sentence by sentence, with longer pauses between paragraphs', () => {
    expect(script('Dr. Who is in. He waits!\nNow.\n\nNext part. End')).toEqual([
      [1, 'Dr. Who is in.', 'none'],
      [1, 'He waits!', 'sentence'],
      [1, 'Now.', 'sentence'],
      [1, 'Next part.', 'paragraph'],
      [1, 'End', 'sentence'],
    ]);
  });

  it('gives turns to the voice whose prefix begins them, and does not speak the prefix', () => {
    expect(script('A: Hello. How are you? B: Fine.\nA: Good.', AB)).toEqual([
      [1, 'Hello.', 'none'],
      [1, 'How are you?', 'sentence'],
      [2, 'Fine.', 'speaker'],
      [1, 'Good.', 'speaker'],
    ]);
    expect(script('B: First.', AB)).toEqual([[2, 'First.', 'none']]);
  });

  it('gives text before the first prefix to the first voice', () => {
    expect(script('Once upon a time. B: Hi.', AB).map(([speaker]) => speaker)).toEqual([1, 2]);
  });

  it('takes a prefix only at the start of the text or a line or after white space', () => {
    for (const text of ['See CAB:x and 1A: y', 'I like plan A'])
      expect(script(`A: ${text}`, AB)).toEqual([[1, text, 'none']]);
  });

  it('lets the longer of two prefixes win and ignores the space around them', () => {
    const nested = { turnPrefix: 'Ann ', turnPrefix2: '\nAnna' };
    expect(script('Ann one. Anna two.', nested)).toEqual([
      [1, 'one.', 'none'],
      [2, 'two.', 'speaker'],
    ]);
    expect(script('No marker.', { turnPrefix: ' ', turnPrefix2: null })).toEqual([[1, 'No marker.', 'none']]);
  });

  it('takes prefixes literally, whatever they mean to a pattern', () => {
    expect(
      script('(.*) one. $& two.', { turnPrefix: '(.*)', turnPrefix2: '$&' }).map(([, said]) => said),
    ).toEqual(['one.', 'two.']);
  });

  it('has no line for a text with nothing to say, and none for a turn without words', () => {
    for (const text of [' ', '…', '!!! 😀 —', '\n\n', 'A: B: A:']) expect(script(text, AB)).toEqual([]);
    expect(script('A: Hi. B: … A: Bye.', AB).map(([speaker]) => speaker)).toEqual([1, 1]);
  });

  it('parts Thai into words, which the speech program cannot', () => {
    expect(script('สวัสดีครับ', { language: 'thai' })).toEqual([[1, expect.stringContaining(' '), 'none']]);
  });

  it('knows where each line stands in the text, prefixes and gaps counted', () => {
    const text = '  A: Hi 𝒳 you.\n \n  It costs $5!  B: Well, yes.';
    const lines = createScript({ text, language: 'english', ...AB });
    const written = (start: number, end: number) => [...text].slice(start, end).join('');
    expect(lines.map((line) => line.origin().words.map(({ start, end }) => written(start, end)))).toEqual([
      ['Hi', '𝒳', 'you.'],
      ['It', 'costs', '$5!'],
      ['Well,', 'yes.'],
    ]);
    const sourcesOf = ({ text: said, origin }: (typeof lines)[number]) => {
      const { sourceOf } = origin();
      return [...said].map((_, index) => sourceOf(index)).map(({ start, end }) => written(start, end));
    };
    expect(sourcesOf(lines[0]!)).toEqual([...'Hi 𝒳 you.']);
    expect(sourcesOf(lines[1]!)).toEqual([...'It costs ', ...Array<string>(9).fill('$5'), '!']);
    expect(sourcesOf(lines[2]!)).toEqual([...'Well, yes.']);
  });

  it('finds the letters of words that it parted, and of a sentence that outgrew its line', () => {
    const thai = createScript({ text: 'A: สวัสดีครับ 1', language: 'thai', ...AB })[0]!;
    const { sourceOf } = thai.origin();
    for (const [index, character] of [...thai.text].entries())
      if (character !== ' ') expect([...'A: สวัสดีครับ 1'][sourceOf(index).start]).toBe(character);

    const signs = 'x& '.repeat(900);
    const lines = createScript({ text: signs, language: 'english' });
    expect(lines.length).toBeGreaterThan(3);
    let next = 0;
    for (const line of lines) {
      const origin = line.origin();
      for (const [index, character] of [...line.text].entries()) {
        if (character !== 'x') continue;
        expect(origin.sourceOf(index)).toEqual({ start: next, end: next + 1 });
        next += 3;
      }
    }
    expect(next).toBe(signs.length);
  });

  it('keeps every letter and digit in order, in lines that are short enough', () => {
    // Words only: numbers and signs are said in others, see spoken-form.
    const written = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .map((text) => text.normalize().replace(/[^\p{L}\p{M}\s.,!?…]/gu, ''));
    const words = fc.array(fc.oneof(written, fc.constantFrom('. ', '\n\n', ' A: ', ' B: ', 'word ')), {
      maxLength: 60,
    });
    const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        const lines = createScript({ text, language: 'english' });
        expect(letters(lines.map((line) => line.text).join(''))).toBe(letters(text));
      }),
    );
    for (const text of ['x'.repeat(20_000), 'word '.repeat(4000), 'a\u0301'.repeat(9000)]) {
      const lines = createScript({ text, language: 'english' });
      expect(Math.max(...lines.map((line) => line.text.length))).toBeLessThanOrEqual(1200);
      expect(lines.map((line) => line.text.replace(/\s/g, '')).join('')).toBe(text.replace(/\s/g, ''));
    }
  });

  it('says numbers and signs in words, again in lines that are short enough', () => {
    expect(script('It costs $5. Call at 9:00!')).toEqual([
      [1, 'It costs 5 dollars.', 'none'],
      [1, "Call at nine o'clock!", 'sentence'],
    ]);
    for (const [text, word] of [
      ['&', 'and'],
      ['$1 ', '1 dollar'],
    ] as const) {
      const lines = createScript({ text: text.repeat(3000), language: 'english' });
      expect(Math.max(...lines.map((line) => line.text.length))).toBeLessThanOrEqual(1200);
      expect(lines.map((line) => line.text).join(' ')).toBe(Array(3000).fill(word).join(' '));
      expect(new Set(lines.map((line) => line.pause))).toEqual(new Set(['none']));
    }
    expect(createScript({ text: 'A™ 😀. ™', language: 'english' }).map((line) => line.text)).toEqual(['A.']);
  });
});
