// The cuts in every language are the same however the text comes, with pauses and flushes in its middle; and what
// the first segment of a streamed turn may be in scripts without spaces.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/speech/language.ts';
import { codePointLength } from '../../../src/text/code-points.ts';
import { segmentText } from '../../../src/text/segment.ts';
import { sentenceRulesOf } from '../../../src/text/sentences/language-rules.ts';
import { createSegmenter } from '../../../src/text/sentences/segmenter.ts';
import { splitOf } from '../any-split.ts';

const WORDS: Partial<Record<Language, string[]>> = {
  amharic: ['ሰላም', 'ነህ', '፡', '፡፡', '።', '፣ ', '፧'],
  arabic: ['مرحبا', 'في ', 'م', '؟', '، ', 'هـ'],
  bengali: ['আমি ', 'কেমন', '।', '৩', 'ক্ষ'],
  bulgarian: ['Той ', 'през ', '1990 ', 'ъгъл'],
  greek: ['Αυτό ', 'είναι', ';', '· '],
  hebrew: ['שלום ', 'צה"ל', 'א', '״', '׳'],
  hindi: ['मैं ', 'हूँ', '।', '॥', '३', 'क्षि'],
  japanese: ['行く', 'と言った', 'って', '。', '！', '？', '「', '」', '『', 'カタカナ', '、', '１，', '　'],
  korean: ['안녕', '하세요', '네', '라고 '],
  mandarin: ['重要', '的', '。', '？', '“', '”', '《', '》', '，', '１', '．', '𠀀'],
  russian: ['Он ', 'год ', '1990 ', 'XX ', '— '],
  serbian: ['Он ', 'маја ', '1990'],
  thai: ['ไทย', 'ครับ', 'ค่ะ ', 'ๆ', 'ฯ ', 'กำลัง'],
  ukrainian: ['Він ', 'року ', '1991 '],
  urdu: ['ہے', '۔', '؟', '،', 'جی', '۳'],
};
const MARKS = [
  ...[
    '. ',
    '.',
    '! ',
    '?',
    '…',
    ' ',
    ' ',
    ' ',
    '\n',
    ', ',
    '(',
    ')',
    '"',
    '«',
    '»',
    '« ',
    ' »',
    '„',
    '“',
    '” ',
  ],
  ...[
    '’',
    "'",
    "'n ",
    '— ',
    ' – ',
    '-',
    '¿',
    '¡',
    '1',
    '3.',
    '2024.',
    'II.',
    'A.',
    'a',
    'word ',
    'Word ',
    'iPod ',
  ],
  ...['https://a.b/c?d', 'x@y.org', '🎉', 'e\u0301', 'word word word word '],
];

/** Text out of the language's own lists, so that every rule of it is met. */
function textIn(language: Language): fc.Arbitrary<string> {
  const { abbreviations, starters, finals, afterQuote, afterOutcry } = sentenceRulesOf(language);
  const listed = [...abbreviations.keys()].map((word) => word.replace(/^-/, ''));
  const pieces = [
    fc.constantFrom(...MARKS),
    fc.constantFrom(
      ...(listed.length > 0 ? listed : ['etc']).flatMap((word) => [`${word}.`, `${word}. `, word]),
    ),
    fc.constantFrom(
      ...[...starters, ...finals, ...afterQuote, ...afterOutcry, 'Word'].map((word) => `${word} `),
    ),
    fc.constantFrom(...(WORDS[language] ?? ['word ', 'Name '])),
  ];
  return fc.array(fc.oneof(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));
}

function openSegmenter(language: Language) {
  const said: string[] = [];
  let start = 0;
  const segmenter = createSegmenter({ language, early: 'first-clause' }, (cut) =>
    said.push(`${cut.boundary}|${segmentText(cut)}`),
  );
  return {
    said,
    push(text: string) {
      segmenter.push(text, start);
      start += codePointLength(text);
    },
    flush: () => segmenter.flush(),
    idle: () => segmenter.idle('short'),
  };
}

/** Chunks joined where they part a surrogate pair: the segmenter is promised whole code points. */
const whole = (chunks: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    if (last !== undefined && /[\ud800-\udbff]$/.test(last)) joined[joined.length - 1] = last + chunk;
    else joined.push(chunk);
  }
  return joined;
};

function read(
  language: Language,
  parts: readonly (readonly string[])[],
  between: 'idle' | 'flush',
): string[] {
  const segmenter = openSegmenter(language);
  for (const [index, chunks] of parts.entries()) {
    if (index > 0) segmenter[between]();
    for (const chunk of whole(chunks)) segmenter.push(chunk);
  }
  segmenter.flush();
  return segmenter.said;
}

describe('any split of text', () => {
  it.each(LANGUAGES)('in %s gives the same cuts', (language) => {
    const split = splitOf(textIn(language));
    fc.assert(
      fc.property(split, split, fc.constantFrom('idle', 'flush'), (first, second, between) => {
        const said = read(language, [first.chunks, second.chunks], between);
        expect(said).toEqual(read(language, [[first.text], [second.text]], between));
        const text = said.map((piece) => piece.slice(piece.indexOf('|') + 1)).join('');
        expect(text).toBe(first.text + second.text);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the first segment without spaces between words', () => {
  const first = (language: Language, text: string) => read(language, [[text]], 'flush')[0];

  it('ends before a word after sixteen ideographs or kana', () => {
    expect(first('mandarin', '我们今天下午在学校图书馆里学习汉语语法知识。')).toBe(
      'words|我们今天下午在学校图书馆里学习',
    );
    expect(first('japanese', '私たちは今日の午後に学校の図書館で日本語を勉強します。')).toMatch(
      /^words\|私たちは今日の午後に学校の$/,
    );
  });

  it('ends before a word after some twenty Thai letters, and at a space', () => {
    expect(first('thai', 'วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนสาธารณะใกล้บ้าน')).toBe('words|วันนี้อากาศดีมากเราจึง');
    expect(first('thai', 'วันนี้อากาศดีมาก เราจึงไปเดินเล่น')).toBe('clause|วันนี้อากาศดีมาก ');
  });

  it('ends at a clause mark with six characters before it', () => {
    expect(first('mandarin', '今天天气很好，我们出去。')).toBe('clause|今天天气很好，');
    expect(first('mandarin', '好，我们现在就出去走一走。')).toBe(
      'clause|好，我们现在就出去走一走。'.replace('clause', 'sentence'),
    );
  });

  it('ends inside no number or address', () => {
    expect(first('mandarin', '一二三四五六七八九十一二三四五20240503号开会了')).not.toMatch(/\d$/);
    expect(
      first('japanese', '詳しくはこちらのページhttps://example.com/日本語/案内をごらんください'),
    ).not.toMatch(/[!-~]$/);
  });

  it('counts words by the Ethiopic word mark', () => {
    expect(first('amharic', 'ሀ፡ለ፡ሐ፡መ፡ሠ፡ረ፡ሰ፡ሸ፡ቀ፡በ')).toBe('words|ሀ፡ለ፡ሐ፡መ፡ሠ፡ረ፡ሰ፡ሸ፡');
  });
});
