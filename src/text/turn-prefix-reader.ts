// Finds a caller's own turn prefixes in text that arrives in any split, and assigns the text between them to speakers. A prefix
// counts where something begins: at the start of the text, of a line, after white space, the end of a sentence, a tag or a mark
// of Markdown, or another prefix (anywhere if it begins with white space itself), and where no word goes on behind it: "A" is
// not found in "Apple".

import {
  characterTest,
  isCloser,
  isDigit,
  isLetter,
  isPictograph,
  isSpace,
  isWordCharacter,
} from './character-class.ts';
import { characterAt, characterBefore, codePointLength } from './code-points.ts';
import type { Speaker } from './segment.ts';
import type { Ending } from './sentences/skip.ts';

export type TurnPrefixes = {
  readonly turnPrefix: string | undefined;
  readonly turnPrefix2: string | undefined;
};

export type TurnPrefixReader = {
  /** `text` adjoins what was pushed before, `start` is its first code point; it parts no surrogate pair. */
  push(text: string, start: number): void;
  /** What may still be the beginning of a prefix is text after all. */
  flush(): void;
  /** As `flush`, and something is left out here: a prefix may stand behind it. */
  gap(): void;
  heldCharacters(): number;
};

export type TurnPrefixSink = {
  /** `emphasis` opened before the prefix, and goes on behind it: `**` of "**Ann: all of it is bold**". */
  onSpeaker(speaker: Speaker, emphasis: string): void;
  onText(text: string, start: number): void;
};

/** What is looked at before a prefix: a tag is never longer. */
const MAX_CONTEXT = 256;
const MAX_CLOSERS = 16;
const EMPHASIS = '*_~`';
const MAX_EMPHASIS = 3;

const ENDS_SENTENCE = characterTest(/[\p{Sentence_Terminal}…‥\u037e]/u);
/** Between the cells of a table, and bullets. */
const BEGINS_ITEM = '|•‣◦▪●';
/** A tag, a comment, a closing tag in square brackets, a link, the mark of a quotation. */
const MARK_BEFORE =
  /(?:<\/?[a-z][^<>\n]{0,198}>|-->|\[\/[^[\]\n]{1,32}\]|\]\([^()\n]{0,200}\)|(?:^|\n)[ \t]*>[ \t>]*)$/i;

type Marker = { readonly text: string; readonly speaker: Speaker };
/** `end`: the unit behind it. */
type Found = { readonly marker: Marker; readonly end: number; readonly emphasis: string };

/** Whether a prefix that begins with `first` may begin behind `context`; a lone letter or figure is easily part of a name. */
function mayBeginBehind(context: string, marker: string): boolean {
  const last = characterBefore(context, context.length);
  if (last === '' || isSpace(last) || BEGINS_ITEM.includes(last) || isPictograph(last)) return true;
  let end = context.length;
  let isEmphasis = true;
  while (context.length - end < MAX_CLOSERS) {
    const char = characterBefore(context, end);
    if (char === '' || !(EMPHASIS.includes(char) || isCloser(char))) break;
    isEmphasis &&= EMPHASIS.includes(char);
    end -= char.length;
  }
  const stop = characterBefore(context, end);
  if (end < context.length && isEmphasis && (stop === '' || isSpace(stop))) return true;
  if (stop !== '' && ENDS_SENTENCE(stop)) return endsSentence(context.slice(0, end), marker);
  return MARK_BEFORE.test(context);
}

/** Whether the terminal at the end of `context` ends a sentence though no space follows it. */
function endsSentence(context: string, marker: string): boolean {
  const stop = context.at(-1)!;
  const first = characterAt(marker, 0);
  if (!'.!?'.includes(stop) || !isWordCharacter(first)) return true;
  const token = /\S*$/.exec(context)![0];
  if (/:\/\/|^\W*www\.|@/i.test(token)) return false;
  const before = characterBefore(context, context.length - 1);
  if (stop !== '.' || before === '') return true;
  if (isDigit(before) && isDigit(first)) return false;
  // "U.S.A: …" is one name, and "Yes, I.Bob: …" two sentences.
  const isInitial =
    isLetter(before) && !isWordCharacter(characterBefore(context, context.length - 1 - before.length));
  return !isInitial || isWordCharacter(characterAt(marker, first.length));
}

/**
 * Text before the first prefix is told without a speaker: at the start of a turn it is speaker 1's. Of two prefixes that begin
 * alike the longer one counts when it is there; of two equal ones the first. Prefixes are not handed on, but they do count in
 * positions. Where markup is removed, emphasis around a prefix (`**Ann:**`, `**Ann**:`) belongs to it.
 */
export function createTurnPrefixReader(
  prefixes: TurnPrefixes,
  sink: TurnPrefixSink,
  markup: 'strip' | 'keep' = 'keep',
): TurnPrefixReader {
  const markers: readonly Marker[] = (
    [
      [prefixes.turnPrefix, 1],
      [prefixes.turnPrefix2, 2],
    ] as const
  )
    .flatMap(([text, speaker]) => (text === undefined || text === '' ? [] : [{ text, speaker }]))
    .sort((a, b) => b.text.length - a.text.length);
  let held = '';
  let position = 0;
  /** The end of what has been taken since the last prefix or gap. */
  let context = '';

  /** Matches a prefix at `from`, behind the marks in `run`, which may close anywhere in it or right behind it. */
  function match(marker: Marker, from: number, run: string, ending: Ending): Found | 'wait' | undefined {
    let at = from;
    let isClosed = run === '';
    for (let i = 0; i < marker.text.length; ) {
      if (at >= held.length) return ending === 'open' ? 'wait' : undefined;
      if (held[at] === marker.text[i]) {
        at += 1;
        i += 1;
      } else {
        if (isClosed || i === 0) return undefined;
        if (!held.startsWith(run, at))
          return ending === 'open' && run.startsWith(held.slice(at)) ? 'wait' : undefined;
        at += run.length;
        isClosed = true;
      }
    }
    if (isWordCharacter(characterBefore(marker.text, marker.text.length))) {
      const next = characterAt(held, at);
      if (next === '' && ending === 'open') return 'wait';
      if (isWordCharacter(next)) return undefined;
    }
    if (!isClosed) {
      if (
        ending === 'open' &&
        run.startsWith(held.slice(at, at + run.length)) &&
        held.length < at + run.length
      )
        return 'wait';
      isClosed = held.startsWith(run, at);
      if (isClosed) at += run.length;
    }
    return { marker, end: at, emphasis: isClosed ? '' : run };
  }

  /** The run of one emphasis mark at `at`, where such marks are removed. */
  function emphasisAt(at: number): string {
    const mark = held[at]!;
    if (markup === 'keep' || !EMPHASIS.includes(mark)) return '';
    let end = at + 1;
    while (end - at < MAX_EMPHASIS && held[end] === mark) end += 1;
    return held.slice(at, end);
  }

  function find(at: number, ending: Ending): Found | 'wait' | undefined {
    const run = emphasisAt(at);
    for (const marker of markers) {
      for (const marks of run === '' ? [''] : ['', run]) {
        const found = match(marker, at + marks.length, marks, ending);
        if (found === undefined) continue;
        const before = (context + held.slice(Math.max(0, at - MAX_CONTEXT), at)).slice(-MAX_CONTEXT);
        if (isSpace(marker.text[0]!) || mayBeginBehind(before, marker.text)) return found;
      }
    }
    return undefined;
  }

  function take(length: number): string {
    const text = held.slice(0, length);
    held = held.slice(length);
    position += codePointLength(text);
    return text;
  }

  function say(length: number) {
    if (length === 0) return;
    const start = position;
    const text = take(length);
    if (markers.length > 0) context = (context + text.slice(-MAX_CONTEXT)).slice(-MAX_CONTEXT);
    sink.onText(text, start);
  }

  function advance(ending: Ending) {
    let at = markers.length === 0 ? held.length : 0;
    while (at < held.length) {
      const found = find(at, ending);
      if (found === 'wait') break;
      if (found === undefined) {
        at += characterAt(held, at).length;
        continue;
      }
      say(at);
      take(found.end - at);
      context = '';
      sink.onSpeaker(found.marker.speaker, found.emphasis);
      at = 0;
    }
    say(at);
  }

  return {
    push(text, start) {
      if (held === '') position = start;
      held += text;
      advance('open');
    },
    flush() {
      advance('closed');
    },
    gap() {
      advance('closed');
      context = '';
    },
    heldCharacters: () => held.length,
  };
}
