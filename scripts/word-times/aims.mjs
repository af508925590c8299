// What the word times have to be, and which of it a group of speeches misses.

/** Milliseconds that the starts of words may be off. Dialogues of our own voices are ours, too. */
const OWN = { whole: { medianMs: 10, p95Ms: 40 }, streamed: { medianMs: 20, p95Ms: 80 } };
const FOREIGN = { whole: { medianMs: 30, p95Ms: 120 }, streamed: { medianMs: 45, p95Ms: 180 } };

export const aimsOf = (kind) => (kind === 'foreign' ? FOREIGN : OWN);

/** In words, what `figures` of speeches of `kind` miss. */
export function missedAims(kind, figures) {
  const missed = [];
  for (const [pass, aims] of Object.entries(aimsOf(kind)))
    for (const [name, most] of Object.entries(aims)) {
      const found = figures[pass][name];
      if (found > most) missed.push(`${pass} ${name} is ${found.toFixed(1)}, not ${most} or less`);
    }
  if (figures.lateHeard > 0) missed.push(`${figures.lateHeard} words went out when they had been heard`);
  if (figures.unsaid > 0) missed.push(`${figures.unsaid} words never went out`);
  const { ahead, short, all } = figures.moments;
  if (ahead > 0) missed.push(`at ${ahead} of ${all} moments a word was told that had not begun`);
  if (short > 0) missed.push(`at ${short} of ${all} moments more than one word was missing`);
  return missed;
}
