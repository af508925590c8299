// PDFs that are refused, each with what is wrong with it.
import { describe, expect, it } from 'vitest';
import { writePdf } from '../../support/pdf-writer.ts';
import { readBytes, textOf } from '../read-fixture.ts';

const PLAIN = 'The tide turns twice a day and every harbour of the coast lives by it.';
const read = (privateLetters: string) =>
  readBytes(writePdf([PLAIN, PLAIN], { columns: 1, gap: 0, privateLetters }), 'a.pdf');

describe('a PDF whose fonts do not say which letters they draw', () => {
  it('is refused with a way out', async () => {
    await expect(read('abcdefghijklmnopqrstuvwxyz')).rejects.toMatchObject({
      code: 'invalid_source',
      message:
        'The fonts of the PDF do not say which letters they draw; let a program recognise the text (OCR) first.',
    });
  });

  it('is read where only a few letters are unknown', async () => {
    const { blocks } = await read('bv');
    expect(blocks.map(textOf).join(' ')).toContain('The tide turns twice a day and e');
  });
});
