// What stands at the start of a line of Markdown and is not spoken: headings, quotes, bullets, rules, fences, definitions of
// links and notes, rows of tables (CommonMark 0.31 sections 4 and 5, GFM 4.10). Pure judgements with bounded look-ahead.

import type { Ending } from './sentences/skip.ts';

/**
 * `marker`: drop `length` units, the line has still not begun. `fence`: a code block opens, drop its line.
 * `row`: a table row, its pipes are marks. `ruler`: the whole line is a mark; `delimiter`: of a table, whose rows follow.
 * `definition`: the whole line is not read; `note`: nor are the indented lines behind it.
 */
export type LineMark =
  | {
      readonly kind: 'marker' | 'bullet' | 'ruler' | 'delimiter' | 'row' | 'definition' | 'note';
      readonly length: number;
    }
  | { readonly kind: 'fence'; readonly length: number; readonly fence: string };

/** No mark is looked for further than this many UTF-16 units: nothing is held for ever. */
export const FURTHEST_LOOK = 200;

const RULER = /^([-*_=])(?:[ \t]*\1){2,}[ \t]*$/;
const MAYBE_RULER = /^([-*_=])(?:[ \t]*\1)*[ \t]*$/;
const TABLE_RULER = /^\|[-:| \t]*-[-:| \t]*$/;
const MAYBE_TABLE_RULER = /^\|[-:| \t]*$/;
/** The same without a pipe at its start: at least two columns, or it is a rule. */
const DELIMITER_ROW = /^:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$/;
const MAYBE_DELIMITER_ROW = /^[-:][-:| \t]*$/;
/** A note's text (`[^1]: …`), as GitHub and Pandoc have it. */
const NOTE = /^\[\^[^[\]\s]{1,80}\]:/;
const MAYBE_NOTE = /^\[(?:\^[^[\]\s]{0,80}\]?)?$/;
const DEFINITION = /^\[(?!\^)[^[\]]{1,160}\]:[ \t]*/;
const MAYBE_DEFINITION = /^\[[^[\]]{0,160}(?:\](?::[ \t]*)?)?$/;
/** An address, and not a word: "[Ann]: Hello" is a dialogue. */
const TARGET =
  /^(?:<[^<>\s]*>|(?:[a-z][a-z0-9+.-]{0,31}:\/\/|mailto:|tel:|www\.|\.{0,2}\/|#)\S*|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}(?:[/?#]\S*)?)(?=\s|$)/i;
const TITLE = /^[ \t]*(?:"[^"]*"|'[^']*'|\([^()]*\))?[ \t]*$/;
const FENCE = /^(`{3,}|~{3,})[^`]{0,60}$/;
const MAYBE_FENCE = /^(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[^`]{0,60})$/;
const BULLET = /^(?:[-*][ \t]|[•‣◦▪●][ \t]?)/;
const TASK = /^\[[ xX]\][ \t]/;
const HEADING = /^#{1,6}(?=[ \t\r\n]|$)[ \t]?/;
const QUOTE = /^>(?![=\d])[ \t]?/;

/** Judges the first character of a line that is not white space; undefined: it is text. */
export function judgeLineStart(
  text: string,
  at: number,
  ending: Ending,
  after: 'none' | 'bullet' | 'other',
): LineMark | 'wait' | undefined {
  const first = text[at]!;
  if (!'-:*_=|`~#>[•‣◦▪●'.includes(first)) return undefined;
  const window = text.slice(at, at + FURTHEST_LOOK);
  const breakAt = window.search(/[\r\n]/);
  const line = breakAt < 0 ? window : window.slice(0, breakAt);
  const whole = breakAt >= 0 || ending === 'closed' || window.length === FURTHEST_LOOK;

  if (MAYBE_RULER.test(line)) {
    if (!whole) return 'wait';
    if (RULER.test(line)) return { kind: 'ruler', length: line.length };
  }
  if (MAYBE_DELIMITER_ROW.test(line)) {
    if (!whole) return 'wait';
    if (DELIMITER_ROW.test(line)) return { kind: 'delimiter', length: line.length };
  }
  if (first === '[') {
    const definition = judgeDefinition(line, whole);
    if (definition !== undefined) return definition;
  }
  if (first === '|') {
    if (!MAYBE_TABLE_RULER.test(line)) return { kind: 'row', length: 1 };
    if (!whole) return 'wait';
    return TABLE_RULER.test(line) ? { kind: 'delimiter', length: line.length } : { kind: 'row', length: 1 };
  }
  if ((first === '`' || first === '~') && MAYBE_FENCE.test(line)) {
    if (!whole) return 'wait';
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) return { kind: 'fence', length: line.length, fence };
  }
  if (line.length < 8 && !whole && mayGrow(line, after)) return 'wait';
  const bullet = BULLET.exec(line)?.[0];
  if (bullet !== undefined) return { kind: 'bullet', length: bullet.length };
  const marker = (HEADING.exec(line) ??
    QUOTE.exec(line) ??
    (after === 'bullet' ? TASK.exec(line) : null))?.[0];
  return marker === undefined ? undefined : { kind: 'marker', length: marker.length };
}

function judgeDefinition(line: string, whole: boolean): LineMark | 'wait' | undefined {
  if (NOTE.test(line)) return { kind: 'note', length: line.length };
  const head = DEFINITION.exec(line)?.[0];
  if (head === undefined) {
    const grows = MAYBE_NOTE.test(line) || MAYBE_DEFINITION.test(line);
    return !whole && grows ? 'wait' : undefined;
  }
  const target = line.slice(head.length);
  const end = target.search(/\s/);
  if (!whole && (end < 0 || /^\s*(?:$|["'(])/.test(target.slice(end)))) return 'wait';
  const address = TARGET.exec(target)?.[0];
  // A line that is longer than one looks is no definition unless its address or title goes on.
  const isOne =
    address !== undefined &&
    (TITLE.test(target.slice(address.length)) ||
      (line.length === FURTHEST_LOOK && /^[ \t]*["'(]/.test(target.slice(address.length))));
  return isOne ? { kind: 'definition', length: line.length } : undefined;
}

/**
 * Whether the line at `at`, of which the rest is looked at from a pipe on, is the first row of a table without outer pipes:
 * what follows it is a delimiter row.
 */
export function judgeTableHead(text: string, at: number, ending: Ending): boolean | 'wait' {
  const rest = text.slice(at, at + FURTHEST_LOOK);
  const lineEnd = rest.indexOf('\n');
  if (lineEnd < 0) return rest.length < FURTHEST_LOOK && ending === 'open' ? 'wait' : false;
  const from = at + lineEnd + 1;
  const window = text.slice(from, from + FURTHEST_LOOK);
  const breakAt = window.search(/[\r\n]/);
  const line = (breakAt < 0 ? window : window.slice(0, breakAt)).trimStart();
  if (line !== '' && !MAYBE_DELIMITER_ROW.test(line) && !MAYBE_TABLE_RULER.test(line)) return false;
  if (breakAt < 0 && window.length < FURTHEST_LOOK && ending === 'open') return 'wait';
  return DELIMITER_ROW.test(line) || TABLE_RULER.test(line);
}

/** True while the mark at the head of `line` is not told from text by what has come. */
const mayGrow = (line: string, after: 'none' | 'bullet' | 'other') =>
  /^(?:#{1,6}|>|[-*•‣◦▪●])$/.test(line) || (after === 'bullet' && /^\[(?:[ xX]\]?)?$/.test(line));

/** True when the line at `at`, in a code block, closes it: the fence or a longer one, and nothing else. */
export function judgeFenceEnd(
  text: string,
  at: number,
  ending: Ending,
  fence: string,
): number | 'wait' | undefined {
  const window = text.slice(at, at + FURTHEST_LOOK);
  const mark = fence[0]!;
  let length = 0;
  while (window[length] === mark) length += 1;
  const run = length;
  while (window[length] === ' ' || window[length] === '\t') length += 1;
  if (length === window.length && length < FURTHEST_LOOK && ending === 'open') return 'wait';
  const over = length === window.length || window[length] === '\n' || window[length] === '\r';
  return over && run >= fence.length ? length : undefined;
}
