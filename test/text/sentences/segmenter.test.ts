import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/speech/language.ts';
import { codePointLength } from '../../../src/text/code-points.ts';
import { isSpeakable, segmentText } from '../../../src/text/segment.ts';
import { type Cut, createSegmenter, type Early, type Pause } from '../../../src/text/sentences/segmenter.ts';
import { hardText, splitPoints } from '../any-split.ts';

function open(early: Early = 'off', language: Language = 'english') {
  const cuts: Cut[] = [];
  let start = 0;
  const segmenter = createSegmenter({ language, early }, (cut) => cuts.push(cut));
  return {
    ...segmenter,
    cuts,
    held: () => segmenter.heldCharacters(),
    push(text: string) {
      segmenter.push(text, start);
      start += codePointLength(text);
    },
    /** What has come out since it was last asked for. */
    said: () => cuts.splice(0).map((cut) => `${cut.boundary}|${segmentText(cut)}`),
  };
}

function cut(text: string, early: Early = 'off', language: Language = 'english') {
  const reader = open(early, language);
  reader.push(text);
  reader.flush();
  return reader.said();
}

describe('the segmenter', () => {
  it('gives the same cuts for every split', () => {
    const languages = fc.constantFrom<Language>('english', 'thai', 'japanese', 'german', 'greek');
    fc.assert(
      fc.property(
        splitPoints,
        fc.constantFrom<Early>('first-clause', 'off'),
        languages,
        (split, early, language) => {
          const reader = open(early, language);
          for (const chunk of split.chunks) reader.push(chunk);
          reader.flush();
          expect(reader.said()).toEqual(cut(split.text, early, language));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('decides as soon as the look-ahead is there and no sooner', () => {
    const reader = open();
    reader.push('Hello there.');
    expect(reader.said()).toEqual([]);
    reader.push(' ');
    expect(reader.said()).toEqual([]);
    reader.push('H');
    expect(reader.said()).toEqual(['sentence|Hello there. ']);
    reader.push('e lives in the U.S. Th');
    expect(reader.said()).toEqual([]);
    reader.push('e ');
    expect(reader.said()).toEqual(['sentence|He lives in the U.S. ']);
    reader.push('end\n');
    expect(reader.said()).toEqual(['line|The end\n']);
    expect(reader.held()).toBe(0);
  });

  it('names what ended a segment', () => {
    expect(cut('One. Two\nThree.\r\nFour')).toEqual([
      'sentence|One. ',
      'line|Two\n',
      'line|Three.\r\n',
      'end|Four',
    ]);
  });

  it('breaks a line where it is told to, if there is something to say', () => {
    const reader = open();
    reader.breakLine();
    reader.push(' cell ');
    reader.breakLine();
    reader.breakLine();
    reader.push('next');
    reader.flush();
    expect(reader.said()).toEqual(['line| cell ', 'end|next']);
  });

  it('never ends a segment that holds nothing to say', () => {
    expect(cut('... !!! — \n\n Yes. ???')).toEqual(['sentence|... !!! — \n\n Yes. ', 'end|???']);
  });
});

describe('the first segment of a streamed turn', () => {
  it('ends at a clause mark with three words before it', () => {
    expect(cut('Sure, I can do that, no problem at all.', 'first-clause')).toEqual([
      'clause|Sure, I can do that, ',
      'sentence|no problem at all.',
    ]);
    expect(cut('Here is the plan: we wait, then we go.', 'first-clause')[0]).toBe(
      'clause|Here is the plan: ',
    );
    expect(cut('That is it—we are done here, I think.', 'first-clause')[0]).toBe('clause|That is it—');
  });

  it('ends after eight words, before punctuation or a number is parted', () => {
    expect(cut('he said that we would be there before noon comes.', 'first-clause')).toEqual([
      'words|he said that we would be there before ',
      'sentence|noon comes.',
    ]);
    expect(cut('a b c d e f g 10 000 h i.', 'first-clause')[0]).toBe('words|a b c d e f g 10 000 h ');
    expect(cut('a b c d e f Mr. Dr. Smith h i.', 'first-clause')[0]).toBe('words|a b c d e f Mr. Dr. Smith ');
  });

  it('ends at a sentence end that comes first', () => {
    expect(cut('Hi. I am here, and I am glad.', 'first-clause')).toEqual([
      'sentence|Hi. ',
      'sentence|I am here, and I am glad.',
    ]);
  });

  it('does not end inside a number, an address or a short quotation or bracket', () => {
    const whole = 'It cost about 1,000 at 12:30 on https://a.b/c,d:e now.';
    expect(cut(whole, 'first-clause')).toEqual([
      'words|It cost about 1,000 at 12:30 on https://a.b/c,d:e ',
      'sentence|now.',
    ]);
    expect(cut('We all say “yes, sir” when asked, always.', 'first-clause')[0]).toBe(
      'clause|We all say “yes, sir” when asked, ',
    );
    expect(cut('The big shop (red, blue) is closed, sorry.', 'first-clause')[0]).toBe(
      'clause|The big shop (red, blue) is closed, ',
    );
  });
});

describe('the length of the first segment', () => {
  const first = (text: string, language: Language = 'english') =>
    cut(text, 'first-clause', language)[0]!.replace(/^\w+\|/, '');
  const wordsOf = (text: string) => text.split(/\s+/).filter(isSpeakable).length;

  it.each([
    ['a run of numbers', 'She has 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15', 'She has 1 2 3 4 5 6 7 8 9 10 '],
    ['titles', `I met ${'Dr. '.repeat(20)}Lee`, `I met ${'Dr. '.repeat(10)}`],
    ['brackets', `${'a '.repeat(7)}(b c (d e (f g (h i (j`, `${'a '.repeat(7)}(b c (d e (f `],
    ['signs before words', 'a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?m', 'a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l '],
    ['no-break spaces', 'a\u00a0'.repeat(20), 'a\u00a0'.repeat(12)],
  ])('is twelve words at most: %s', (_, text, expected) => {
    expect(first(text)).toBe(expected);
  });

  it('is eight words at most in plain prose, twelve whatever comes', () => {
    const prose = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 40 });
    fc.assert(fc.property(prose, (words) => wordsOf(first(words.join(' '))) <= 8));
    fc.assert(fc.property(hardText, (text) => text.trim() === '' || wordsOf(first(text)) <= 12));
  });
});

describe('what belongs together', () => {
  // Added after a review.
  it.each<[Language, string[]]>([
    ['spanish', ['En el s. XXI vivimos. ', 'Bien.']],
    ['indonesian', ['Harganya Rp. 50.000 saja. ', 'Murah.']],
    ['english', ['It was built c. 1850 here. ', 'It is 5 deg. C. outside.']],
    ['hindi', ['"क्यों?" उसने पूछा। ', '"रुको!" ', 'उसने दरवाज़ा खोला।']],
    ['urdu', ['"کیوں؟" اس نے پوچھا۔ ', '"رکو!" ', 'اس نے دروازہ کھولا۔']],
    ['hebrew', ['"למה?" שאל דני. ', '"עצור!" ', 'הוא פתח את הדלת.']],
  ])('%s', (language, expected) => {
    expect(
      cut(expected.join(''), 'off', language).map((piece) => piece.slice(piece.indexOf('|') + 1)),
    ).toEqual(expected);
  });
});

describe('a pause in the stream', () => {
  const idleAfter = (text: string, pause: Pause = 'short', language: Language = 'english') => {
    const reader = open('off', language);
    reader.push(text);
    reader.said();
    reader.idle(pause);
    return { said: reader.said(), held: reader.held() };
  };

  it('lets a sentence go that only waited for what follows', () => {
    expect(idleAfter('I am done.')).toEqual({ said: ['sentence|I am done.'], held: 0 });
    expect(idleAfter('In 1980. ')).toEqual({ said: ['sentence|In 1980. '], held: 0 });
  });

  it.each<[Language, string]>([
    ['english', 'Okay 👍'],
    ['english', 'One moment'],
    ['english', 'Let me check'],
    ['english', 'Sure'],
    ['english', 'Sure, let me see, '],
    ['english', 'Well, yes, and then'],
    ['english', 'It is at 5 pm'],
    ['english', 'It costs 5 dollars '],
    ['english', 'And then there were five'],
    ['english', 'It is written on page 12 '],
    ['english', 'We shall meet on May 3'],
    ['mandarin', '请稍等'],
    ['mandarin', '好的，请稍等'],
    ['japanese', '少々お待ちください'],
    ['thai', 'รอสักครู่'],
    ['german', 'Um 14 Uhr'],
    ['german', 'Am 3. Mai'],
    ['arabic', 'لحظة من فضلك'],
    ['hindi', 'एक क्षण'],
  ])('speaks what lacks nothing but a mark, in %s: %s', (language, text) => {
    const { said, held } = idleAfter(text, 'short', language);
    expect(said.map((piece) => piece.replace(/^\w+\|/, ''))).toEqual([text]);
    expect(held).toBe(0);
  });

  it.each<[Language, string, string, string]>([
    ['english', 'a title', 'I went to see ', 'Dr. '],
    ['english', 'a number', 'We can meet at ', '14.30'],
    ['english', 'a number with a mark', 'The price of it is ', '1,'],
    ['english', 'an amount', 'They have sold about ', '5 million '],
    ['english', 'a sign before a number', 'It costs you only ', '€ '],
    ['english', 'a word that breaks off', 'This is a very ', 'well-'],
    ['french', 'an elided word', 'Il y a encore ', "l'"],
    ['german', 'an ordinal', 'Wir sehen uns am ', '3.'],
    ['english', 'a short beginning of that', '', 'It is 5'],
    ['mandarin', 'a number', '', '我们下午3'],
  ])('keeps what is clearly unfinished for a longer one, in %s: %s', (language, _, said, kept) => {
    const spoken = said === '' ? [] : [`words|${said}`];
    expect(idleAfter(said + kept, 'short', language)).toEqual({ said: spoken, held: kept.length });
    const all = idleAfter(said + kept, 'long', language);
    expect(all.said.map((piece) => piece.replace(/^\w+\|/, ''))).toEqual([said + kept]);
    expect(all.held).toBe(0);
  });

  it('speaks nothing where there is nothing to say', () => {
    for (const text of ['', '  ', '👍', '... '])
      for (const pause of ['short', 'long'] as const)
        expect(idleAfter(text, pause)).toEqual({ said: [], held: text.length });
  });

  it('leaves what is held as it was', () => {
    const reader = open();
    reader.push('It is 3');
    reader.idle('short');
    reader.push('.');
    reader.push('14 now. Then');
    expect(reader.said()).toEqual(['sentence|It is 3.14 now. ']);
  });

  it('keeps the cuts of what follows free of the split', () => {
    fc.assert(
      fc.property(splitPoints, splitPoints, (first, second) => {
        const read = (a: string[], b: string[]) => {
          const reader = open('first-clause');
          for (const chunk of a) reader.push(chunk);
          reader.idle('short');
          for (const chunk of b) reader.push(chunk);
          reader.idle('long');
          reader.flush();
          return reader.said();
        };
        expect(read(first.chunks, second.chunks)).toEqual(read([first.text], [second.text]));
      }),
      { numRuns: 500 },
    );
  });
});

describe('text without ends', () => {
  const lengths = (text: string, language: Language = 'english') =>
    cut(text, 'off', language).map((piece) => [piece.split('|')[0], piece.length - piece.indexOf('|') - 1]);

  it('is cut at a clause mark after 250 characters, at a word after 500', () => {
    expect(lengths(`${'word '.repeat(60)}so, ${'word '.repeat(10)}`)[0]).toEqual(['clause', 304]);
    expect(lengths('word '.repeat(150))).toEqual([
      ['words', 500],
      ['end', 250],
    ]);
  });

  it('is cut at a thousand characters where there is no space', () => {
    expect(lengths('a'.repeat(5000))).toEqual([1, 2, 3, 4, 5].map((i) => [i < 5 ? 'words' : 'end', 1000]));
    for (const char of ['.', ' ', ',', '(', '"'])
      for (const [, length] of lengths(char.repeat(5000))) expect(length).toBeLessThan(1070);
  });

  it('never parts a grapheme', () => {
    const family = '👨‍👩‍👧';
    for (const piece of cut(`x${family.repeat(500)}`))
      expect(piece.replace(/^\w+\|x?/, '').replaceAll(family, '')).toBe('');
    const accented = cut('e\u0301'.repeat(1500));
    for (const piece of accented.slice(1)) expect(piece).toMatch(/^\w+\|e/);
    expect(cut('\u0301'.repeat(5000)).join('').length).toBeGreaterThan(5000);
  });

  it('is cut between words in scripts without spaces', () => {
    const pieces = cut('重要'.repeat(600), 'off', 'mandarin');
    expect(pieces.map((piece) => piece.length)).toEqual([504, 504, 208]);
    for (const piece of pieces) expect(piece).toMatch(/^\w+\|重.*要$/);
    const thai = `${'ภาษาไทย'.repeat(40)} ${'ภาษาไทย'.repeat(3)}`;
    expect(cut(thai, 'off', 'thai').map((piece) => piece.split('|')[0])).toEqual(['clause', 'end']);
  });
});

describe('other scripts', () => {
  it.each<[Language, string, string[]]>([
    ['mandarin', '你好。你好吗？「好！」他说。', ['你好。', '你好吗？', '「好！」', '他说。']],
    ['japanese', '行く。「待って。」と言った。はい！', ['行く。', '「待って。」と言った。', 'はい！']],
    ['hindi', 'नमस्ते। आप कैसे हैं? ठीक।', ['नमस्ते। ', 'आप कैसे हैं? ', 'ठीक।']],
    ['arabic', 'كيف حالك؟ أنا بخير.', ['كيف حالك؟ ', 'أنا بخير.']],
    ['amharic', 'ሰላም። እንዴት ነህ፧', ['ሰላም። ', 'እንዴት ነህ፧']],
    ['greek', 'Πού είσαι; Εδώ.', ['Πού είσαι; ', 'Εδώ.']],
    ['german', 'Am 3. Mai kam er. Dann ging er.', ['Am 3. Mai kam er. ', 'Dann ging er.']],
    ['spanish', '¿Qué? ¡No! Sí.', ['¿Qué? ', '¡No! ', 'Sí.']],
    ['russian', 'Это А. С. Пушкин. Да.', ['Это А. С. Пушкин. ', 'Да.']],
  ])('%s', (language, text, expected) => {
    expect(cut(text, 'off', language).map((piece) => piece.slice(piece.indexOf('|') + 1))).toEqual(expected);
  });
});
