// What belongs to the pages of a plain text and not to it: running heads, page numbers, footnotes. Formatters of manuals and RFCs
// print them between the lines of a sentence.

/** So often the same line, numbers aside, is a running head. */
const MIN_TIMES = 3;
const FOOTNOTE_RULE = /^\s*_{5,}\s*$/;

const shapeOf = (line: string): string =>
  line
    .trim()
    .replace(/\s+/gu, ' ')
    .replace(/\p{N}+/gu, '0');
/** A page number, or words at both edges of a page. */
const mayBeFurniture = (line: string): boolean =>
  /^\s*(?:[-–[]\s?)?(?:page\s)?\p{N}{1,4}(?:\s?[-–\]])?\s*$/iu.test(line) || /\S\s{3,}\S/u.test(line.trim());

/**
 * `parts` without furniture; a part that a page's end has cut in two is whole. Linear.
 */
export function withoutPages(parts: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const times = new Map<string, number>();
  for (const part of parts)
    for (const line of part.length === 1 ? part : [])
      if (mayBeFurniture(line)) times.set(shapeOf(line), (times.get(shapeOf(line)) ?? 0) + 1);
  const isFurniture = ([line = '', ...others]: readonly string[]) =>
    others.length === 0 && mayBeFurniture(line) && (times.get(shapeOf(line)) ?? 0) >= MIN_TIMES;
  if (![...times.values()].some((count) => count >= MIN_TIMES)) return parts;
  const kept: string[][] = [];
  let cut = false;
  for (const part of parts) {
    if (isFurniture(part)) {
      cut = true;
      continue;
    }
    const rule = part.findIndex((line) => FOOTNOTE_RULE.test(line));
    const lines = rule < 0 ? part : part.slice(0, rule);
    if (lines.length === 0) continue;
    const before = kept.at(-1);
    const goesOn = cut && before !== undefined && /[\p{L}\p{N},;‐-]\s*$/u.test(before.at(-1)!);
    if (goesOn && /^\s*[\p{Ll}(]/u.test(lines[0]!)) for (const line of lines) before.push(line);
    else kept.push([...lines]);
    cut = false;
  }
  return kept;
}
