import { describe, expect, it } from 'vitest';
import { addPdfBlocks } from '../../../src/reading/pdf/pdf-blocks.ts';
import type { PdfLine } from '../../../src/reading/pdf/pdf-line.ts';
import { createSourceBlocks } from '../../../src/reading/source-blocks.ts';

/** A page of one column, a line every 14 points; of `|` are made the wide gaps of a row. `#` is bold. */
function blocksOf(...written: readonly string[]) {
  const lines = written.flatMap((text, n): PdfLine[] => {
    if (text === '') return [];
    const cells = text.replace(/^# /, '').split(' | ');
    return [
      {
        text: cells.join(' '),
        lastPiece: cells.length > 1 ? cells.at(-1) : undefined,
        ...{ left: 50, right: 400, y: 800 - n * 14, size: 11, startsWithMark: false, isCode: false },
        font: text.startsWith('# ') ? 'bold' : 'plain',
      },
    ];
  });
  const blocks = createSourceBlocks(100_000);
  addPdfBlocks([[lines]], blocks);
  return blocks.list.map((block) => [block.kind, 'text' in block ? block.text : '']);
}
const LINE =
  'The sea rises twice a day along most of the coasts, and sailors have kept tables of it for long.';
const TEXT = [LINE, LINE, LINE];

describe('the head of a table', () => {
  it('is no heading', () => {
    const blocks = blocksOf(
      ...TEXT,
      ...TEXT,
      '',
      '# Harbour | High water',
      'Dover | 6.8 m',
      'Brest | 7.1 m',
      '',
      ...TEXT,
    );
    expect(blocks.filter(([kind]) => kind === 'heading')).toEqual([]);
    expect(JSON.stringify(blocks)).toContain('Harbour High water');
  });

  it('is told from headings, also from those whose numbers stand apart', () => {
    const blocks = blocksOf(
      ...TEXT,
      ...TEXT,
      '',
      '# 2 | Methods',
      '',
      '# 2.1 | Tide gauges',
      ...TEXT,
      '',
      '# Results',
      '',
      ...TEXT,
    );
    expect(blocks.filter(([kind]) => kind === 'heading').map(([, text]) => text)).toEqual([
      '2 Methods',
      '2.1 Tide gauges',
      'Results',
    ]);
  });
});
