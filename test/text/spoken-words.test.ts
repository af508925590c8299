import { describe, expect, it } from 'vitest';
import type { SpokenWord } from '../../src/speech/spoken-word.ts';
import type { Segment } from '../../src/text/segment.ts';
import { spokenWords } from '../../src/text/spoken-words.ts';

const segment = (...runs: { text: string; start: number }[]): Segment => ({
  line: 0,
  speaker: undefined,
  boundary: 'end',
  runs,
});
const wordsOf = (text: string): SpokenWord[] => spokenWords([segment({ text, start: 0 })]);
const textsOf = (text: string): string[] => wordsOf(text).map((word) => word.text);
const weightOf = (text: string): number => wordsOf(text).reduce((sum, word) => sum + word.weight, 0);

describe('the words of a segment', () => {
  it.each([
    ['Well, it is 1,000 – yes!', ['Well,', 'it', 'is', '1,000', 'yes!']],
    ['今天天气很好！', ['今天', '天气', '很好']],
    ['私は「本当に」好きです。', ['私', 'は', '本当に', '好き', 'です']],
    ['ฉันอยากไปเที่ยว', ['ฉัน', 'อยาก', 'ไป', 'เที่ยว']],
    ['안녕하세요, 저는 갑니다.', ['안녕하세요,', '저는', '갑니다.']],
    ['ሰላም፡ለዓለም፡፡እንዴት፡ነህ፧ ጥሩ።', ['ሰላም፡', 'ለዓለም፡፡', 'እንዴት፡', 'ነህ፧', 'ጥሩ።']],
    ['नमस्ते, आप कैसे हैं?', ['नमस्ते,', 'आप', 'कैसे', 'हैं?']],
    ['请看https://example.com/a?b=c，谢谢', ['请看', 'https://example.com/a?b=c，', '谢谢']],
    ['「」… — 🎉', []],
    ['5 * 3 = 15, 7 > 2', ['5', '*', '3', '=', '15,', '7', '>', '2']],
    ['C # minor, a | b, a / b', ['C', '#', 'minor,', 'a', '|', 'b,', 'a', '/', 'b']],
    ['2 ^ 3 ≤ 9 ÷ 1 ± ~ 1 \\ § 3', ['2', '^', '3', '≤', '9', '÷', '1', '±', '~', '1', '\\', '§', '3']],
  ])('%s', (text, words) => expect(textsOf(text)).toEqual(words));

  it('pause at the end of the sentence, not behind an abbreviation', () => {
    const pauses = wordsOf('Dr. Smith, M.D., is late.').map((word) => word.pause > 0);
    expect(pauses).toEqual([false, true, true, false, true]);
  });

  it('point into the text that the caller holds', () => {
    const words = spokenWords([segment({ text: '𠀀今', start: 10 }, { text: '天好', start: 20 })]);
    expect(words.map(({ charStart, charEnd }) => [charStart, charEnd])).toEqual([
      [10, 11],
      [11, 21],
      [21, 22],
    ]);
    expect(wordsOf('ไป เด็ก').map(({ charStart, charEnd }) => [charStart, charEnd])).toEqual([
      [0, 2],
      [3, 7],
    ]);
  });

  it('pause at the marks of their script', () => {
    const pauses = (text: string) =>
      wordsOf(text).map((word) => Math.sign(word.pause - 3.5) + (word.pause > 0 ? 2 : 1));
    expect(pauses('ja, nein! so')).toEqual([1, 3, 0]);
    expect(pauses('你好，再见。走')).toEqual([1, 3, 0]);
    expect(pauses('क्या। हाँ॥ आप')).toEqual([3, 3, 0]);
    expect(pauses('ہے۔ کیا؟ جی، وہ')).toEqual([3, 3, 1, 0]);
    expect(pauses('ሀ፣ ለ። ሐ፡፡መ')).toEqual([1, 3, 3, 0]);
  });
});

describe('the weight of a greeting', () => {
  // "Good morning" is three syllables and takes 13 letters' time; two to six syllables anywhere lie near that per syllable.
  it.each([
    ['नमस्ते', 3],
    ['নমস্কার', 3],
    ['안녕하세요', 5],
    ['こんにちは', 5],
    ['早上好', 3],
    ['สวัสดี', 3],
    ['مرحبا', 3],
    ['שלום', 2],
    ['ሰላም', 3],
    ['Здравствуйте', 3],
    ['Kalimera', 4],
  ])('%s is that of its syllables', (text, syllables) => {
    const perSyllable = weightOf(text) / syllables;
    expect(perSyllable).toBeGreaterThan(1.8);
    expect(perSyllable).toBeLessThan(4.6);
  });
});
