// What a damaged book says: which chapter it is.
import { describe, expect, it } from 'vitest';
import { epub } from '../hostile-files.ts';
import { readBytes } from '../read-fixture.ts';

const chapter = (name: string) => `<html><body><p>This is chapter ${name}, which is whole.</p></body></html>`;

/** With the bytes of the text `from` overwritten where they are packed. */
function damagedAt(number: number): Uint8Array {
  const chapters = ['one', 'two', 'three'].map(chapter);
  const book = epub(chapters);
  const at = book.indexOf(`book/c${number - 1}.xhtml`) + `book/c${number - 1}.xhtml`.length;
  book.fill(0xff, at, at + 12);
  return new Uint8Array(book);
}

describe('a damaged e-book', () => {
  it.each([1, 2, 3])('names chapter %i', async (number) => {
    await expect(readBytes(damagedAt(number))).rejects.toMatchObject({
      code: 'invalid_source',
      message: expect.stringMatching(
        new RegExp(`^Chapter ${number} of 3 of the e-book cannot be read: The file is damaged`),
      ),
    });
  });
});
