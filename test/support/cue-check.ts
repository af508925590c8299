// The rules of cues, by code that shares nothing with what makes them: what is outside, and whether any other way of cutting would
// have been inside. A cue that is outside counts as unavoidable where the least time that must be missing over the
// whole text, found by trying all ways, is as much as is missing in the cues that were made.

export type RuledWord = { readonly text: string; readonly startMs: number; readonly endMs: number };
export type ShownCue = {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
};
export type Rules = { readonly lineChars: number; readonly perSecond: number };

export const RULES: Readonly<Record<'spaced' | 'mandarin' | 'korean' | 'japanese', Rules>> = {
  spaced: { lineChars: 42, perSecond: 20 },
  mandarin: { lineChars: 16, perSecond: 9 },
  korean: { lineChars: 16, perSecond: 12 },
  japanese: { lineChars: 13, perSecond: Number.POSITIVE_INFINITY },
};
const MIN_MS = 1000;
const MAX_MS = 7000;

const chars = (text: string): number => [...text].length;
const neededMs = (count: number, { perSecond }: Rules): number =>
  Math.max(MIN_MS, Math.ceil((count * 1000) / perSecond));

/** What is wrong with a cue by itself. */
export function outside(cue: ShownCue, rules: Rules): string[] {
  const shownMs = cue.endMs - cue.startMs;
  const count = chars(cue.lines.join(' '));
  const wrong: string[] = [];
  if (cue.lines.length > 2) wrong.push('lines');
  if (cue.lines.some((line) => chars(line) > rules.lineChars)) wrong.push('wide');
  if (shownMs < MIN_MS) wrong.push('short');
  if (shownMs > MAX_MS) wrong.push('long');
  if (shownMs < Math.ceil((count * 1000) / rules.perSecond)) wrong.push('fast');
  if (/^\(?\d{1,3}[.)]$/.test(cue.lines.join(' '))) wrong.push('number alone');
  return wrong;
}

/** Milliseconds that are missing for a cue to be read. */
export const missingMs = (cue: ShownCue, rules: Rules): number =>
  Math.max(0, neededMs(chars(cue.lines.join(' ')), rules) - (cue.endMs - cue.startMs));

/** A word with what stands between it and the next. */
export type QuotedWord = RuledWord & { readonly space: '' | ' ' };

function fits(words: readonly QuotedWord[], from: number, to: number, lineChars: number): boolean {
  const textOf = (a: number, b: number) =>
    words
      .slice(a, b)
      .map(({ text, space }, at) => text + (at === b - a - 1 ? '' : space))
      .join('');
  if (chars(textOf(from, to)) <= lineChars) return true;
  for (let at = from + 1; at < to; at += 1)
    if (chars(textOf(from, at)) <= lineChars && chars(textOf(at, to)) <= lineChars) return true;
  return false;
}

/** The least time that is missing over all ways to cut the words. */
export function leastMissing(
  words: readonly QuotedWord[],
  rules: Rules,
  endMs = Number.POSITIVE_INFINITY,
): number {
  const best = [0, ...words.map(() => Number.POSITIVE_INFINITY)];
  for (let to = 1; to <= words.length; to += 1) {
    const nextMs = words[to]?.startMs ?? endMs;
    for (let from = to - 1; from >= 0; from -= 1) {
      const { startMs } = words[from]!;
      if (to - from > 1 && words[to - 1]!.endMs - startMs > MAX_MS) break;
      if (to - from > 90) break;
      if (!fits(words, from, to, rules.lineChars)) continue;
      const count = words
        .slice(from, to)
        .reduce(
          (sum, { text, space }, at) => sum + chars(text) + (at === to - from - 1 ? 0 : space.length),
          0,
        );
      const missing = Math.max(0, neededMs(count, rules) - (nextMs - startMs));
      best[to] = Math.min(best[to]!, best[from]! + missing);
    }
  }
  return best.at(-1)!;
}
