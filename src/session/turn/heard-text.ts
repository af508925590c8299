// What of a text had been spoken when playing stopped: everything up to the end of the last word that had begun.

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

/**
 * `lines` are the caller's own: one for a text, several for a dialogue, told with newlines between.
 * `last` undefined: nothing was heard. Spoken and remaining text together are the whole, but for that newline.
 */
export function heardText(lines: readonly string[], last: WordEnd | undefined): HeardText {
  if (last === undefined) return { spokenText: '', remainingText: lines.join('\n') };
  const line = lines[last.line] ?? '';
  const cut = utf16Index(line, last.charEnd);
  const remainingText = [line.slice(cut), ...lines.slice(last.line + 1)].join('\n');
  // A closing bracket or a line end is no speech that was missed.
  if (!/[\p{L}\p{N}]/u.test(remainingText)) return { spokenText: lines.join('\n'), remainingText: '' };
  return { spokenText: [...lines.slice(0, last.line), line.slice(0, cut)].join('\n'), remainingText };
}
