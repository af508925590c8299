// What the indentation of plain text shows, as pages of manuals, RFCs and READMEs are set: a heading over an indented body, and
// terms with their explanations beside or under them. Where nothing of the kind is there, all lines are one body.

/** Lines of a part of the text, without blank ones. */
type Lines = readonly string[];

export type LaidOut = {
  readonly heading: { readonly level: number; readonly text: string } | undefined;
  readonly bodies: readonly Body[];
};

/** `column`: where the lines of an explanation begin. */
export type Body = { readonly term: string | undefined; readonly column: number; readonly lines: Lines };

const MAX_HEADING_CHARS = 70;
/** With the marks on both sides of it; a longer line is looked at no further. */
const MAX_DECORATED_CHARS = 2 * MAX_HEADING_CHARS;
const MAX_HEADING_WORDS = 10;
const MAX_TERM_CHARS = 60;
/** The text beside a term begins at least so far behind the term's own beginning. */
const MIN_COLUMN = 3;
const TAB = 8;

/** Blanks instead of tabs, so that columns can be counted. */
export const withoutTabs = (line: string): string => {
  if (!line.includes('\t')) return line;
  let wide = '';
  for (const [index, piece] of line.split('\t').entries())
    wide += (index === 0 ? '' : ' '.repeat(TAB - (wide.length % TAB))) + piece;
  return wide;
};

export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** An option, a path, a variable: nothing that stands in a sentence, or a heading. Its first word tells. */
const isCodeTerm = (text: string): boolean =>
  /^(?:--?[\p{L}\p{N}?]|[/~$+!<[%\\@#&]|\.\w)/u.test(text) ||
  /[_=]/.test(/^[^\s\p{Ll}]*(?=\s|$)/u.exec(text)?.[0] ?? '');

const NUMBERED = /^(\d{1,2}(?:\.\d{1,2})+\.?|[IVX]{1,5}\.|\d{1,2}\.)\s+(?=\p{Lu})/u;
/** "*** Features ***": what stands between the marks, or the line itself. */
function undecorated(line: string): string {
  let marks = /^[*=~#+-]{2,}/u.exec(line)?.[0] ?? '';
  while (marks.length >= 2 && !line.endsWith(marks)) marks = marks.slice(0, -1);
  if (marks.length < 2) return line;
  return line.slice(marks.length, -marks.length).trim() || line;
}

const BRACKETED_END = /[.!?,;:…。．！？，、；：।؟۔]['"”’)」』）»]*$/u;

/** Words that may stand over a text: no sentence, no line of a table, nothing for a machine. */
export function headingText(line: string, letters: 'capital' | 'any-case' = 'capital'): string | undefined {
  const written = line.trim();
  if (written.length > MAX_DECORATED_CHARS) return undefined;
  const plain = undecorated(written);
  if (plain.length > MAX_HEADING_CHARS) return undefined;
  const bare = plain.replace(NUMBERED, '');
  if (bare.split(/\s+/u).length > MAX_HEADING_WORDS) return undefined;
  if (letters === 'capital' && !/^["“‘(]?[\p{Lu}\p{Lo}\p{N}]/u.test(bare)) return undefined;
  if (!/\p{L}{2}/u.test(bare)) return undefined;
  return BRACKETED_END.test(bare) || /\s{2}/u.test(bare) || isCodeTerm(bare) ? undefined : plain;
}

/** By its numbers ("2.1." is below "2."), by its capitals, by where it begins. */
export function headingLevel(line: string): number {
  const number = NUMBERED.exec(line.trim())?.[1];
  if (number !== undefined) return number.split('.').filter((part) => part !== '').length;
  return indentOf(line) === 0 && !/\p{Ll}/u.test(line) ? 1 : 2;
}

export const isNumbered = (line: string): boolean => NUMBERED.test(line.trim());

/** What an item of a list begins with is no term. */
const ITEM_MARK = /^(?:[-*•–·‣▪]|\(?(?:\p{N}{1,3}|\p{Ll})[.)]|o)$/u;

/** "1. Oil the wheel": its text goes on below in the same column. */
const LISTED = /^(?:[-*•–·‣▪]|\(?(?:\p{N}{1,3}|\p{Ll})[.)])\s/u;

type Tagged = { readonly term: string; readonly column: number; readonly text: string };

/** "-4      Forces the old form": a term, and what it means in a column of its own. */
function tagged(line: string): Tagged | undefined {
  const match = /^(\s*)(\S(?:\s?\S){0,40})(\s{2,})(\S.*)$/u.exec(line);
  if (match === null) return undefined;
  const [, indent = '', term = '', gap = '', text = ''] = match;
  const column = indent.length + term.length + gap.length;
  if (ITEM_MARK.test(term)) return undefined;
  return column - indent.length < MIN_COLUMN ? undefined : { term, column, text };
}

/** All terms of these lines, each with the column of its text; undefined: they are no list of terms. */
function termsBeside(lines: Lines): readonly Body[] | undefined {
  const [first = ''] = lines;
  const head = tagged(first);
  if (head === undefined) return undefined;
  const indent = indentOf(first);
  const bodies: { term: string; column: number; lines: string[] }[] = [];
  for (const line of lines) {
    if (indentOf(line) === indent) {
      const found = tagged(line);
      if (found?.column !== head.column) return undefined;
      bodies.push({ term: found.term, column: found.column, lines: [found.text] });
    } else if (indentOf(line) === head.column) bodies.at(-1)!.lines.push(line.trim());
    else return undefined;
  }
  // A single line with a gap in it may be anything; a column of several is no chance.
  return bodies.length === lines.length && bodies.length < 3 && !bodies.every(({ term }) => isCodeTerm(term))
    ? undefined
    : bodies;
}

/**
 * `lines` are those between two blank ones. Linear. `below`: they stand under a heading, where a second one would be none; so
 * steps of headings, however many, are looked through twice and not once for each.
 */
export function layoutOf(lines: Lines, below: 'heading' | 'nothing' = 'nothing'): LaidOut {
  const whole = { heading: undefined, bodies: [{ term: undefined, column: 0, lines }] };
  const beside = termsBeside(lines);
  if (beside !== undefined) return { heading: undefined, bodies: beside };
  const [first = ''] = lines;
  // Several forms of one option stand above each other.
  let terms = 1;
  while (
    terms < lines.length - 1 &&
    indentOf(lines[terms]!) === indentOf(first) &&
    isCodeTerm(lines[terms]!.trim())
  )
    terms += 1;
  const rest = lines.slice(isCodeTerm(first.trim()) ? terms : 1);
  const inner = rest.reduce((least, line) => Math.min(least, indentOf(line)), Number.POSITIVE_INFINITY);
  if (rest.length === 0 || inner < indentOf(first) + 2) return whole;
  const over = first.trim();
  const heading = isCodeTerm(over) || LISTED.test(over) ? undefined : headingText(first);
  const isDeep = indentOf(first) > 3 && /\p{Ll}/u.test(first);
  if (heading !== undefined && !isDeep) {
    const own = { level: headingLevel(first), text: heading };
    if (below === 'heading') return { heading: own, bodies: whole.bodies };
    const inside = layoutOf(rest, 'heading');
    return inside.heading === undefined ? { heading: own, bodies: inside.bodies } : whole;
  }
  const isTerm = isCodeTerm(over) || (heading !== undefined && over.length <= MAX_TERM_CHARS);
  return isTerm ? { heading: undefined, bodies: [{ term: over, column: inner, lines: rest }] } : whole;
}
