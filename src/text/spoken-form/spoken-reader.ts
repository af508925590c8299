// Walks a text once, token by token, and lets the rules say what is written otherwise than it is said. What no rule
// knows goes through as it is, so ordinary words cannot change.

import type { Edit } from './mapped-text.ts';
import { type Rule, UNSPACED } from './rule.ts';

/** White space is between tokens. Latin letters are parted from others: an address may stand in a Chinese sentence. */
const TOKEN =
  /\p{Script=Latin}[\p{Script=Latin}\p{M}]*|(?:(?!\p{Script=Latin})\p{L})(?:(?!\p{Script=Latin})[\p{L}\p{M}])*|(?<digit>\d)|[^\s\p{L}]/gu;
/** A number that no rule knows, with all that hangs on it: a rule must not find another one in its middle. */
const NUMBER_CHAIN = /\d+(?:[.,:/_-]?\d+)*/y;
const LETTER = /\p{L}/u;
const WORD_START = /^[\p{L}\p{M}]/u;
const WORD_END = /[\p{L}\p{M}]$/u;
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');
const UNSPACED_END = new RegExp(`${UNSPACED}$`, 'u');
/** A number behind one of these is a part of a name: B2B, MP3. */
const GLUED_TO_LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}_]$/u;
/** How far back a rule may look. */
const CONTEXT = 24;

type Piece = { readonly text: string; readonly by: 'rule' | 'writer' };

const isDigitAt = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

/** Words do not touch words, nor numbers numbers; a word of ours does not touch a number either. */
function needsSpace(left: Piece, right: Piece): boolean {
  if (left.by === 'writer' && right.by === 'writer') return false;
  const { text: before } = left;
  const { text: after } = right;
  const endsInWord = WORD_END.test(before);
  const beginsWord = WORD_START.test(after);
  const endsInDigit = isDigitAt(before, before.length - 1);
  const beginsDigit = isDigitAt(after, 0);
  if (endsInWord && beginsWord) return !(UNSPACED_END.test(before) && UNSPACED_START.test(after));
  if (endsInDigit && beginsDigit) return true;
  if (endsInWord && beginsDigit) return left.by === 'rule' && !UNSPACED_END.test(before);
  if (endsInDigit && beginsWord) return right.by === 'rule' && !UNSPACED_START.test(after);
  return false;
}

/** A point that ends an abbreviation and the whole text with it. */
const isLastPoint = (text: string, end: number) =>
  text[end - 1] === '.' && /^[\s"'”»)\]]{0,8}$/.test(text.slice(end, end + 9));

/** The last few characters are enough to look at, a whole one at least. */
const tailOf = (text: string) => text.slice(-4);

/** `onEdit` is told, in order, of everything in which the answer differs from `text`. */
export type SpokenReader = (text: string, onEdit?: (edit: Edit) => void) => string;

/** `rules` in the order in which they are tried. Linear in the text. */
export function createSpokenReader(rules: readonly Rule[]): SpokenReader {
  const startingWith = {
    letter: rules.filter((known) => known.starts === 'letter'),
    digit: rules.filter((known) => known.starts === 'digit'),
    sign: rules.filter((known) => known.starts === 'sign'),
  };

  function find(text: string, at: number, starts: Rule['starts'], before: string) {
    for (const { pattern, say } of startingWith[starts]) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null || match[0] === '') continue;
      const said = say(match, before);
      if (said === undefined) continue;
      const end = at + match[0].length;
      return { said: isLastPoint(text, end) && /[^.]$/.test(said) ? `${said}.` : said, end };
    }
    return undefined;
  }

  return (text, onEdit = () => {}) => {
    let out = '';
    let last: Piece = { text: '', by: 'writer' };
    /** `piece` is said for `from` to `to`. */
    const add = (piece: Piece, from: number, to: number) => {
      const isSpaced = piece.text !== '' && needsSpace(last, piece);
      if (isSpaced) onEdit({ from, to: from, text: ' ' });
      if (piece.by === 'rule' && piece.text !== text.slice(from, to)) onEdit({ from, to, text: piece.text });
      if (piece.text === '') {
        last = { text: tailOf(out), by: 'writer' };
        return;
      }
      if (isSpaced) out += ' ';
      out += piece.text;
      last = { text: tailOf(piece.text), by: piece.by };
    };

    let at = 0;
    while (at < text.length) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text);
      if (token === null) break;
      if (token.index > at) add({ text: text.slice(at, token.index), by: 'writer' }, at, token.index);
      at = token.index;
      const starts = token.groups?.digit !== undefined ? 'digit' : LETTER.test(token[0]) ? 'letter' : 'sign';
      const before = text.slice(Math.max(0, at - CONTEXT), at);
      const isInside =
        (starts === 'digit' && GLUED_TO_LETTER.test(before)) ||
        (starts === 'letter' && /[\d_]$/.test(before));
      const found = isInside ? undefined : find(text, at, starts, before);
      if (found !== undefined) {
        add({ text: found.said, by: 'rule' }, at, found.end);
        at = found.end;
        continue;
      }
      let end = at + token[0].length;
      if (starts === 'digit') {
        NUMBER_CHAIN.lastIndex = at;
        end = at + (NUMBER_CHAIN.exec(text)?.[0].length ?? 1);
      }
      add({ text: text.slice(at, end), by: 'writer' }, at, end);
      at = end;
    }
    return out + text.slice(at);
  };
}
