// What of a text had been spoken when playing stopped: everything up to the end of the last word that had begun.

import type { Run } from '../../text/segment.ts';

export type HeardText = { readonly spokenText: string; readonly remainingText: string };

/** The place of a word: `line` of the dialogue, `charEnd` in code points of that line. */
export type WordEnd = { readonly line: number; readonly charEnd: number };

/** The UTF-16 index of code point `codePoint` of `text`. */
function utf16Index(text: string, codePoint: number): number {
  let index = 0;
  for (let passed = 0; passed < codePoint && index < text.length; passed += 1) {
    index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  }
  return index;
}

/** `text` without its first `points` code points. */
export const textBehind = (text: string, points: number): string => text.slice(utf16Index(text, points));

const textOf = (line: readonly Run[]) => line.map(({ text }) => text).join('');

/** What of a line stands before code point `point`, and the rest. */
function parted(line: readonly Run[], point: number): readonly [string, string] {
  let [before, behind] = ['', ''];
  for (const { text, start } of line) {
    const cut = point <= start ? 0 : utf16Index(text, point - start);
    before += text.slice(0, cut);
    behind += text.slice(cut);
  }
  return [before, behind];
}

/**
 * `lines` are the caller's own: one for a text, several for a dialogue, told with newlines between, without what was left out
 * of them (what a model thinks). `last` undefined: nothing was heard. Spoken and remaining text together are the whole, but
 * for that newline.
 */
export function heardText(lines: readonly (readonly Run[])[], last: WordEnd | undefined): HeardText {
  const texts = lines.map(textOf);
  if (last === undefined) return { spokenText: '', remainingText: texts.join('\n') };
  const [spoken, rest] = parted(lines[last.line] ?? [], last.charEnd);
  const remainingText = [rest, ...texts.slice(last.line + 1)].join('\n');
  // A closing bracket or a line end is no speech that was missed.
  if (!/[\p{L}\p{N}]/u.test(remainingText)) return { spokenText: texts.join('\n'), remainingText: '' };
  return { spokenText: [...texts.slice(0, last.line), spoken].join('\n'), remainingText };
}
