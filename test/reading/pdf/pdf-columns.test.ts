// Columns of every width of gap, placed in every way in which programs place text: all sentences whole, none across.
import { describe, expect, it } from 'vitest';
import { writePdf } from '../../support/pdf-writer.ts';
import { allText, readBytes, readFixture, textOf } from '../read-fixture.ts';
import { PARAGRAPHS, SENTENCES, strangePairs, wholeIn } from './whole-sentences.ts';

const GAPS = [10, 12, 14, 18, 24];
const LAYOUTS = [1, 2, 3].flatMap((columns) =>
  GAPS.flatMap((gap) =>
    (['lines', 'words', 'rows'] as const).map((pieces, i) => ({
      columns,
      gap,
      pieces,
      isJustified: (gap + i) % 4 !== 0,
    })),
  ),
);

const pieceBy = async (bytes: Uint8Array) => {
  const document = await readBytes(bytes, 'a.pdf');
  return { text: allText(document), blocks: document.blocks.map(textOf), document };
};

describe('columns of a PDF', () => {
  it.each(LAYOUTS)('$columns, gaps of $gap points, by $pieces', async (layout) => {
    const { text, blocks } = await pieceBy(writePdf(PARAGRAPHS, layout));
    expect(strangePairs(blocks)).toEqual([]);
    expect(wholeIn(text)).toBe(SENTENCES.length);
  });

  it.each([2, 3])('%i that stand half a line apart', async (columns) => {
    const { text, blocks } = await pieceBy(writePdf(PARAGRAPHS, { columns, gap: 12, shift: 6.4 }));
    expect(strangePairs(blocks)).toEqual([]);
    expect(wholeIn(text)).toBe(SENTENCES.length);
  });

  it('below a title across them, above a footer that is not read', async () => {
    const layout = {
      columns: 2,
      gap: 12,
      title: 'A short history of lighthouses on every coast',
      footer: 'Papers',
    };
    const { text, blocks, document } = await pieceBy(writePdf(PARAGRAPHS, layout));
    expect(document.blocks[0]).toMatchObject({ kind: 'heading', text: layout.title });
    expect(text).not.toContain('Papers');
    expect(strangePairs(blocks.slice(1))).toEqual([]);
    expect(wholeIn(text)).toBe(SENTENCES.length);
  });

  it('are known on a last page of two lines by those of the pages before', async () => {
    const { blocks } = await pieceBy(writePdf(PARAGRAPHS.slice(0, 9), { columns: 2, gap: 12 }));
    expect(strangePairs(blocks)).toEqual([]);
  });

  it('without anything to say are refused by name', async () => {
    await expect(readBytes(writePdf(['7'], { columns: 1, gap: 0, footer: 'Page' }))).rejects.toMatchObject({
      code: 'invalid_source',
      message: expect.stringMatching(/^The PDF holds no running text, only page numbers/),
    });
  });

  it('of another program are whole, too', async () => {
    const document = await readFixture('lighthouses-columns.pdf');
    expect(wholeIn(allText(document))).toBe(SENTENCES.length);
  });
});
