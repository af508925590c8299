import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength } from '../../src/text/code-points.ts';
import { createMarkupStripper } from '../../src/text/markup-stripper.ts';
import { codePoints, splitPoints } from './any-split.ts';

type Out = { text: string; start: number } | 'break';

function open() {
  const out: Out[] = [];
  let start = 0;
  const stripper = createMarkupStripper({
    text: (text, at) => out.push({ text, start: at }),
    lineBreak: () => out.push('break'),
  });
  return {
    out,
    stripper,
    push(text: string) {
      stripper.push(text, start);
      start += codePointLength(text);
    },
    text: () => out.map((piece) => (piece === 'break' ? '¶' : piece.text)).join(''),
  };
}

function strip(...chunks: string[]): string {
  const reader = open();
  for (const chunk of chunks) reader.push(chunk);
  reader.stripper.flush();
  return reader.text();
}

describe('markup that is taken out', () => {
  it.each([
    ['**bold** and *italic* and ***both***', 'bold and italic and both'],
    ['__bold__, _italic_, ~~gone~~', 'bold, italic, gone'],
    ['**a *b* c** (*d*) "*e*"', 'a b c (d) "e"'],
    ['**Note:** text, **word**s', 'Note: text, words'],
    ['这是**重要**的', '这是重要的'],
    ['# Title\n## Sub title\n', 'Title\nSub title\n'],
    ['> quoted\n> > twice', 'quoted\ntwice'],
    ['- one\n* two\n• three\n  - four', 'one\ntwo\nthree\n  four'],
    ['- [ ] open\n- [x] done', 'open\ndone'],
    ['1. first\n2. second', '1. first\n2. second'],
    ['above\n---\n***\n===\nbelow', 'above\n\n\n\nbelow'],
    ['run `npm test` or ``a`b``', 'run npm test or ab'],
    ['```js\nconst a = *b*;\n```\nend', '\nconst a = *b*;\n\nend'],
    ['~~~\n# no title\n~~~\n', '\n# no title\n\n'],
    ['see [the docs](https://x.y/a_(b)?c=d "t") now', 'see the docs now'],
    ['see ![a cat](cat.png)!', 'see a cat!'],
    ['[![badge](b.svg)](http://x.y) [ref][1]', 'badge ref'],
    ['[**bold** link](x)', 'bold link'],
    ['<https://x.y/z> <me@x.org>', 'https://x.y/z me@x.org'],
    ['a <b>bold</b> <span class="x y">word</span>', 'a bold word'],
    ['wait <break time="500ms"/>now', 'wait ¶now'],
    ['one<br>two', 'one¶two'],
    ['a <!-- not this --> b', 'a  b'],
    ['| a | b |\n|---|:-:|\n| c | d |', ' a ¶ b ¶\n\n c ¶ d ¶'],
    ['a | b\n---|:-:\nc | d\n', 'a ¶ b\n\nc ¶ d\n'],
    [
      'Name | Age | So\n:-- | --: | -\nAnn | 5 \\| 6 | x\n\na | b',
      'Name ¶ Age ¶ So\n\nAnn ¶ 5 | 6 ¶ x\n\na | b',
    ],
    ['a | b\r\n--- | ---\r\nc | d', 'a ¶ b\r\n\r\nc ¶ d'],
    ['see[^1] and[^note-2].', 'see and.'],
    [
      'Text.\n\n[^1]: A *note*, with [a](b).\n    More of it.\n\n  And more.\nText.',
      'Text.\n\n\n    \n\n  \nText.',
    ],
    [
      '[1]: https://x.y/z "Title"\n[a b]: <x.html>\n[c]: ./d.md\n[d]: x.org/e (f)\n[e]: #f\nText',
      '\n\n\n\n\nText',
    ],
    [`[1]: https://x.y/${'z'.repeat(300)}\nText`, '\nText'],
    ['\\*no\\* \\# \\[x\\]', '*no* # [x]'],
    ['word<List>', 'word<List>'],
  ])('%j', (text, expected) => {
    expect(strip(text)).toBe(expected);
  });
});

describe('text that looks like markup', () => {
  it.each([
    'a < b and c > d',
    'a<b and c>d',
    '5*3, 2 * 3 * 4, 2**8',
    'snake_case and __',
    'C# and #1 and # ',
    'Vec<String> x',
    '>= 5',
    '-5 degrees',
    'a || b',
    'https://x.y/_next/a_b*c*d?e=__f__ ok',
    'a [1] and [b] and ]',
    'half [open',
    '~5 minutes ~~ ~',
    'AT&amp;T &lt;b&gt;',
    '(2+3)*4',
    'rated ****',
    'C:\\temp',
    'Wow! Yes!',
    'i <3 u',
    'a | b and c | d',
    'a | b\nno | table',
    '[Ann]: Hello there.',
    '[Note]: this is not a link',
    '[Note]: https://x.y is not one, too',
    '[^ 1] and [^]',
    ': text: and so on',
    'x <',
    '!',
  ])('%j stays', (text) => {
    expect(strip(text)).toBe(text);
  });
});

describe('the stripper', () => {
  it('gives the same text for every split', () => {
    fc.assert(
      fc.property(splitPoints, ({ text, chunks }) => {
        expect(strip(...chunks)).toBe(strip(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('hands on verbatim slices at their places', () => {
    fc.assert(
      fc.property(splitPoints, ({ text, chunks }) => {
        const reader = open();
        for (const chunk of chunks) reader.push(chunk);
        reader.stripper.flush();
        for (const piece of reader.out)
          if (piece !== 'break')
            expect(codePoints(text, piece.start, codePointLength(piece.text))).toBe(piece.text);
        expect(reader.stripper.heldCharacters()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['[', '<a b="', '`', '**', '![x', '<!-- ', '|-', '> ', '```x', '\\'])(
    'does not hold %j for ever',
    (opener) => {
      const reader = open();
      for (const char of `text ${opener}`) reader.push(char);
      for (let i = 0; i < 300; i += 1) reader.push('x ');
      expect(reader.stripper.heldCharacters()).toBeLessThan(3);
    },
  );

  it('holds a link target of two thousand characters at most', () => {
    const reader = open();
    reader.push('[a](');
    for (let i = 0; i < 2500; i += 1) reader.push('x');
    expect(reader.stripper.heldCharacters()).toBe(0);
    expect(strip(`[a](${'x'.repeat(1500)})b`)).toBe('ab');
    expect(strip(...`[a](${'x'.repeat(1500)})b`)).toBe('ab');
  });

  it('hands on a long text at once', () => {
    const reader = open();
    reader.push('word '.repeat(150));
    expect(reader.stripper.heldCharacters()).toBe(0);
  });

  it('speaks bold words as they come', () => {
    const reader = open();
    reader.push('**Important');
    expect(reader.text()).toBe('Important');
  });

  it('lets a pipe go in a pause, and holds it no longer than a table may begin', () => {
    const reader = open();
    reader.push('Press a | b');
    expect(reader.text()).toBe('Press a ');
    reader.stripper.idle();
    expect(reader.text()).toBe('Press a | b');
    reader.push('\nOr c | d');
    for (let n = 0; n < 300; n += 1) reader.push('e');
    expect(reader.stripper.heldCharacters()).toBe(0);
  });

  it('lets a last exclamation mark go in a pause', () => {
    const reader = open();
    reader.push('Hello! What?!');
    expect(reader.text()).toBe('Hello! What?');
    reader.stripper.idle();
    expect(reader.text()).toBe('Hello! What?!');
  });
});
