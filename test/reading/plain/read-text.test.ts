// What the layout of plain text shows: headings, terms with their explanations, pages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readText as readPlain } from '../../../src/reading/plain/read-text.ts';
import { createSourceBlocks } from '../../../src/reading/source-blocks.ts';
import { readText, textOf } from '../read-fixture.ts';

const shapes = async (text: string) =>
  (await readText(text)).blocks.map((block) =>
    [
      block.kind === 'heading' ? `heading ${block.level}` : block.kind,
      'under' in block ? `{${block.under}}` : '',
      textOf(block),
    ]
      .filter((part) => part !== '')
      .join(' '),
  );

const MANUAL = `MILL(1)                    User Commands                   MILL(1)

NAME
     mill - grinds flour

DESCRIPTION
     The mill grinds wheat and rye.  It stops by itself when the hopper
     is empty.

   Stones of the mill
     The stones are dressed every spring by a mason from the village.

OPTIONS
     -f      Grinds fine flour, for which the stones are set close to
             each other.

             A fine flour takes twice as long.

     -s, --speed=TURNS
             Sets the turns of the wheel.

     -h      Tells how it is called.

MILL 2.0                   March 2020                      MILL(1)`;

describe('a page of a manual', () => {
  it('has headings over indented text, and explanations under options', async () => {
    expect(await shapes(MANUAL)).toEqual([
      'heading 1 NAME',
      'paragraph mill - grinds flour',
      'heading 1 DESCRIPTION',
      'paragraph The mill grinds wheat and rye. It stops by itself when the hopper is empty.',
      'heading 2 Stones of the mill',
      'paragraph The stones are dressed every spring by a mason from the village.',
      'heading 1 OPTIONS',
      'item -f',
      'item {-f} Grinds fine flour, for which the stones are set close to each other.',
      'item {-f} A fine flour takes twice as long.',
      'item -s, --speed=TURNS',
      'item {-s, --speed=TURNS} Sets the turns of the wheel.',
      'item -h',
      'item {-h} Tells how it is called.',
      expect.stringContaining('MILL 2.0'),
    ]);
  });

  it('is called as its NAME says', async () => {
    expect((await readText(MANUAL)).title).toBe('mill - grinds flour');
  });
});

describe('plain text', () => {
  it('has numbered headings by their levels, and lists that are no headings', async () => {
    expect(
      await shapes(
        '1. Wheels\n\nThe wheel of the old mill is made of oak and turns all day long in the stream.\n\n1.1. Spokes\n\nEach spoke is as long as a man, and is cut from a single branch of the tree.\n\n1. Oil the wheel\n   every week.\n2. Close the gate.',
      ),
    ).toEqual([
      'heading 1 1. Wheels',
      'paragraph The wheel of the old mill is made of oak and turns all day long in the stream.',
      'heading 2 1.1. Spokes',
      'paragraph Each spoke is as long as a man, and is cut from a single branch of the tree.',
      'item Oil the wheel every week.',
      'item Close the gate.',
    ]);
  });

  it('has terms above their explanations, several forms of one, and a column of them', async () => {
    expect(
      await shapes(
        'Hopper\n    The box above the stones.\n\n-a FILE\n-b FILE\n    Reads a file.\n\n  oak    hard wood\n  elm    wood that stays wet\n  ash    wood for handles',
      ),
    ).toEqual([
      'heading 2 Hopper',
      'paragraph The box above the stones.',
      'item -a FILE',
      'item {-a FILE} Reads a file.',
      'item oak',
      'item {oak} hard wood',
      'item elm',
      'item {elm} wood that stays wet',
      'item ash',
      'item {ash} wood for handles',
    ]);
  });

  it('goes on over the ends of pages, without their heads, numbers and footnotes', async () => {
    const page = (number: number, text: string) =>
      `${text}\n____________\n  ${number} A note at the foot.\n\n\n                         ${number}\n\n\nThe mill                v2.0               2020\n\n\n`;
    const text = [
      'The wheel of the mill turns all day long in the stream that comes from the',
      'hills behind the village.\n\nThe stones are dressed in spring by a mason who comes from the',
      'town.\n\nNobody has seen the mill stand still.',
    ]
      .map((one, index) => page(index + 1, one))
      .join('');
    expect(await shapes(text)).toEqual([
      'paragraph The wheel of the mill turns all day long in the stream that comes from the hills behind the village.',
      'paragraph The stones are dressed in spring by a mason who comes from the town.',
      'paragraph Nobody has seen the mill stand still.',
    ]);
  });

  it('takes no sentence of a line for a heading or a title, in Chinese as well', async () => {
    const { title, blocks } = await readText(
      '灯塔建在海边的岩石上。\n\n冬天的风很大，海浪常常打到窗户上，看守人整夜都听得见大海的声音。',
    );
    expect([title, blocks.map(({ kind }) => kind)]).toEqual([undefined, ['paragraph', 'paragraph']]);
  });

  it('keeps every word, however it is laid out', () => {
    const word = fc.constantFrom('mill', 'Wheel', '-f', 'OAK', '1.', '1.2.', 'stones.', '•', 'o', '=x', 'to');
    const line = fc
      .tuple(
        fc.integer({ min: 0, max: 9 }),
        fc.array(word, { minLength: 1, maxLength: 7 }),
        fc.constantFrom(' ', '  ', '    ', '\t'),
      )
      .map(([indent, all, gap]) => ' '.repeat(indent) + all.join(gap));
    const text = fc
      .array(fc.array(line, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.map((lines) => lines.join('\n')).join('\n\n'));
    const letters = (some: string) => (some.match(/\p{L}+/gu) ?? []).filter((one) => one !== 'o').join(' ');
    fc.assert(
      fc.property(text, (given) => {
        const blocks = createSourceBlocks(1_000_000);
        readPlain(given, blocks);
        expect(letters(blocks.list.map(textOf).join('\n'))).toBe(letters(given));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a page with a list of terms', () => {
  it('has each explanation under its term', async () => {
    const page =
      '<!doctype html><dl><dt>Hopper<dd><p>The box above the stones.</p><p>It holds a sack.</p><dt>Sluice<dd>A gate.</dl><blockquote><p>Turn, mill, turn.</p></blockquote>';
    const { blocks } = await readText(page, 'a.html');
    expect(blocks).toEqual([
      { kind: 'item', text: 'Hopper' },
      { kind: 'item', text: 'The box above the stones.', under: 'Hopper' },
      { kind: 'item', text: 'It holds a sack.', under: 'Hopper' },
      { kind: 'item', text: 'Sluice' },
      { kind: 'item', text: 'A gate.', under: 'Sluice' },
      { kind: 'paragraph', text: 'Turn, mill, turn.', isQuoted: true },
    ]);
  });
});

describe('lines that were made to be hard', () => {
  it.each(['=', '-', '*', '= ', '~#', '_', '-a'])(
    '%j without an end',
    async (piece) => {
      const line = piece.repeat(200_000 / piece.length);
      for (const text of [`${line}x`, `${line}\n    The tide comes in.`, `A\n    ${line}x`])
        readPlain(`${text}\n\nThe tide comes in.`, createSourceBlocks(2_000_000));
    },
    60_000,
  );

  it('are steps of headings', () => {
    const steps = Array.from({ length: 1_900 }, (_, i) => `${' '.repeat(2 * i)}THE TIDE`).join('\n');
    const blocks = createSourceBlocks(20_000_000);
    readPlain(steps, blocks);
    expect(blocks.list.length).toBeGreaterThan(0);
  }, 60_000);

  it('are terms: a long one is an item of its own, and explains nothing', () => {
    const blocks = createSourceBlocks(2_000_000);
    readPlain(`--${'a'.repeat(300)}\n        What it means.\n\n        And more of it.\n`, blocks);
    expect(blocks.list.map((block) => 'under' in block)).toEqual([false, false, false]);
    expect(blocks.list.map(({ kind }) => kind)).toEqual(['item', 'item', 'item']);
  });

  it('are terms: each explanation counts with its term', () => {
    const glossary = `--${'a'.repeat(100)}\n${'        What.\n\n'.repeat(12)}`;
    expect(() => readPlain(glossary, createSourceBlocks(1_000))).toThrow(/longer than 1,000/);
    readPlain(glossary, createSourceBlocks(2_000));
  });

  it('are headings: a long one is text', () => {
    const blocks = createSourceBlocks(2_000_000);
    blocks.addHeading(1, 'a '.repeat(150));
    blocks.addHeading(1, 'a '.repeat(300));
    expect(blocks.list.map(({ kind }) => kind)).toEqual(['heading', 'paragraph']);
  });
});
