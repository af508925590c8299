// Plain text: paragraphs between blank lines, or one a line; lines that were broken to a width are joined again.

import { countLines } from './count-lines.ts';
import { joinLines } from './join-lines.ts';
import { tooWild } from './markup/trim-markup.ts';
import type { SourceBlocks } from './source-blocks.ts';

const ITEM = /^\s{0,8}(?:[-*•–·‣▪]|\(?\d{1,3}[.)])\s+(?=\S)/;
const UNDERLINE = /^\s*(?:={3,}|-{3,}|~{3,}|\*{3,})\s*$/;
const CHAPTER =
  /^(?:chapter|part|section|book|kapitel|teil|abschnitt|chapitre|partie|capítulo|capitolo|parte|hoofdstuk|rozdział|глава)\s+[\dIVXLC]{1,7}\b.{0,80}$/iu;
/** Lines are broken to a width when none is longer than this and most come near the longest. */
const WIDEST_BROKEN_CHARS = 110;

/** A book of 2,000,000 characters has 30,000, one of verses 80,000. */
const MAX_LINES = 100_000;

/** Throws `invalid_source` for more lines than that. */
export function readText(text: string, blocks: SourceBlocks): void {
  const plain = text.replace(/\r\n?|[\f\v\u2028\u2029]/g, '\n');
  if (countLines(plain, MAX_LINES) > MAX_LINES) throw tooWild('in more lines');
  for (const part of plain.split(/\n[ \t]*\n/)) {
    const lines = part.split('\n').filter((line) => line.trim() !== '');
    if (lines.length > 0) addPart(lines, blocks);
  }
}

function addPart(lines: readonly string[], blocks: SourceBlocks): void {
  let headings = 0;
  for (; headings + 1 < lines.length; headings += 2) {
    const [first = '', second = ''] = lines.slice(headings, headings + 2);
    if (first.length > 120 || !UNDERLINE.test(second)) break;
    blocks.addHeading(second.trim().startsWith('=') ? 1 : 2, first);
  }
  if (headings < lines.length) addLines(lines.slice(headings), blocks);
}

function addLines(lines: readonly string[], blocks: SourceBlocks): void {
  const [first = ''] = lines;
  if (lines.length === 1 && isHeading(first)) blocks.addHeading(1, first);
  else if (lines.some((line) => ITEM.test(line))) addList(lines, blocks);
  else if (isBroken(lines)) blocks.add('paragraph', joinLines(lines));
  else for (const line of lines) blocks.add('paragraph', line);
}

function addList(lines: readonly string[], blocks: SourceBlocks): void {
  let kind: 'paragraph' | 'item' = 'paragraph';
  let open: string[] = [];
  const flush = () => {
    if (open.length > 0) blocks.add(kind, joinLines(open));
    open = [];
  };
  for (const line of lines) {
    if (ITEM.test(line)) {
      flush();
      kind = 'item';
    }
    open.push(line.replace(ITEM, ''));
  }
  flush();
}

/** A chapter's line, or one in capitals. */
const isHeading = (line: string): boolean =>
  CHAPTER.test(line.trim()) ||
  (line.length <= 80 && /\p{Lu}{3}/u.test(line) && !/\p{Ll}|[.!?,;]\s*$/u.test(line));

function isBroken(lines: readonly string[]): boolean {
  const widest = lines.reduce((most, line) => Math.max(most, line.trimEnd().length), 0);
  const wide = lines.slice(0, -1).filter((line) => line.trimEnd().length > widest * 0.6).length;
  return widest <= WIDEST_BROKEN_CHARS && widest >= 30 && wide >= (lines.length - 1) * 0.7;
}
