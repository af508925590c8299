// Leaves out of a text what a model thinks or calls, with its inside, and what else is not for a listener: scripts, style
// sheets, the turns and channels of a chat template, front matter. Text comes in any split and goes on verbatim, with its
// place; the outcome is the same for every split. What is left out is dropped as it comes, so it takes no memory, and
// an end that never comes is waited for no longer than MAX_TALK units, or to the end of the text.

import { type CallArguments, noArguments, readArgument } from './call-arguments.ts';
import { isSpace } from './character-class.ts';
import { characterAt, characterBefore, codePointLength, isHigh, isLow } from './code-points.ts';
import { judgeFrontMatter } from './front-matter.ts';
import { judgeFenceEnd } from './markdown-line.ts';
import { isTalkFence, judgeMark, MAX_MARK, type Mark } from './model-marks.ts';
import type { Ending } from './sentences/skip.ts';

export type TalkSink = {
  text(text: string, start: number): void;
  /** Something is left out here: nothing before it and behind it belongs together more closely than two words. */
  gap(): void;
  /** What was left out had no space on either side: what follows is a line of its own. */
  lineBreak(): void;
};

/** `prefixes` are turn prefixes of the caller: a mark that is in one of them is none. */
export type TalkOptions = { readonly prefixes: readonly string[]; readonly front: 'long' | 'short' | 'none' };

/**
 * The longest that an end is waited for, in UTF-16 units: more than 32,000 tokens of reasoning, which is what servers commonly
 * allow. What comes after that is spoken.
 */
export const MAX_TALK = 131_072;
/** The longest front matter: of a text that is all there, and of one that comes bit by bit and is held meanwhile. */
const MAX_FRONT = { long: 20_000, short: 3_000, none: 0 } as const;

/** Of a text without any of these nothing is left out, and nothing of it matters to what comes behind. */
const ANY_MARK = /[<◁]|\[\/?[ACT][A-Z]|`{3}|~{3}|^\uFEFF?(?:---|\+\+\+)/;
export const mayHoldTalk = (text: string): boolean => ANY_MARK.test(text);

const SPECIAL = /[\n`~<[◁]/g;
const MARK_START = /[<[◁]/g;
const FENCE = /^(`{3,}|~{3,})[ \t]*([\w-]{0,40})[^`\n]{0,60}(?:\n|$)/;
const MAYBE_FENCE = /^(?:`+|~+)[ \t]*[^`\n]{0,100}$/;

type Block = {
  readonly kind: 'thinking' | 'calling' | 'raw' | 'message' | 'fence';
  /** Of the mark, or the fence itself. */
  readonly name: string;
  /** Another mark of thinking that has been opened in it, and is closed by its own name first. */
  inner: string;
  left: number;
  readonly call: CallArguments;
};

const openBlock = (kind: Block['kind'], name: string): Block => ({
  kind,
  name,
  inner: '',
  left: MAX_TALK,
  call: noArguments(kind === 'calling' ? 'name' : 'other'),
});

/** Where reading stands between two pieces of a text; `skip` is how many units more are left out whatever they are. */
export type TalkState = {
  readonly block: Block | undefined;
  readonly fence: string;
  readonly skip: number;
};

const START: TalkState = { block: undefined, fence: '', skip: 0 };

/** One for each text that is read; `state` is where another one stopped. */
export class ModelTalk {
  private readonly options: TalkOptions;
  private readonly sink: TalkSink;
  private held = '';
  /** The code point of held[at]. */
  private position = 0;
  /** Units of `held` that have been handed on or dropped. */
  private at = 0;
  private front: 'maybe' | 'over';
  private frontSeen = 0;
  private block: Block | undefined;
  /** The fence of a block of code, whose marks are text; the run of backticks that opened inline code. */
  private fence: string;
  private code = 0;
  private isBlankLine = true;
  private before = '';
  private isBehindGap = false;
  private skip: number;
  /** Units that have been read. */
  private read = 0;
  /** The first mark of a thought, and where it ends in units. */
  private first: { readonly does: 'opens' | 'closes'; readonly end: number } | undefined;

  constructor(options: TalkOptions, sink: TalkSink, state: TalkState = START) {
    this.options = options;
    this.sink = sink;
    this.front = options.front === 'none' ? 'over' : 'maybe';
    this.block = state.block && { ...state.block, call: { ...state.block.call } };
    this.fence = state.fence;
    this.skip = state.skip;
  }

  /** `text` adjoins what was pushed before, and parts no surrogate pair. */
  push(text: string, start: number): void {
    if (this.held === '') this.position = start;
    this.held += text;
    this.advance('open');
  }
  /** What waits is judged as it is. A thought or call that has begun goes on. */
  flush(): void {
    this.advance('closed');
  }
  /** No text has come for a while: front matter is waited for no longer. */
  idle(): void {
    if (this.front === 'maybe') this.advance('closed');
  }
  state(): TalkState {
    return { block: this.block, fence: this.fence, skip: this.skip };
  }
  heldCharacters(): number {
    return this.held.length;
  }
  /** The first mark of a thought, once it has been read, and the UTF-16 unit at which it ends. */
  firstThought(): { readonly does: 'opens' | 'closes'; readonly end: number } | undefined {
    return this.first;
  }

  private advance(ending: Ending): void {
    if (this.front === 'maybe' && !this.readFront(ending)) return;
    while (this.at < this.held.length && this.step(ending));
    this.held = this.held.slice(this.at);
    this.at = 0;
  }
  private readFront(ending: Ending): boolean {
    const front = judgeFrontMatter(this.held, ending, MAX_FRONT[this.options.front], this.frontSeen);
    this.frontSeen = this.held.length;
    if (front === 'wait') return false;
    this.front = 'over';
    if (front !== undefined) this.leaveOut(front.length);
    return true;
  }
  private step(ending: Ending): boolean {
    if (this.skip > 0) {
      const length = Math.min(this.skip, this.held.length - this.at);
      this.skip -= length;
      return this.leaveOut(length);
    }
    if (this.block !== undefined) return this.readBlock(this.block, ending);
    if (this.fence !== '') return this.readFenced(ending);
    SPECIAL.lastIndex = this.at;
    const special = SPECIAL.exec(this.held)?.index ?? this.held.length;
    if (special > this.at) return this.pass(special - this.at);
    const char = this.held[this.at]!;
    if (char === '\n') {
      this.code = 0;
      return this.pass(1);
    }
    if (char === '`' || char === '~') return this.readRun(char, ending);
    return this.readMark(ending);
  }

  private readRun(char: string, ending: Ending): boolean {
    let length = 1;
    while (this.held[this.at + length] === char) length += 1;
    if (this.at + length === this.held.length && length < MAX_MARK && ending === 'open') return false;
    if (this.isBlankLine && length > 2) {
      const window = this.held.slice(this.at, this.at + MAX_MARK);
      const [whole, fence, info = ''] = FENCE.exec(window) ?? [];
      if (
        whole?.endsWith('\n') !== true &&
        ending === 'open' &&
        MAYBE_FENCE.test(window) &&
        window.length < MAX_MARK
      )
        return false;
      if (fence !== undefined && isTalkFence(info)) {
        this.block = openBlock('fence', fence);
        return this.leaveOut(whole!.length);
      }
      if (fence !== undefined) {
        this.fence = fence;
        return this.pass(whole!.length);
      }
    }
    if (char === '`') {
      if (this.code === 0) this.code = length;
      else if (this.code === length) this.code = 0;
    }
    return this.pass(length);
  }
  private readFenced(ending: Ending): boolean {
    if (this.isBlankLine && !isSpace(this.held[this.at]!)) {
      const end = judgeFenceEnd(this.held, this.at, ending, this.fence);
      if (end === 'wait') return false;
      if (end !== undefined) {
        this.fence = '';
        return this.pass(end);
      }
    }
    if (this.isBlankLine && isSpace(this.held[this.at]!)) return this.pass(1);
    const lineEnd = this.held.indexOf('\n', this.at);
    return this.pass((lineEnd < 0 ? this.held.length : lineEnd + 1) - this.at);
  }
  private readMark(ending: Ending): boolean {
    const mark = judgeMark(this.held, this.at, ending);
    if (mark === 'wait') return false;
    if (mark === undefined) return this.pass(1);
    const quoted = this.isQuoted(mark.length, ending);
    if (quoted === 'wait') return false;
    if (quoted || this.before === '\\' || this.isOwn(mark.length)) return this.pass(mark.length);
    const { does } = mark;
    if ((does === 'opens' || does === 'closes') && mark.kind === 'thinking')
      this.first ??= { does, end: this.read + mark.length };
    this.leaveOut(mark.length);
    if (does === 'opens') this.block = openBlock(mark.kind, mark.name);
    else if (does === 'message' && !mark.spoken) this.block = openBlock('message', '');
    return true;
  }
  /** In code that ends on this line a mark is spoken of. */
  private isQuoted(length: number, ending: Ending): boolean | 'wait' {
    if (this.code === 0) return false;
    const from = this.at + length;
    const window = this.held.slice(from, from + MAX_MARK);
    const lineEnd = window.indexOf('\n');
    if ((lineEnd < 0 ? window : window.slice(0, lineEnd)).includes('`'.repeat(this.code))) return true;
    return lineEnd < 0 && window.length < MAX_MARK && ending === 'open' ? 'wait' : false;
  }
  private isOwn(length: number): boolean {
    const { prefixes } = this.options;
    if (prefixes.length === 0) return false;
    const written = this.held.slice(this.at, this.at + length);
    return prefixes.some((prefix) => prefix.includes(written));
  }

  private readBlock(block: Block, ending: Ending): boolean {
    if (block.left <= 0) {
      this.block = undefined;
      return true;
    }
    if (block.kind === 'fence') return this.readTalkFence(block, ending);
    MARK_START.lastIndex = this.at;
    const start = MARK_START.exec(this.held)?.index ?? this.held.length;
    if (start > this.at) return this.dropInside(block, start - this.at);
    const mark = judgeMark(this.held, this.at, ending);
    if (mark === 'wait') return false;
    if (mark === undefined) return this.dropInside(block, 1);
    if (!isOver(block, mark)) return this.dropMark(block, mark);
    this.block = mark.does === 'message' && !mark.spoken ? openBlock('message', '') : undefined;
    return this.leaveOut(mark.length);
  }
  private dropMark(block: Block, mark: Mark): boolean {
    const { call } = block;
    if (mark.does === 'opens' && mark.kind === 'thinking' && mark.name !== block.name)
      block.inner = mark.name;
    else if (mark.does === 'closes' && mark.name === block.inner) block.inner = '';
    if (mark.does === 'quote') readArgument(call, '"');
    else if (mark.does === 'opens' && block.kind === 'calling' && call.phase === 'behind')
      Object.assign(call, noArguments('name'));
    else if (mark.does === 'opens' && call.phase === 'name') call.phase = 'other';
    else call.words = 0;
    block.left -= mark.length;
    return this.leaveOut(mark.length);
  }
  /** Drops up to `length` units, or as far as the block reaches. */
  private dropInside(block: Block, length: number): boolean {
    const most = Math.min(length, block.left);
    let end = this.at + most;
    if (isLow(this.held.charCodeAt(end)) && isHigh(this.held.charCodeAt(end - 1))) end += 1;
    if (block.call.phase !== 'other') {
      end = this.at;
      while (end < this.at + most) {
        const char = characterAt(this.held, end);
        if (!readArgument(block.call, char)) {
          block.left = 0;
          break;
        }
        end += char.length;
      }
    }
    const dropped = end - this.at;
    block.left -= dropped;
    return dropped === 0 || this.leaveOut(dropped);
  }
  private readTalkFence(block: Block, ending: Ending): boolean {
    if (this.isBlankLine && !isSpace(this.held[this.at]!)) {
      const end = judgeFenceEnd(this.held, this.at, ending, block.name);
      if (end === 'wait') return false;
      if (end !== undefined) {
        this.block = undefined;
        return this.leaveOut(end);
      }
    }
    const lineEnd = this.held.indexOf('\n', this.at);
    const length = (lineEnd < 0 ? this.held.length : lineEnd + 1) - this.at;
    const isIndent = this.isBlankLine && isSpace(this.held[this.at]!);
    return this.dropInside(block, isIndent ? 1 : length);
  }

  private consume(length: number): string {
    const text = this.held.slice(this.at, this.at + length);
    this.at += length;
    this.read += length;
    this.position += codePointLength(text);
    const lineAt = text.lastIndexOf('\n') + 1;
    if (lineAt > 0 || this.isBlankLine) this.isBlankLine = !/\S/.test(text.slice(lineAt));
    return text;
  }
  private pass(length: number): true {
    const start = this.position;
    const text = this.consume(length);
    if (this.isBehindGap) {
      this.isBehindGap = false;
      if (this.before !== '' && !isSpace(this.before) && !isSpace(characterAt(text, 0)))
        this.sink.lineBreak();
    }
    this.before = characterBefore(text, text.length);
    this.sink.text(text, start);
    return true;
  }
  private leaveOut(length: number): true {
    this.consume(length);
    if (!this.isBehindGap) this.sink.gap();
    this.isBehindGap = true;
    return true;
  }
}

/** Whether `mark` ends a block, or begins what cannot be in it. */
function isOver(block: Block, mark: Mark): boolean {
  const { kind, name } = block;
  if (kind === 'raw') return mark.does === 'closes' && mark.kind === 'raw' && mark.name === name;
  if (mark.does === 'ends' || mark.does === 'message') return true;
  if (mark.does !== 'closes') return false;
  // Models mix the names of thinking: `<thinking>…</think>`.
  if (kind === 'thinking') return mark.kind === 'thinking' && mark.name !== block.inner;
  return kind === 'calling' && mark.kind === 'calling' && mark.name === name;
}
