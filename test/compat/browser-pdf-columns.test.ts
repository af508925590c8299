// PDFs that Chromium prints from CSS columns, and those of two other programs, against what poppler's pdftotext makes of
// them: at least as many whole sentences, and no two words beside each other that never were.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinedLines, PARAGRAPHS, SENTENCES, strangePairs, wholeIn } from '../reading/pdf/whole-sentences.ts';
import { allText, proseOf, readBytes, textOf } from '../reading/read-fixture.ts';
import { LAUNCH } from '../support/chromium.ts';
import { writePdf } from '../support/pdf-writer.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

type Page = {
  setContent(html: string): Promise<void>;
  pdf(options: object): Promise<Buffer>;
};
type Browser = { newPage(): Promise<Page>; close(): Promise<void> };
/** The little of Playwright that is used here; its own types want those of a whole browser. */
type Playwright = {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser>;
  };
};
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core') as Playwright;

const GAPS = [10, 11, 14, 18, 24];
const PRINTED = [1, 2, 3].flatMap((columns) =>
  GAPS.flatMap((gap, i) => ({ columns, gap, align: i % 2 === 0 ? 'justify' : 'left' })),
);
const WRITTEN = [2, 3].flatMap((columns) =>
  GAPS.map((gap, i) => ({ columns, gap, pieces: (['lines', 'words', 'rows'] as const)[i % 3]! })),
);
const MARGIN = { top: '1.5cm', bottom: '1.5cm', left: '1.5cm', right: '1.5cm' };
const HEADINGS = ['The first part of it', 'The second part of it'];

const folder = scratchFolder('pdf-columns');
let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await chromium.launch(LAUNCH);
  page = await browser.newPage();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function byPoppler(bytes: Uint8Array): string {
  const path = join(folder, 'a.pdf');
  writeFileSync(path, bytes);
  return joinedLines(execFileSync('pdftotext', ['-q', path, '-'], { encoding: 'utf8' }));
}

async function compare(bytes: Uint8Array, source: readonly string[]) {
  const theirs = wholeIn(byPoppler(bytes));
  const document = await readBytes(bytes, 'a.pdf');
  return {
    ours: wholeIn(allText(document)),
    theirs,
    strange: strangePairs(document.blocks.map(textOf), source),
  };
}

async function print(columns: number, gap: number, align: string): Promise<Uint8Array> {
  const paragraphs = PARAGRAPHS.map((text) => `<p>${text.replaceAll('&', '&amp;')}</p>`);
  const half = Math.ceil(paragraphs.length / 2);
  const body = [`<h2>${HEADINGS[0]}</h2>`, ...paragraphs.slice(0, half), `<h2>${HEADINGS[1]}</h2>`];
  await page.setContent(
    `<!doctype html><html lang="en"><style>body { columns: ${columns}; column-gap: ${gap}pt; text-align: ${align};
      font: 12pt/1.35 serif; } p { margin: 0 0 6pt }</style><body>${[...body, ...paragraphs.slice(half)].join('')}`,
  );
  return new Uint8Array(await page.pdf({ format: 'A4', margin: MARGIN }));
}

describe('columns', () => {
  it.each(PRINTED)('printed by Chromium: $columns, gaps of $gap points, $align', async (layout) => {
    const bytes = await print(layout.columns, layout.gap, layout.align);
    const { ours, theirs, strange } = await compare(bytes, [...PARAGRAPHS, ...HEADINGS]);
    expect(strange).toEqual([]);
    expect(ours).toBeGreaterThanOrEqual(theirs);
    expect(ours).toBeGreaterThanOrEqual(SENTENCES.length - 1);
  });

  it('with a heading across them, words that are divided, footers and code', async () => {
    const paragraphs = PARAGRAPHS.map((text) => `<p>${text.replaceAll('&', '&amp;')}</p>`);
    const code = '<pre>let tide = await moon();\nif (tide) ebb(tide);\nfor (;;) wait(6);</pre>';
    await page.setContent(
      `<!doctype html><html lang="en"><style>body { columns: 2; column-gap: 12pt; text-align: justify; hyphens: auto;
        font: 10pt/1.25 serif; } p { margin: 0; text-indent: 1em } h1 { column-span: all } pre { font-size: 8pt }</style>
        <body><h1>${HEADINGS[0]}</h1>${paragraphs.slice(0, 6).join('')}${code}<h1>${HEADINGS[1]}</h1>${paragraphs.slice(6).join('')}`,
    );
    const footer =
      '<div style="font-size: 8px; width: 100%; text-align: center">Papers, <span class="pageNumber"></span></div>';
    const printed = await page.pdf({
      format: 'A4',
      margin: MARGIN,
      displayHeaderFooter: true,
      headerTemplate: '<i></i>',
      footerTemplate: footer,
    });
    const document = await readBytes(new Uint8Array(printed), 'a.pdf');
    const text = allText(document);
    expect(strangePairs(document.blocks.map(textOf), [...PARAGRAPHS, ...HEADINGS])).toEqual([]);
    expect(wholeIn(text)).toBeGreaterThanOrEqual(SENTENCES.length - 1);
    expect(document.blocks.filter(({ kind }) => kind === 'heading').map(textOf)).toEqual(HEADINGS);
    expect(text).not.toMatch(/Papers|await|ebb/);
  });

  it.each(WRITTEN)('written by $pieces: $columns, gaps of $gap points', async (layout) => {
    const { ours, theirs, strange } = await compare(writePdf(PARAGRAPHS, layout), PARAGRAPHS);
    expect(strange).toEqual([]);
    expect(ours).toBeGreaterThanOrEqual(theirs);
  });

  it.each(['lighthouses.pdf', 'lighthouses-columns.pdf'])('set by groff: %s', async (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(`../../fixtures/documents/${name}`, import.meta.url)));
    const { paragraphs, headings } = proseOf('lighthouses.md');
    const { ours, theirs, strange } = await compare(bytes, [
      ...paragraphs,
      ...headings,
      'Lights at the Edge',
      'A short history of lighthouses',
    ]);
    expect(strange).toEqual([]);
    expect(ours).toBeGreaterThanOrEqual(theirs);
  });
});
