// Files just within the bounds of reading: what is taken at a bound must cost as little as what is refused behind it.
// Those of single letters say nothing and are refused for that; those of words are read.

import { Buffer } from 'node:buffer';

const text = (value: string) => Buffer.from(value);
const many = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');
const page = (body: string) => text(`<!doctype html><html><body>${body}`);
const row = (columns: number, cell = 'a') => `${`|${cell}`.repeat(columns)}|\n`;

/** By name: what is uploaded. The bounds stand in the readers; a bound that is lowered makes its file one that is refused. */
export const NEAR_BOUND: Readonly<Record<string, () => Uint8Array>> = {
  'Markdown of 11,900 items of a letter': () => text('- a\n'.repeat(11_900)),
  'Markdown of 3,500 items of three words': () => text(many(3_500, (i) => `- tide${i} light wave\n`)),
  'Markdown of 11,900 headings': () => text(many(11_900, (i) => `# h${i}\n`)),
  'Markdown of 5,900 quotes between paragraphs': () => text('> a\n\nb\n\n'.repeat(3_900)),
  'Markdown of 39,000 lines in one paragraph': () => text('a\n'.repeat(39_000)),
  'Markdown of 9,900 breaks': () => text(many(9_900, (i) => `w${i} ab  \n`)),
  'Markdown of 4,900 links': () => text(many(4_900, (i) => `[w${i} ab](b) `)),
  'Markdown of 4,900 stressed words': () =>
    text(many(4_900, (i) => `*w${i}* ab ${i % 100 === 99 ? '\n\n' : ''}`)),
  'Markdown of stars that look for each other': () =>
    text(`${'*_a '.repeat(1_100)}\n\n${'[a](b) '.repeat(3_900)}`),
  'Markdown of 9,900 escapes': () => text('\\! a '.repeat(9_900)),
  'Markdown of 11,900 addresses': () => text('www.a.b '.repeat(11_900)),
  'Markdown of 9,900 definitions': () => text(many(9_900, (i) => `[a${i}]: b\n`)),
  'Markdown of 11,900 cells': () => text(row(100) + row(100, '-') + row(100).repeat(115)),
  'Markdown of 7,900 signs that stand for others': () => text('&amp; '.repeat(7_900)),
  'Markdown of 9,900 marks of notes': () => text('a[^b] '.repeat(9_900)),
  'HTML of 39,900 paragraphs of a letter': () => page('<p>a'.repeat(39_900)),
  'HTML of 2,200 paragraphs of a word': () => page(many(2_200, (i) => `<p>tide${i}`)),
  'HTML of 39,900 spans': () => page('<b>a</b> '.repeat(39_900)),
  'HTML of 5,900 elements to judge': () => page(many(2_900, (i) => `<div><p>w${i} ab cd ef</p></div>`)),
  'HTML of elements in elements': () => page(`${'<div>'.repeat(390)}a${'</div>'.repeat(390)}`.repeat(100)),
  'HTML of 1.8 million attributes': () => page(`<p ${'a=b '.repeat(900)}>text`.repeat(2_000)),
  'HTML of 7,900 signs that stand for others': () => page('&amp; '.repeat(7_900)),
  'HTML of 99,000 quotation marks': () => page('&quot;a&quot; '.repeat(49_500)),
  'a text of 99,000 lines': () => text('a\n'.repeat(99_000)),
  'a text of 2,200 paragraphs of a word': () => text(many(2_200, (i) => `tide${i}\n\n`)),
  'a text of two million letters': () => text('a'.repeat(1_990_000)),
  'a table of 2,200 rows': () => text(many(2_200, (i) => `a${i},b\n`)),
  'a table of 39,900 cells': () => text(`${'a,'.repeat(399)}\n`.repeat(99)),
  'a table of 39,900 empty rows': () => text(',\n'.repeat(39_900)),
};

/** What is read of them has words enough for a script to be tried. */
export const NEAR_BOUND_READ: ReadonlySet<string> = new Set([
  'Markdown of 3,500 items of three words',
  'a table of 2,200 rows',
]);
