import { describe, expect, it } from 'vitest';
import { headingName, isApparatus } from '../../src/script/heading-name.ts';
import { languageReaderOf } from '../../src/script/language-reader.ts';
import { scriptLanguageOf } from '../../src/script/script-languages.ts';
import type { SourceBlock } from '../../src/script/source-document.ts';
import { toSourceSentences } from '../../src/script/source-sentences.ts';
import { withComma, withFullStop } from '../../src/script/spoken-form.ts';
import { cutSentences } from '../../src/service/playnotes/sentence-cutter.ts';

const read = (...blocks: SourceBlock[]) =>
  toSourceSentences(
    { title: undefined, language: 'english', blocks },
    cutSentences,
    'english',
    languageReaderOf(scriptLanguageOf('english')!.cues),
  );
const paragraph = (text: string): SourceBlock => ({ kind: 'paragraph', text });
const first = (text: string) => read(paragraph(text))[0]!;

describe('toSourceSentences', () => {
  it('numbers sentences under their headings', () => {
    const sentences = read(
      { kind: 'heading', level: 1, text: 'A' },
      paragraph('The first one is here. The second one is here.'),
      { kind: 'heading', level: 2, text: 'B' },
      paragraph('The third one is here.'),
      { kind: 'heading', level: 1, text: 'C' },
      { kind: 'item', text: 'the fourth one' },
    );
    expect(sentences.map(({ number, path }) => [number, path.join('/')])).toEqual([
      [0, 'A'],
      [1, 'A'],
      [2, 'A/B'],
      [3, 'C'],
    ]);
  });

  it('keeps a long sentence whole, which the segmenter would part for speech', () => {
    const long = `The river ${'runs along the old wall of the town and '.repeat(7)}ends in the sea.`;
    expect(read(paragraph(long)).map(({ text }) => text)).toEqual([long]);
  });

  it.each([
    ['Too short.', 'too-short'],
    ['The table shows it: see www.example.org for more.', 'reference'],
    ['The result is shown in Figure 3 of the report.', 'reference'],
    ['As described above, the wheel turns slowly.', 'reference'],
    ['and this one begins in the middle of a sentence.', 'fragment'],
    ['This heading has no full stop at its end', 'fragment'],
    ['The reasons are the following ones:', 'lead-in'],
    ['A 12 34 56 78 90 b 11 22 33 c 44 d.', 'signs'],
    [`The ${'very '.repeat(80)}long sentence ends.`, 'too-long'],
    ['# The wheel file was generated.', 'code'],
    ['The wheel of the mill . . . . . . 12', 'apparatus'],
    ['[4] shows that the wheel turns slowly.', 'reference'],
    ['As shown in [4] and [5], the wheel turns.', 'reference'],
    ['The following wheels turn slowly every day.', 'reference'],
    ['Turns the wheel of the mill slowly.', 'fragment'],
  ])('does not speak %j by itself', (text, why) => {
    expect(first(text).unfit).toBe(why);
  });

  it('speaks a sentence once', () => {
    const [one, two] = read(paragraph('The wheel turns slowly.'), paragraph('The wheel turns slowly.'));
    expect([one!.unfit, two!.unfit]).toEqual([undefined, 'repeated']);
  });

  it('leaves out asides, citations and connectives, and nothing else', () => {
    expect(first('Moreover, the wheel (built in 1890) turns [4].').spoken).toBe('The wheel turns.');
    // What takes back is heard as that.
    expect(first('However, the wheel turns [4].').spoken).toBe('However, the wheel turns.');
    expect(first('The colour(s) of the wheel fade slowly.').spoken).toBe(
      'The colour(s) of the wheel fade slowly.',
    );
    expect(first('However hard it rains, the wheel turns.').spoken).toBe(
      'However hard it rains, the wheel turns.',
    );
  });

  it('knows what needs the sentence before', () => {
    const [, second] = read(paragraph('The wheel is old. It turns slowly every day.'));
    expect(second!.leans).toBe(true);
    expect(first('The wheel is very old.').leans).toBe(false);
  });

  it('takes citation marks out, whatever their form', () => {
    for (const text of [
      'The wheel turns slowly [12].',
      'The wheel turns slowly (Smith et al., 2019).',
      'The wheel turns slowly.¹²',
      'The wheel turns slowly.12',
      'The wheel turns slowly[3, 4].',
      'The wheel turns slowly[RFC2119].',
    ])
      expect(first(text)).toMatchObject({ spoken: 'The wheel turns slowly.', unfit: undefined });
  });

  it('speaks no item that nothing announces, and nothing of references and contents', () => {
    const item: SourceBlock = { kind: 'item', text: 'a wheel of old oak from the hills' };
    expect(read(item)[0]!.unfit).toBe('fragment');
    expect(read(paragraph('The mill has two things:'), item)[1]!.unfit).toBeUndefined();
    for (const text of ['References', '7. Bibliography', 'SEE ALSO', 'List of figures', 'Contents'])
      expect(read({ kind: 'heading', level: 1, text }, paragraph('The wheel turns slowly.'))[0]!.unfit).toBe(
        'apparatus',
      );
  });

  it('reads a line of a table as a sentence, without cells that are empty', () => {
    const [row] = read({
      kind: 'row',
      cells: [
        { name: 'Region', value: 'North' },
        { name: 'Note', value: ' ' },
        { name: '', value: 'mild winter' },
      ],
    });
    expect(row).toMatchObject({ spoken: 'Region: North, mild winter.', kind: 'row', unfit: undefined });
  });

  it('speaks an explanation with its term, in order, and none of what is for a machine', () => {
    const under = (term: string, ...texts: string[]): SourceBlock[] => [
      { kind: 'item', text: term },
      ...texts.map((text): SourceBlock => ({ kind: 'item', text, under: term })),
    ];
    const [first, second] = read(
      ...under('Mill stone', 'A stone of hard quartz that grinds. It weighs a ton.'),
    );
    expect(first).toMatchObject({
      spoken: 'Mill stone: A stone of hard quartz that grinds.',
      unfit: undefined,
      leans: false,
    });
    expect(second).toMatchObject({ spoken: 'It weighs a ton.', leans: true });
    const [option] = read(...under('-m, --mill=NAME', 'The name of a mill that is asked for.'));
    expect(option!.unfit).toBe('note');
  });

  it('speaks no verse and no words of others that are set apart', () => {
    const plain = paragraph('The wheel of the mill turns slowly in the stream.');
    expect(first('As I sweep Through the deep When the stormy winds do blow.').unfit).toBe('fragment');
    expect(
      read(plain, { kind: 'paragraph', text: 'The mill is a good old friend of mine.', isQuoted: true })[1]!
        .unfit,
    ).toBe('quoted');
  });

  it('knows what is within somebody’s words, what answers, and what is announced', () => {
    const [, inside] = read(paragraph('He said: “The wheel is old. A wheel of oak lasts long.”'));
    expect(inside!.leans).toBe(true);
    const [, answer] = read(paragraph('Who built the mill? Peter built a mill of oak.'));
    expect(answer!.leans).toBe(true);
    const [, step] = read(paragraph('The miller does this every day:'), {
      kind: 'item',
      text: 'A gate is opened at the pond.',
    });
    expect(step!.leans).toBe(true);
  });

  it('lets a text say what it is about, near its beginning', () => {
    const about = 'This document describes the mills of the valley.';
    expect(first(about)).toMatchObject({ unfit: undefined, leans: false });
    const many = Array.from({ length: 45 }, (_, at) =>
      paragraph(`A mill of the number ${at} stands at a stream.`),
    );
    expect(read(...many, paragraph('This paper describes the mills of the valley.')).at(-1)!.unfit).toBe(
      'reference',
    );
  });

  it('passes over a label among long paragraphs, and a name in lower case is no fragment', () => {
    const long = paragraph(
      'The wheel of the mill turns slowly in the stream all day long, and the miller sleeps beside the stones because the noise wakes him when it stops.',
    );
    expect(read(long, long, paragraph('Wheels are made well.'))[2]!.unfit).toBe('too-short');
    const blocks = [paragraph('millctl opens the gate of the mill.')];
    const [sentence] = toSourceSentences(
      { title: 'millctl - opens gates', language: 'english', blocks },
      cutSentences,
      'english',
      languageReaderOf(scriptLanguageOf('english')!.cues),
    );
    expect(sentence!.unfit).toBeUndefined();
  });

  it('takes time in proportion to hostile text', () => {
    for (const text of [
      '('.repeat(50_000),
      '[1]'.repeat(20_000),
      'a '.repeat(50_000),
      `${'However, '.repeat(5_000)}x.`,
    ])
      expect(read(paragraph(text)).length).toBeGreaterThanOrEqual(0);
  });
});

describe('hostile texts', () => {
  // Each took minutes when it was looked through from each of its characters; the patience of the test is the judge.
  const LENGTH = 100_000;
  const PIECES = ['.', ',', '@', '²', '’', '. , ', '1 '];
  const hostile = PIECES.flatMap((piece) => {
    const run = piece.repeat(LENGTH / piece.length);
    return [`The tide ${run}x comes in.`];
  });

  it('longer than anybody could follow are not looked through, whatever they hold', () => {
    for (const text of hostile)
      for (const kind of ['paragraph', 'item'] as const)
        for (const { unfit } of read({ kind, text })) expect(unfit).toBeDefined();
    for (const value of hostile) read({ kind: 'row', cells: [{ name: 'a', value }] });
  }, 60_000);

  it('as long as are looked through take no time that anybody would notice', () => {
    const documents = PIECES.map((piece) =>
      paragraph(`The tide ${piece.repeat(1_900 / piece.length)}x comes in.`),
    );
    for (let round = 0; round < 4; round += 1) read(...documents);
  }, 60_000);

  it('do as names of headings', () => {
    for (const text of hostile) {
      headingName(text);
      isApparatus(text);
      withFullStop(text);
      withComma(text);
    }
  }, 60_000);
});
