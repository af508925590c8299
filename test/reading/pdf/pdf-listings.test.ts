// Contents and code among the lines of a page; and what only looks like them.
import { describe, expect, it } from 'vitest';
import type { PdfLine, PdfRun } from '../../../src/reading/pdf/pdf-line.ts';
import { FixedPitchFonts, withoutListings } from '../../../src/reading/pdf/pdf-listings.ts';

const line = (text: string, more: Partial<PdfLine> = {}): PdfLine => ({
  text,
  left: 50,
  right: 300,
  y: 700,
  size: 10,
  font: 'f1',
  startsWithMark: false,
  isCode: false,
  lastPiece: undefined,
  ...more,
});
const left = (...lines: PdfLine[]) =>
  withoutListings([lines])
    .flat()
    .map(({ text }) => text);
const entry = (text: string, page: string) => line(`${text} ${page}`, { lastPiece: page });
const SAID = [line('The tide turns twice a day.'), line('Every harbour lives by it.')];

describe('contents', () => {
  it('are lines that end in leaders and a number, with their heading', () => {
    const lines = [line('Contents'), line('1 Tides . . . . . . . 3'), line('2 Moon ........ xii')];
    expect(left(...lines, ...SAID)).toEqual(SAID.map(({ text }) => text));
  });

  it('are three lines and more whose numbers stand apart and rise', () => {
    const lines = [line('Inhalt'), entry('Flut', '3'), entry('Mond', '9'), entry('Hafen', '20')];
    expect(left(...lines, ...SAID)).toEqual(SAID.map(({ text }) => text));
  });

  it('are no table whose numbers go up and down, no two lines, and no pause of a speaker', () => {
    const table = [entry('Spain', '55'), entry('France', '67'), entry('Scotland', '35')];
    expect(left(...table)).toHaveLength(3);
    expect(left(entry('Flut', '3'), entry('Mond', '9'))).toHaveLength(2);
    expect(left(line('He waited ... and in 1823'), ...SAID)).toHaveLength(3);
  });
});

describe('code', () => {
  const code = line('let tide = await moon();', { isCode: true });

  it('is left out', () => {
    expect(left(...SAID, code)).toEqual(SAID.map(({ text }) => text));
  });

  it('is none where most of the document is set so', () => {
    const typed = SAID.map((each) => ({ ...each, isCode: true }));
    expect(left(...typed, line('Hand'))).toHaveLength(3);
  });

  it('is known by letters that are equally wide in several pieces', () => {
    const run = (text: string, width: number, font: string): PdfRun => ({
      text,
      width,
      font,
      x: 0,
      y: 0,
      size: 10,
    });
    const fonts = new FixedPitchFonts();
    fonts.note(
      ['let tide', 'await moon()', 'if (ebb) go();'].map((text) => run(text, text.length * 6, 'mono')),
    );
    fonts.note(
      ['let tide', 'await moon()', 'if (ebb) go();'].map((text, i) =>
        run(text, text.length * (5 + i / 5), 'text'),
      ),
    );
    fonts.note(['same', 'same', 'same'].map((text) => run(text, 20, 'few')));
    expect(['mono', 'text', 'few', 'none'].map((font) => fonts.has(font))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
