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
  judgeTag,
  MAX_TARGET,
  markRun,
} from './inline-markup.ts';
import { FURTHEST_LOOK, judgeFenceEnd, judgeLineStart } from './markdown-line.ts';
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
  /** An exclamation mark that only waits to see whether an image follows is handed on. */
  idle(): void;
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

export function createMarkupStripper(sink: TextSink): MarkupStripper {
  let held = '';
  /** The place of held[0]: code point in the caller's text, and UTF-16 unit since the first push. */
  let position = 0;
  let consumed = 0;
  /** Units of `held` already handed on or dropped. */
  let at = 0;

  /** `start`: only white space and marks so far. */
  let line: 'start' | 'text' | 'row' = 'start';
  let lastMark: 'bullet' | 'other' = 'other';
  let blank = true;
  let fence = '';
  /** Length of the run of backticks that opened inline code, 0 outside. */
  let code = 0;
  let before = '';
  let token = '';
  const skips: Skip[] = [];
  const [square, round] = [createSquarePairs(), createRoundPairs()];
  const open: Record<string, number[]> = { '*': [], _: [], '~': [] };

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
    line = 'start';
    lastMark = 'other';
    blank = true;
    code = 0;
    return true;
  }

  function readLineStart(ending: Ending): boolean {
    const mark = judgeLineStart(held, at, ending, lastMark);
    if (mark === 'wait') return false;
    if (mark === undefined) {
      line = 'text';
      return true;
    }
    drop(mark.length);
    before = '';
    blank = mark.kind === 'ruler' && blank;
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

  function readPipe(): boolean {
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
    if (char === '|') return readPipe();
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
      release();
    },
    heldCharacters: () => held.length,
    visitedForBrackets: () => square.visited() + round.visited(),
  };
}

/** A closing run closes as many open runs as its length covers: `***` both of `**a *b***`. */
function closeRuns(open: number[], length: number) {
  while (length > 0 && open.length > 0) length -= open.pop()!;
}
