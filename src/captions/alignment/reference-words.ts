// The times of the caller's words in the reference speech, from what the speech program reported. It reports none of the
// words that it runs together or leaves out: these share the time up to the next one by their weights. Pure.

export type ToldWord = { readonly startMs: number; readonly charStart: number };

/**
 * When each word begins that begins before `endMs`, where what is spoken so far ends at code point `spokenTo`
 * of the text: as many numbers as there are such words, not falling. `wordAt` rises.
 */
export function referenceWordTimes(
  { wordAt, weights }: { readonly wordAt: readonly number[]; readonly weights: readonly number[] },
  told: readonly ToldWord[],
  spokenTo: number,
  endMs: number,
): number[] {
  let count = wordAt.findIndex((at) => at >= spokenTo);
  if (count < 0) count = wordAt.length;
  const startsMs = new Array<number>(count).fill(Number.NaN);
  let next = 0;
  /** The first of the words before `next` that begin in one place: something is said for them as a whole. */
  let word = 0;
  for (const { startMs, charStart } of told) {
    for (; next < count && wordAt[next]! <= charStart; next += 1)
      if (wordAt[next]! > wordAt[word]!) word = next;
    if (next > 0 && Number.isNaN(startsMs[word])) startsMs[word] = startMs;
  }
  let lastMs = 0;
  for (let from = 0; from < count; ) {
    let to = from;
    while (to < count && Number.isNaN(startsMs[to])) to += 1;
    // Of a run that was not told, from the word in front of it, whose time it shares, to the next that was.
    const nextMs = to < count ? Math.max(startsMs[to]!, lastMs) : Math.max(endMs, lastMs);
    shareTime(startsMs, weights, { from, to, lastMs, nextMs });
    if (to < count) {
      startsMs[to] = nextMs;
      lastMs = nextMs;
    }
    from = to + 1;
  }
  return startsMs;
}

/**
 * Words from `from` up to `to`, of which no time is known, begin within the time from `lastMs`, where the word in front of
 * them began, to `nextMs`: each so far into it as what stands before it has of the weight.
 */
export function shareTime(
  startsMs: number[] | Float64Array,
  weights: readonly number[],
  { from, to, lastMs, nextMs }: Readonly<Record<'from' | 'to' | 'lastMs' | 'nextMs', number>>,
): void {
  const first = Math.max(0, from - 1);
  let whole = 0;
  for (let w = first; w < to; w += 1) whole += weights[w]!;
  let passed = 0;
  for (let w = first; w < to; w += 1) {
    if (w >= from) startsMs[w] = lastMs + (whole === 0 ? 0 : ((nextMs - lastMs) * passed) / whole);
    passed += weights[w]!;
  }
}
