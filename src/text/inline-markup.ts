// Marks within a line: emphasis, links and images, HTML and SSML tags. Pure judgements with bounded look-ahead;
// what does not prove to be markup within the bound is text. Emphasis is judged by its neighbours, never by
// its partner, so a stream of bold words is spoken as it comes; the price is that a lone "*footnote" loses its mark.

import { isAsciiDigit, isCloser, isSpace, isUnspaced, isWordCharacter } from './character-class.ts';
import { FURTHEST_LOOK } from './markdown-line.ts';
import type { Ending } from './sentences/skip.ts';

/** Link targets are longer than other marks; this is what browsers and servers agree on as a URL's bound. */
export const MAX_TARGET = 2_000;

/** In UTF-16 units from the opening bracket: where its text begins and ends, and where the link is over. */
export type Link = { readonly textAt: number; readonly textEnd: number; readonly end: number };

/** Text that is read, `held`, from place `heldAt` of all text on, and which of its brackets belong together. */
export type BracketedText = {
  readonly held: string;
  readonly heldAt: number;
  readonly square: BracketPairs;
  readonly round: BracketPairs;
};

/** Of a link's text, nested brackets included, and of its label. */
export const createSquarePairs = () => createBracketPairs('[', ']', FURTHEST_LOOK);
/** Of a link's target: no line break, balanced. */
export const createRoundPairs = () => createBracketPairs('(', ')', MAX_TARGET);

/** The bracket that closes the one at `at` of the held text. */
function partner(
  of: BracketedText,
  kind: 'square' | 'round',
  at: number,
  ending: Ending,
): number | 'wait' | undefined {
  const furthest = kind === 'square' ? FURTHEST_LOOK : MAX_TARGET;
  const place = of[kind].partnerOf(of.heldAt + at, furthest, of.held, of.heldAt);
  if (place === 'never') return undefined;
  if (place === 'later') return ending === 'closed' ? undefined : 'wait';
  return place - of.heldAt;
}

/** `[text](target)`, with `!` in front `![text](target)`, or `[text][label]`; `at` is the first of it. */
export function judgeLink(of: BracketedText, at: number, ending: Ending): Link | 'wait' | undefined {
  const { held: text } = of;
  const open = text[at] === '!' ? at + 1 : at;
  if (open === text.length) return ending === 'closed' ? undefined : 'wait';
  if (text[open] !== '[') return undefined;
  const textEnd = partner(of, 'square', open, ending);
  if (textEnd === 'wait' || textEnd === undefined) return textEnd;
  const after = text[textEnd + 1];
  if (after === undefined) return ending === 'closed' ? undefined : 'wait';
  if (after !== '(' && after !== '[') return undefined;
  const close = partner(of, after === '(' ? 'round' : 'square', textEnd + 1, ending);
  if (close === 'wait' || close === undefined) return close;
  return { textAt: open + 1, textEnd, end: close + 1 };
}

const NOTE_MARK = /^\[\^[^[\]\s^]{1,80}\]/;
const MAYBE_NOTE_MARK = /^\[(?:\^[^[\]\s^]{0,80})?$/;

/** The length of the mark of a footnote (`[^1]`) at `at`. */
export function judgeNoteMark(text: string, at: number, ending: Ending): number | 'wait' | undefined {
  const window = text.slice(at, at + FURTHEST_LOOK);
  const mark = NOTE_MARK.exec(window)?.[0];
  if (mark !== undefined) return mark.length;
  return ending === 'open' && MAYBE_NOTE_MARK.test(window) ? 'wait' : undefined;
}

/** `breaks`: the tag ends a line of what is spoken. `address`: `<https://…>`, whose inside is text. */
export type Tag = { readonly end: number; readonly kind: 'plain' | 'breaks' | 'address' };

const ATTRIBUTE = '\\s+[\\w:.-]+\\s*=\\s*(?:"[^"\\n]*"|\'[^\'\\n]*\'|[^\\s"\'<>=]+)';
const TAG = new RegExp(`^<(/?)([a-z][\\w:-]*)((?:${ATTRIBUTE})*)\\s*/?>`, 'i');
const MAYBE_TAG = new RegExp(
  `^<(?:/?(?:[a-z][\\w:-]*(?:${ATTRIBUTE})*(?:\\s+(?:[\\w:.-]+\\s*(?:=\\s*(?:"[^"\\n]*|'[^'\\n]*|[^\\s"'<>=]*)?)?)?|\\s*/)?)?)?$`,
  'i',
);
const COMMENT = /^<!--[\s\S]*?-->/;
const MAYBE_COMMENT = /^<!(?:-(?:-[\s\S]*)?)?$/;
const ADDRESS = /^<(?:[a-z][a-z0-9+.-]{1,31}:\/\/[^\s<>]*|[\w.+-]+@[^\s<>@]+)>/i;
const MAYBE_ADDRESS = /^<(?:[a-z][a-z0-9+.-]{1,31}:(?:\/(?:\/[^\s<>]*)?)?|[\w.+-]*(?:@[^\s<>@]*)?)$/i;
const BREAKS = /^(?:br|p|div|li|[uo]l|t[dhr]|table|h[1-6]|hr|blockquote|section|article|break|speak)$/i;
/** Tags that may stand inside a word; any other `word<name>` is code, such as List<String>. */
const INSIDE_WORDS =
  /^(?:a|b|i|u|s|em|strong|code|span|small|mark|del|ins|sub|sup|font|wbr|voice|prosody|emphasis|phoneme|say-as|w)$/i;

export function judgeTag(text: string, at: number, ending: Ending, before: string): Tag | 'wait' | undefined {
  const window = text.slice(at, at + FURTHEST_LOOK);
  const address = ADDRESS.exec(window);
  if (address !== null) return { end: at + address[0].length, kind: 'address' };
  const tag = TAG.exec(window);
  if (tag !== null) {
    const name = tag[2]!;
    const code = isWordCharacter(before) && tag[1] === '' && !BREAKS.test(name) && !INSIDE_WORDS.test(name);
    if (code) return undefined;
    return { end: at + tag[0].length, kind: BREAKS.test(name) ? 'breaks' : 'plain' };
  }
  const comment = COMMENT.exec(window);
  if (comment !== null) return { end: at + comment[0].length, kind: 'plain' };
  const grows = MAYBE_TAG.test(window) || MAYBE_COMMENT.test(window) || MAYBE_ADDRESS.test(window);
  return grows && window.length < FURTHEST_LOOK && ending === 'open' ? 'wait' : undefined;
}

/** The length of the run of the mark at `at` (at most 4 is told), or `wait` when it may grow. */
export function markRun(text: string, at: number, ending: Ending): number | 'wait' {
  const mark = text[at];
  let length = 1;
  while (length < 4 && text[at + length] === mark) length += 1;
  return length < 4 && at + length === text.length && ending === 'open' ? 'wait' : length;
}

const NEUTRAL = '*_~`';
const joined = (char: string) => isWordCharacter(char) && !isUnspaced(char);

/**
 * Whether a run of 1–3 `*` or `_`, or two `~`, is an emphasis mark (CommonMark 6.2, simplified).
 * `open` holds the lengths of the runs of this mark that are open; `place` is `address` inside a URL.
 */
export function judgeEmphasis(run: {
  readonly mark: string;
  readonly length: number;
  readonly before: string;
  readonly after: string;
  readonly open: readonly number[];
  readonly place: 'prose' | 'address';
}): 'opens' | 'closes' | undefined {
  const { mark, length, before, after, open } = run;
  const beginsAfter = after !== '' && !isSpace(after) && !')],;:!?}'.includes(after);
  const endsBefore = before !== '' && !isSpace(before);
  const inWord = joined(before) && joined(after);
  if (run.place === 'prose' && beginsAfter && !inWord) {
    const opensAfter =
      before === '' || isSpace(before) || NEUTRAL.includes(before) || '([{"\'“‘«—–-/>¿¡|'.includes(before);
    const unspaced = mark !== '_' && isUnspaced(before) && open.length === 0;
    if (opensAfter && !(isCloser(before) && open.at(-1) === length)) return 'opens';
    if (unspaced || (mark !== '_' && isUnspaced(after) && open.length === 0)) return 'opens';
  }
  if (!endsBefore || open.length === 0) return undefined;
  if (inWord) {
    const arithmetic = isAsciiDigit(before) && isAsciiDigit(after);
    return mark !== '_' && open.at(-1) === length && !arithmetic && run.place === 'prose'
      ? 'closes'
      : undefined;
  }
  return run.place === 'address' && after === '/' ? undefined : 'closes';
}

/** `later`: it may still be closed by text that has not come. `never`: a line break comes first, or it is too far. */
type Partner = number | 'later' | 'never';

/**
 * Which bracket closes which, in text that arrives in pieces. Each character is looked at once, however many brackets are open:
 * a search of its own for each opening bracket would read the same characters again and again.
 */
type BracketPairs = {
  /**
   * The place of the bracket that closes the one at `at`, both from the start of all text and within `furthest` units.
   * `held` is the text from place `heldAt` on.
   */
  partnerOf(at: number, furthest: number, held: string, heldAt: number): Partner;
  /** Nothing before `place` will be asked for any more. */
  forgetBefore(place: number): void;
  /** Characters looked at so far; what tests count. */
  visited(): number;
};

/** Entries that are kept before old ones are looked for. */
const ENOUGH = 256;

export function createBracketPairs(open: string, close: string, longest: number): BracketPairs {
  const [openCode, closeCode] = [open.charCodeAt(0), close.charCodeAt(0)];
  let scannedTo = 0;
  /** The place behind the last line break: no bracket before it will be closed. */
  let lineAt = 0;
  let stack: number[] = [];
  const partners = new Map<number, number>();
  let roomFor = ENOUGH;
  let visits = 0;

  function read(code: number, place: number) {
    if (code === 10) {
      lineAt = place + 1;
      stack.length = 0;
    } else if (code === openCode) {
      stack.push(place);
      // One that is too far back to be closed is of no use.
      if (stack.length > 2 * longest) stack = stack.slice(-longest);
    } else if (code === closeCode && stack.length > 0) partners.set(stack.pop()!, place);
  }

  function scan(to: number, held: string, heldAt: number) {
    if (scannedTo < heldAt) scannedTo = heldAt;
    const end = Math.min(to, heldAt + held.length);
    for (; scannedTo < end; scannedTo += 1) {
      visits += 1;
      read(held.charCodeAt(scannedTo - heldAt), scannedTo);
    }
  }

  return {
    partnerOf(at, furthest, held, heldAt) {
      if (at >= scannedTo) scan(at + 1, held, heldAt);
      let known = partners.get(at);
      // As far as the bracket may reach, and no further: what is behind it may never be asked for.
      for (
        let step = scannedTo;
        known === undefined && at >= lineAt && step < at + furthest;
        step = scannedTo
      ) {
        scan(step + 16, held, heldAt);
        if (scannedTo === step) return 'later';
        known = partners.get(at);
      }
      return known !== undefined && known < at + furthest ? known : 'never';
    },
    forgetBefore(place) {
      if (partners.size < roomFor) return;
      for (const at of partners.keys()) if (at < place) partners.delete(at);
      roomFor = 2 * partners.size + ENOUGH;
    },
    visited: () => visits,
  };
}
