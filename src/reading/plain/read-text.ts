// Plain text: paragraphs between blank lines, or one a line; lines that were broken to a width are joined again.

import { countLines } from '../count-lines.ts';
import type { DocumentFacts } from '../document-facts.ts';
import { joinLines } from '../join-lines.ts';
import { tooWild } from '../markup/trim-markup.ts';
import type { SourceBlocks } from '../source-blocks.ts';
import {
  type Body,
  headingLevel,
  headingText,
  indentOf,
  isNumbered,
  layoutOf,
  withoutTabs,
} from './text-layout.ts';
import { withoutPages } from './text-pages.ts';

const ITEM = /^\s{0,8}(?:[-*•–·‣▪]|o(?=\s\s)|\(?\d{1,3}[.)])\s+(?=\S)/;
const UNDERLINE = /^\s*(?:={3,}|-{3,}|~{3,}|\*{3,})\s*$/;
const CHAPTER =
  /^(?:chapter|part|section|book|kapitel|teil|abschnitt|chapitre|partie|capítulo|capitolo|parte|hoofdstuk|rozdział|глава)\s+[\dIVXLC]{1,7}\b.{0,80}$/iu;
/** Lines are broken to a width when none is longer than this and most come near the longest. */
const WIDEST_BROKEN_CHARS = 110;
const MIN_TEXT_BELOW = 60;
/** Titles in the middle of a line are of a poem as often as of a text. */
const MAX_HEADING_INDENT = 3;

/** A book of 2,000,000 characters has 30,000, one of verses 80,000. */
const MAX_LINES = 100_000;

/** "MILL(1)      A manual      MILL(1)": how the pages of a manual begin. */
const MANUAL_HEAD = /^(\S{1,60}\(\d\w{0,8}\))\s{2,}\S.*\s\1$/;
const MANUAL_NAME = /^\S.{0,80}?\s[-–—]{1,2}\s+(?=\S)/u;

/** Throws `invalid_source` for more lines than that. */
export function readText(text: string, blocks: SourceBlocks): DocumentFacts {
  const plain = text.replace(/\r\n?|[\f\v\u2028\u2029]/g, '\n');
  if (countLines(plain, MAX_LINES) > MAX_LINES) throw tooWild('in more lines');
  const all = plain
    .split(/\n[ \t]*\n/)
    .map((part) =>
      part
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(withoutTabs),
    )
    .filter((lines) => lines.length > 0);
  const isManual = all.length > 1 && all[0]!.length === 1 && MANUAL_HEAD.test(all[0]![0]!.trim());
  const parts = withoutPages(isManual ? all.slice(1) : all);
  let open: Body | undefined;
  for (const [index, lines] of parts.entries())
    open = addPart(lines, blocks, { before: parts[index - 1], behind: parts[index + 1], open });
  return { title: isManual ? manualTitle(parts[0]!) : ownTitle(parts), language: undefined };
}

/** "NAME: mill - grinds flour" */
function manualTitle([heading = '', ...lines]: readonly string[]): string | undefined {
  const name = lines.map((line) => line.trim()).join(' ');
  return /\p{Ll}/u.test(heading) || !MANUAL_NAME.test(name) ? undefined : name;
}

/** A line of its own at the beginning. */
const ownTitle = ([first = [], second]: readonly (readonly string[])[]): string | undefined =>
  first.length === 1 && second !== undefined && !ITEM.test(first[0]!)
    ? headingText(first[0]!, 'any-case')
    : undefined;

type Part = readonly string[] | undefined;

type Around = {
  readonly before: Part;
  readonly behind: Part;
  /** The explanation that came last: what begins in its column goes on with it. */
  readonly open: Body | undefined;
};

/** Answers the explanation that may go on. */
function addPart(lines: readonly string[], blocks: SourceBlocks, around: Around): Body | undefined {
  let headings = 0;
  for (; headings + 1 < lines.length; headings += 2) {
    const [first = '', second = ''] = lines.slice(headings, headings + 2);
    if (first.length > 120 || !UNDERLINE.test(second)) break;
    blocks.addHeading(second.trim().startsWith('=') ? 1 : 2, first);
  }
  const rest = lines.slice(headings);
  const [first = ''] = rest;
  if (rest.length === 0) return undefined;
  const isAlone = rest.length === 1;
  if (isAlone && isHeading(first)) blocks.addHeading(1, first);
  else if (isAlone && headings === 0 && standsOver(first, around))
    blocks.addHeading(headingLevel(first), headingText(first)!);
  else return addBodies(rest, blocks, headings === 0 ? around.open : undefined);
  return undefined;
}

function addBodies(lines: readonly string[], blocks: SourceBlocks, open: Body | undefined): Body | undefined {
  const { heading, bodies } = layoutOf(lines);
  if (heading !== undefined) blocks.addHeading(heading.level, heading.text);
  const goesOn =
    open !== undefined && heading === undefined && lines.every((line) => indentOf(line) >= open.column);
  for (const { term, lines: body } of bodies)
    if (term !== undefined) {
      blocks.add('item', term);
      blocks.add('item', joinLines(body), { under: term });
    } else if (goesOn) blocks.add('item', joinLines(body), { under: open.term });
    else addLines(body, blocks);
  const last = bodies.at(-1);
  return last?.term === undefined ? (goesOn ? open : undefined) : last;
}

/** A line of its own that is no sentence, over a text. */
function standsOver(line: string, { before, behind }: Around): boolean {
  const isOwn = (part: Part) => part?.length === 1 && headingText(part[0]!) !== undefined;
  if (headingText(line) === undefined || behind === undefined) return false;
  const isText = behind.join(' ').length > MIN_TEXT_BELOW || indentOf(behind[0]!) > indentOf(line);
  if (isNumbered(line)) return isText || isOwn(behind);
  return (
    indentOf(line) <= MAX_HEADING_INDENT && isText && !ITEM.test(line) && !isOwn(behind) && !isOwn(before)
  );
}

function addLines(lines: readonly string[], blocks: SourceBlocks): void {
  if (lines.some((line) => ITEM.test(line))) addList(lines, blocks);
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
  (line.length <= 80 && /\p{Lu}{3}/u.test(line) && !/\p{Ll}|[_=<>|{}]|[.!?,;]\s*$/u.test(line));

function isBroken(lines: readonly string[]): boolean {
  const widest = lines.reduce((most, line) => Math.max(most, line.trimEnd().length), 0);
  const wide = lines.slice(0, -1).filter((line) => line.trimEnd().length > widest * 0.6).length;
  return widest <= WIDEST_BROKEN_CHARS && widest >= 30 && wide >= (lines.length - 1) * 0.7;
}
