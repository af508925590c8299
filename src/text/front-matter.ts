// What a site's generator wants to know at the top of a Markdown file, as YAML between lines of `---` or TOML between lines
// of `+++`. It counts only as the very first thing, with a field on its first line: a text may begin with a rule.

import type { Ending } from './sentences/skip.ts';

const OPENS = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/;
const MAY_OPEN = /^\uFEFF?(?:-{0,3}|\+{0,3}|(?:---|\+\+\+)[ \t]*\r?)$/;
/** The longest first line that is looked at. */
const MAX_FIRST = 200;
const FIELD = {
  '---': /^(?:#|["']?[\p{L}_][\p{L}\p{N}_.\-/ ]{0,60}["']?[ \t]*:(?:[ \t]|\r?\n|$))/u,
  '+++': /^(?:#|\[|["']?[\p{L}_][\p{L}\p{N}_.-]{0,60}["']?[ \t]*=)/u,
} as const;
const CLOSES = {
  '---': /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/g,
  '+++': /\n\+\+\+[ \t]*(?:\r?\n|$)/g,
} as const;

/** What stands between the lines, and the length of all of it in UTF-16 units. */
export type FrontMatter = { readonly fields: string; readonly length: number };

/**
 * Judges the beginning of a text. `wait`: it may still be one of at most `most` units. `from` is how far no closing line
 * has been found in a look before.
 */
export function judgeFrontMatter(
  text: string,
  ending: Ending,
  most: number,
  from = 0,
): FrontMatter | 'wait' | undefined {
  const isOpen = ending === 'open' && text.length < most;
  const opening = OPENS.exec(text);
  if (opening === null) return isOpen && MAY_OPEN.test(text) ? 'wait' : undefined;
  const [{ length: at }, fence] = opening as unknown as [string, '---' | '+++'];
  const first = text.slice(at, at + MAX_FIRST);
  if (!FIELD[fence].test(first)) {
    const isWhole = first.includes('\n') || first.length === MAX_FIRST;
    return isOpen && !isWhole ? 'wait' : undefined;
  }
  const closes = CLOSES[fence];
  closes.lastIndex = Math.max(at - 1, text.lastIndexOf('\n', from - 1));
  const closing = closes.exec(text);
  // A last line may grow.
  if (closing !== null && (closing[0].endsWith('\n') || ending === 'closed')) {
    const length = closing.index + closing[0].length;
    return length <= most ? { fields: text.slice(at, closing.index), length } : undefined;
  }
  return isOpen ? 'wait' : undefined;
}
