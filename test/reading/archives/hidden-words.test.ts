// Hidden text of Word: by a property of its letters, by a style, inside other text; and not what only looks like it.
import { describe, expect, it } from 'vitest';
import { withoutHiddenWords } from '../../../src/reading/archives/hidden-words.ts';
import { docx, wordXml } from '../hostile-files.ts';
import { allText, readBytes } from '../read-fixture.ts';

const run = (text: string, properties = '') =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
const said = async (body: string, styles?: string) =>
  allText(
    await readBytes(
      new Uint8Array(
        docx(
          wordXml(body),
          styles === undefined ? [] : [{ name: 'word/styles.xml', content: Buffer.from(styles) }],
        ),
      ),
    ),
  );

const STYLES =
  '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
  '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Unseen"><w:rPr><w:vanish/></w:rPr></w:style>' +
  '<w:style w:type="character" w:styleId="Plain"><w:rPr><w:b/></w:rPr></w:style></w:styles>';

describe('hidden words', () => {
  it('are not read', async () => {
    const body = paragraph(run('Hidden words.', '<w:vanish/>'), run('Shown words.'), run(' More.', '<w:b/>'));
    expect(await said(body)).toBe('Shown words. More.');
  });

  it('are read when the property is off', async () => {
    const off = ['0', 'false', 'off'].map((value) => run(`Shown ${value}. `, `<w:vanish w:val="${value}"/>`));
    expect(await said(paragraph(...off, run('Gone.', '<w:vanish w:val="true"/>')))).toBe(
      'Shown 0. Shown false. Shown off.',
    );
  });

  it('are not read when a style hides them', async () => {
    const body =
      paragraph(run('Secret. ', '<w:rStyle w:val="Secret"/>'), run('Plain.', '<w:rStyle w:val="Plain"/>')) +
      `<w:p><w:pPr><w:pStyle w:val="Unseen"/></w:pPr>${run('Unseen.')}${run('But this.', '<w:vanish w:val="0"/>')}</w:p>`;
    expect(await said(body, STYLES)).toBe('Plain.\nBut this.');
  });

  it('are those of the letters, not of a paragraph’s mark, and inner runs go with outer ones', () => {
    const mark = `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Shown.')}</w:p>`;
    expect(withoutHiddenWords(mark, '')).toBe(mark);
    const box = `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:txbxContent>${paragraph(run('Inside.'))}</w:txbxContent></w:r>${run('After.')}</w:p>`;
    expect(withoutHiddenWords(box, '')).toBe(`<w:p>${run('After.')}</w:p>`);
    const inner = `<w:p><w:r><w:txbxContent>${paragraph(run('Gone.', '<w:vanish/>'), run('Kept.'))}</w:txbxContent></w:r></w:p>`;
    expect(withoutHiddenWords(inner, '')).toBe(inner.replace(run('Gone.', '<w:vanish/>'), ''));
  });
});
