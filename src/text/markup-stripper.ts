// Takes markup out of text that arrives in any split and hands on the rest verbatim, with its place in the
// caller's text. Only markup goes: words, numbers, addresses and entities stay as they are, and the engine
// reads them. What is held back is bounded, and the outcome is the same for every split.

import { isSpace, isWordCharacter } from './character-class.ts';
import { characterAt, characterBefore, codePointLength } from './code-points.ts';
import {
  createRoundPairs,
  createSquarePairs,
  judgeEmphasis,
  judgeLink,
  judgeNoteMark,
  judgeTag,
  MAX_TARGET,
  markRun,
} from './inline-markup.ts';
import { FURTHEST_LOOK, judgeFenceEnd, judgeLineStart, judgeTableHead } from './markdown-line.ts';
import type { Ending } from './sentences/skip.ts';

export type TextSink = {
  /** Verbatim text that stands at code point `start`. */
  text(text: string, start: number): void;
  /** A mark that parted two pieces of text (a table cell, `<br>`) stood here. */
  lineBreak(): void;
};

export type MarkupStripper = {
  /** `text` adjoins what was pushed before and parts no surrogate pair. */
  push(text: string, start: number): void;
  /** What is held back is judged as it is. */
  flush(): void;
  /** An exclamation mark or a pipe that only waits to see whether an image or a table follows is handed on. */
  idle(): void;
  /** What comes next is a line of its own, though no line break stands before it; call after `flush`. */
  breakLine(): void;
  /** UTF-16 units held back. */
  heldCharacters(): number;
  /** Characters looked at for brackets so far; what tests count. */
  visitedForBrackets(): number;
};

/** A range to be dropped when reading comes to it, in UTF-16 units from the start of the text. */
type Skip = { readonly at: number; readonly end: number };

const SPECIAL = /[\n*_~`<[\\|!]/g;
const ESCAPED = '\\`*_~[]<>#|';
/** Enough of a token to know an address by. */
const TOKEN_HEAD = 64;
const MAX_OPEN = 16;

/** `opened`: emphasis or inline code that the text begins within, as its opening marks. */
export function createMarkupStripper(sink: TextSink, opened = ''): MarkupStripper {
  let held = '';
  /** The place of held[0]: code point in the caller's text, and UTF-16 unit since the first push. */
  let position = 0;
  let consumed = 0;
  /** Units of `held` already handed on or dropped. */
  let at = 0;

  /** `start`: only white space and marks so far. */
  let line: 'start' | 'text' | 'row' = 'start';
  let lastMark: 'none' | 'bullet' | 'other' = 'none';
  let blank = true;
  /** Rows follow each other until a blank line. */
  let table: 'none' | 'rows' = 'none';
  /** Whether a pipe of this line may still be the first of a table. */
  let pipe: 'may-head' | 'text' = 'may-head';
  /** `line`: the rest of this line is not read. */
  let unread: 'none' | 'line' = 'none';
  /** Indented lines behind the text of a note belong to it. */
  let note: 'none' | 'open' = 'none';
  let indent = 0;
  let fence = '';
  /** Length of the run of backticks that opened inline code, 0 outside. */
  let code = 0;
  let before = '';
  let token = '';
  const skips: Skip[] = [];
  const [square, round] = [createSquarePairs(), createRoundPairs()];
  const open: Record<string, number[]> = { '*': [], _: [], '~': [] };
  if (opened.startsWith('`')) code = opened.length;
  else open[opened.charAt(0)]?.push(opened.length);

  function consume(length: number): string {
    const text = held.slice(at, at + length);
    at += length;
    before = characterBefore(held, at);
    return text;
  }

  function pass(length: number) {
    const text = consume(length);
    const start = position;
    position += codePointLength(text);
    sink.text(text, start);
    let from = text.length;
    while (from > 0 && !isSpace(text[from - 1]!)) from -= 1;
    const head = text.slice(from, from + TOKEN_HEAD);
    token = from === 0 ? (token + head).slice(0, TOKEN_HEAD) : head;
    return true;
  }

  /** White space before a line's text, in one piece. */
  function passSpaces() {
    let end = at + 1;
    while (end < held.length && held[end] !== '\n' && isSpace(held[end]!)) end += 1;
    for (let i = at; i < end; i += 1) indent += held[i] === '\t' ? 4 : 1;
    return pass(end - at);
  }

  function drop(length: number) {
    position += codePointLength(consume(length));
    return true;
  }

  function passText(length: number) {
    if (line === 'start') line = 'text';
    blank = false;
    return pass(length);
  }

  function endLine() {
    pass(1);
    if (blank) for (const runs of Object.values(open)) runs.length = 0;
    if (line === 'start' && lastMark === 'none') table = 'none';
    beginLine();
    return true;
  }

  function beginLine() {
    line = 'start';
    lastMark = 'none';
    blank = true;
    code = 0;
    pipe = 'may-head';
    unread = 'none';
    indent = 0;
  }

  /** Drops what has come of a line that is not read. */
  function dropLine() {
    const lineEnd = held.indexOf('\n', at);
    return lineEnd === at ? endLine() : drop((lineEnd < 0 ? held.length : lineEnd) - at);
  }

  function readLineStart(ending: Ending): boolean {
    if (note === 'open' && indent > 1) {
      lastMark = 'other';
      unread = 'line';
      return true;
    }
    const mark = judgeLineStart(held, at, ending, lastMark);
    if (mark === 'wait') return false;
    note = 'none';
    if (mark === undefined) {
      line = table === 'rows' ? 'row' : 'text';
      return true;
    }
    if (mark.kind === 'note') note = 'open';
    if (mark.kind === 'note' || mark.kind === 'definition') unread = 'line';
    drop(mark.length);
    before = '';
    blank = (mark.kind === 'ruler' || mark.kind === 'delimiter') && blank;
    if (mark.kind === 'delimiter') table = 'rows';
    lastMark = mark.kind === 'bullet' ? 'bullet' : 'other';
    if (mark.kind === 'row') line = 'row';
    if (mark.kind === 'fence') fence = mark.fence;
    return true;
  }

  function readFenced(char: string, ending: Ending): boolean {
    if (char === '\n') return endLine();
    if (line === 'start' && !isSpace(char)) {
      const end = judgeFenceEnd(held, at, ending, fence);
      if (end === 'wait') return false;
      if (end !== undefined) {
        fence = '';
        return drop(end);
      }
    }
    if (isSpace(char)) return pass(char.length);
    const lineEnd = held.indexOf('\n', at);
    return passText((lineEnd < 0 ? held.length : lineEnd) - at);
  }

  function readBackticks(ending: Ending): boolean {
    let length = 1;
    while (length < TOKEN_HEAD && held[at + length] === '`') length += 1;
    if (at + length === held.length && length < TOKEN_HEAD && ending === 'open') return false;
    if (code === 0) code = length;
    else if (code === length) code = 0;
    return drop(length);
  }

  function readEmphasis(mark: string, ending: Ending): boolean {
    if (before === mark) return passText(1);
    const length = markRun(held, at, ending);
    if (length === 'wait') return false;
    if (length === 4 || (mark === '~' && length !== 2)) return passText(length);
    const after = characterAt(held, at + length);
    const runs = open[mark]!;
    const place = /:\/\/|^\W*www\./.test(token) ? 'address' : 'prose';
    const role = judgeEmphasis({ mark, length, before, after, open: runs, place });
    if (role === undefined) return passText(length);
    if (role === 'opens') runs.push(length);
    else closeRuns(runs, length);
    if (runs.length > MAX_OPEN) runs.shift();
    line = line === 'start' ? 'text' : line;
    return drop(length);
  }

  function readLink(ending: Ending): boolean {
    const image = held[at] === '!';
    const mark = image ? undefined : judgeNoteMark(held, at, ending);
    if (mark === 'wait') return false;
    if (mark !== undefined) return drop(mark);
    const link =
      image && isWordCharacter(before)
        ? undefined
        : judgeLink({ held, heldAt: consumed, square, round }, at, ending);
    if (link === 'wait') return false;
    if (link === undefined) return passText(1);
    skips.push({ at: consumed + link.textEnd, end: consumed + link.end });
    line = line === 'start' ? 'text' : line;
    return drop(link.textAt - at);
  }

  function readTag(ending: Ending): boolean {
    const tag = judgeTag(held, at, ending, before);
    if (tag === 'wait') return false;
    if (tag === undefined) return passText(1);
    if (tag.kind === 'address') {
      skips.push({ at: consumed + tag.end - 1, end: consumed + tag.end });
      drop(1);
      return passText(tag.end - at - 1);
    }
    if (tag.kind === 'breaks') sink.lineBreak();
    return drop(tag.end - at);
  }

  function readEscape(ending: Ending): boolean {
    const next = held[at + 1];
    if (next === undefined && ending === 'open') return false;
    if (next === undefined || !ESCAPED.includes(next)) return passText(1);
    drop(1);
    return passText(1);
  }

  function readPipe(ending: Ending): boolean {
    if (line === 'text' && pipe === 'may-head') {
      const head = judgeTableHead(held, at, ending);
      if (head === 'wait') return false;
      if (head) line = 'row';
      else pipe = 'text';
    }
    if (line !== 'row') return passText(1);
    sink.lineBreak();
    return drop(1);
  }

  function readSpecial(char: string, ending: Ending): boolean {
    if (char === '\n') return endLine();
    if (char === '`') return readBackticks(ending);
    if (code > 0) return passText(1);
    if (char === '<') return readTag(ending);
    if (char === '[' || char === '!') return readLink(ending);
    if (char === '\\') return readEscape(ending);
    if (char === '|') return readPipe(ending);
    return readEmphasis(char, ending);
  }

  /** Reads some characters; false when more text must be seen first. */
  function step(ending: Ending): boolean {
    // A mark may have reached over the end of a link's text: such an end is past and counts no more.
    while (skips.length > 0 && skips.at(-1)!.at < consumed + at) skips.pop();
    const skip = skips.at(-1);
    if (skip?.at === consumed + at) {
      skips.pop();
      return drop(skip.end - skip.at);
    }
    const char = characterAt(held, at);
    if (unread === 'line') return dropLine();
    if (fence !== '') return readFenced(char, ending);
    if (line === 'start') {
      if (char === '\n') return endLine();
      return isSpace(char) ? passSpaces() : readLineStart(ending);
    }
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(held)?.index ?? held.length;
    const end = skip === undefined ? special : Math.min(special, skip.at - consumed);
    return end > at ? passText(end - at) : readSpecial(char, ending);
  }

  function release() {
    consumed += at;
    held = held.slice(at);
    at = 0;
    square.forgetBefore(consumed);
    round.forgetBefore(consumed);
  }

  function advance(ending: Ending) {
    while (at < held.length && step(ending));
    release();
  }

  return {
    push(text, start) {
      if (held === '') position = start;
      // Only a link target makes so much wait.
      const inTarget = held.length > FURTHEST_LOOK * 2 + 2 && held.length + text.length < MAX_TARGET;
      held += text;
      // It ends at a bracket or a line break: until one comes there is nothing to judge.
      if (!inTarget || /[)\]\n]/.test(text)) advance('open');
    },
    flush() {
      advance('closed');
    },
    idle() {
      if (held === '!') passText(1);
      else if (held.startsWith('|') && line === 'text') {
        pipe = 'text';
        advance('open');
      }
      release();
    },
    breakLine() {
      beginLine();
      before = '';
      sink.lineBreak();
    },
    heldCharacters: () => held.length,
    visitedForBrackets: () => square.visited() + round.visited(),
  };
}

/** A closing run closes as many open runs as its length covers: `***` both of `**a *b***`. */
function closeRuns(open: number[], length: number) {
  while (length > 0 && open.length > 0) length -= open.pop()!;
}
