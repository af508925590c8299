// Real files of real programs, against the text that they were made from: every paragraph whole and in its order, and
// nothing else.
import { describe, expect, it } from 'vitest';
import { allText, LEFTOVERS, plainMarks, proseOf, readFixture, textOf } from './read-fixture.ts';

const MADE_FROM = [
  ['lighthouses.pdf', 'lighthouses.md', 'english'],
  ['lighthouses-columns.pdf', 'lighthouses.md', 'english'],
  ['brot.docx', 'brot.md', 'german'],
  ['abeilles.epub', 'abeilles.md', 'french'],
] as const;

describe.each(MADE_FROM)('%s', (file, source, language) => {
  it('has the paragraphs of its source, whole, in order, and no others', async () => {
    const { blocks } = await readFixture(file);
    const read = blocks.filter(({ kind }) => kind === 'paragraph').map((block) => plainMarks(textOf(block)));
    expect(read).toEqual(proseOf(source).paragraphs.map(plainMarks));
  });

  it('has its headings', async () => {
    const { blocks } = await readFixture(file);
    const read = blocks.filter(({ kind }) => kind === 'heading').map((block) => plainMarks(textOf(block)));
    expect(read.slice(-proseOf(source).headings.length)).toEqual(proseOf(source).headings.map(plainMarks));
  });

  it('has nothing of its pages, notes and addresses left, and its language', async () => {
    const document = await readFixture(file);
    expect(LEFTOVERS.exec(allText(document))).toBeNull();
    expect(document.language).toBe(language);
  });
});

describe('lighthouses.pdf', () => {
  it('is told by its bytes, whatever it is called', async () => {
    expect((await readFixture('lighthouses.pdf', 'notes.md')).title).toBe('Lights at the Edge');
  });
});

describe('brot.docx', () => {
  it('has its table as rows, its list as items, and no caption of a picture', async () => {
    const document = await readFixture('brot.docx');
    expect(document.title).toBe('Vom Korn zum Brot');
    expect(document.blocks.filter(({ kind }) => kind === 'row').map(textOf)).toEqual([
      'Getreide: Weizen; Type: 550; Wasser auf 1000 g Mehl: 650 g',
      'Getreide: Dinkel; Type: 630; Wasser auf 1000 g Mehl: 620 g',
      'Getreide: Roggen; Type: 1150; Wasser auf 1000 g Mehl: 780 g',
    ]);
    expect(document.blocks.filter(({ kind }) => kind === 'item')).toHaveLength(3);
    expect(allText(document)).not.toMatch(/Holzbrett|Maillard, der sie/);
  });
});

describe('abeilles.epub', () => {
  it('has its table as rows, and neither contents nor notes', async () => {
    const document = await readFixture('abeilles.epub');
    expect(plainMarks(document.title!)).toBe("La ruche au fil de l'année");
    expect(document.blocks.filter(({ kind }) => kind === 'row').map(textOf)).toContain(
      'Âge en jours: dès 22; Métier: butineuse',
    );
    expect(allText(document)).not.toMatch(/Lorenz|Table des matières|rayon de cire/);
  });
});

describe('saved pages', () => {
  it('are read without navigation, banner, sharing, captions, notes, comments and links', async () => {
    const document = await readFixture('tides.html');
    const text = allText(document);
    expect(document).toMatchObject({ title: 'Why the sea comes twice', language: 'english' });
    expect(document.blocks.filter(({ kind }) => kind === 'heading').map(textOf)).toEqual([
      'Why the sea comes twice',
      'Twelve hours and twenty-five minutes',
      'Where the theory ends',
    ]);
    expect(text).toContain('Place: Burntcoat Head; Country: Canada; Range in metres: 16.3');
    expect(text).toContain('The tables in print today are computed from the same rhythms');
    expect(text).not.toMatch(
      /cookie|Subscribe|Share|beaches|Photo|Whitby|First!|Privacy|Gulf of Mexico|Questions/i,
    );
    expect(LEFTOVERS.exec(text)).toBeNull();
  });

  it('are decoded as they declare, and keep the power of a unit', async () => {
    const document = await readFixture('watt.html');
    const text = allText(document);
    expect(document).toMatchObject({ title: 'Leben im Watt', language: 'german' });
    expect(text).toContain('Quadratmeter (1 m²) Zehntausende von Tieren.');
    expect(text).not.toMatch(/Cookies|Startseite|Newsletter|Lesezeit|interessieren|Impressum|Gezählt wurden/);
    expect(LEFTOVERS.exec(text)).toBeNull();
  });
});

describe('lighthouses.csv and bread-notes.md', () => {
  it('have their rows with the names of the columns', async () => {
    const { blocks } = await readFixture('lighthouses.csv');
    expect(blocks.map(textOf)).toEqual([
      'name: Tower of Hercules; country: Spain; first lit: 110; height m: 55; note: Roman; the oldest that is still in use',
      'name: Cordouan; country: France; first lit: 1611; height m: 67.5; note: first great lens of Fresnel, 1823',
      'name: Eddystone (fourth tower); country: England; first lit: 1882; height m: 49',
      'name: Bell Rock; country: Scotland; first lit: 1811; height m: 35; note: built on a reef that is "covered" at high water',
      'name: Cape Hatteras; country: United States; first lit: 1870; height m: 64; note: moved inland in 1999',
      'name: Ar Men; country: France; first lit: 1881; height m: 33.5',
    ]);
  });

  it('are read without notes, addresses, pictures and comments', async () => {
    const document = await readFixture('bread-notes.md');
    expect(document).toMatchObject({ title: 'Notes for a first loaf', language: 'english' });
    expect(document.blocks.map(({ kind }) => kind).join(' ')).toBe(
      'heading paragraph row row row row heading item item heading paragraph paragraph paragraph',
    );
    expect(allText(document)).not.toMatch(/Calvel|ripe when|loaf again|percentages>|lang:/);
    expect(LEFTOVERS.exec(allText(document))).toBeNull();
  });
});
