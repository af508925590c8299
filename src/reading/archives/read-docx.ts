// A Word document: its parts of text are taken out of the archive under count, and mammoth, which would inflate
// everything that it is given, gets a small archive of only those.

import type { DocumentFacts } from '../document-facts.ts';
import { invalidSource } from '../invalid-source.ts';
import { addMarkup } from '../markup/markup-blocks.ts';
import { parseHTML } from '../markup/markup-library.ts';
import { tooWild, trimMarkup } from '../markup/trim-markup.ts';
import { MAX_MARKUP_BYTES } from '../reading-limits.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import { withoutHiddenWords } from './hidden-words.ts';
import { xmlPart } from './xml-part.ts';
import type { ZipArchive } from './zip-archive.ts';

const DOCUMENT = 'word/document.xml';

/** Pictures, themes, embedded tables and charts are not among them. */
const PARTS =
  /^(?:\[Content_Types\]\.xml|_rels\/\.rels|docProps\/core\.xml|word\/(?:_rels\/)?(?:document|styles|numbering|footnotes|endnotes|comments)\w*\.xml(?:\.rels)?)$/;

/** Word divides a paragraph at each change of a property; 200,000 words in 30,000 pieces take mammoth 250 MB. */
const MAX_WORD_MARKS = 240_000;
/** `<` in every encoding of XML that is read: in UTF-16 one of its two bytes. */
const MARK = 0x3c;

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Image Caption'] => !",
  "p[style-name='Captioned Figure'] => !",
  "p[style-name^='toc '] => !",
  "p[style-name^='TOC'] => !",
  "p[style-name='footnote text'] => !",
];

export const isDocx = ({ names }: ZipArchive): boolean => names.includes(DOCUMENT);

/** Throws `invalid_source` for a document that is damaged or beyond the bounds. */
export async function readDocx(archive: ZipArchive, blocks: SourceBlocks): Promise<DocumentFacts> {
  let room = MAX_MARKUP_BYTES;
  let marks = 0;
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names.filter((part) => PARTS.test(part))) {
    const bytes = archive.read(name, room)!;
    room -= bytes.length;
    marks = countMarks(bytes, marks);
    xmlPart(bytes, 'refused');
    parts[name] = bytes;
  }
  const textOf = (name: string) => (parts[name] === undefined ? '' : xmlPart(parts[name], 'refused'));
  // For its refusals alone: mammoth parses the parts by itself.
  trimMarkup(textOf(DOCUMENT), 'xml', {
    marks: MAX_WORD_MARKS,
    elements: MAX_WORD_MARKS,
    references: MAX_WORD_MARKS,
    keptReferences: MAX_WORD_MARKS,
  });
  hideHidden(parts, textOf);
  const html = await toHtml(parts);
  const { document } = parseHTML(`<!doctype html><html><body>${trimMarkup(html, 'html')}</body></html>`);
  addMarkup(document.body, blocks);
  const core = textOf('docProps/core.xml');
  const title = /<dc:title>([^<]{1,300})<\/dc:title>/.exec(core)?.[1];
  return {
    title: title === undefined ? undefined : parseHTML(`<p>${title}</p>`).document.textContent,
    language:
      /<dc:language>([\w-]{1,40})<\/dc:language>/.exec(core)?.[1] ??
      mostFrequent(textOf(DOCUMENT)) ??
      mostFrequent(textOf('word/styles.xml')),
  };
}

/** Takes hidden text out of the parts that the library is given. */
function hideHidden(parts: Record<string, Uint8Array>, textOf: (name: string) => string): void {
  const document = textOf(DOCUMENT);
  const shown = withoutHiddenWords(document, textOf('word/styles.xml'));
  if (shown === document) return;
  const declaration = /^(\s*<\?xml[^>]{0,100}?encoding\s*=\s*["'])[\w.:-]{1,40}/i;
  parts[DOCUMENT] = Buffer.from(shown.replace(declaration, '$1UTF-8'));
}

/** Counted in bytes, before there is a text of them; throws `invalid_source` at the first mark too many. */
function countMarks(bytes: Uint8Array, before: number): number {
  let marks = before;
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1))
    if (++marks > MAX_WORD_MARKS) throw tooWild('more finely marked up');
  return marks;
}

async function toHtml(parts: Readonly<Record<string, Uint8Array>>): Promise<string> {
  // Loaded only for what has passed: the two take more memory than most refused files.
  const [{ zipSync }, { default: mammoth }] = await Promise.all([import('fflate'), import('mammoth')]);
  const small = zipSync(parts, { level: 0 });
  // Pictures were left out of the small archive, so they must not be looked for.
  const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  try {
    const buffer = Buffer.from(small.buffer, small.byteOffset, small.byteLength);
    return (await mammoth.convertToHtml({ buffer }, { styleMap: STYLES, convertImage })).value;
  } catch (cause) {
    throw Object.assign(
      invalidSource('The document is damaged; open it in your word processor and save it again.'),
      { cause },
    );
  }
}

/** The language that most of the text is marked as. */
function mostFrequent(xml: string): string | undefined {
  const counts = new Map<string, number>();
  for (const [, tag] of xml.matchAll(/<w:lang\b[^>]{0,200}?w:val="([\w-]{2,40})"/g))
    counts.set(tag!, (counts.get(tag!) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
