// Active level by ITU-T P.56 (12/2011), method B (clause 8), as it is written there: sample by sample, with all samples at hand. What the
// product measures in blocks is held against it.

const [TIME_CONSTANT_S, HANGOVER_S, MARGIN_DB] = [0.03, 0.2, 15.9];

/** dB of full scale, and the share of the time in which there is speech; −Infinity and 0 where there is none. */
export function activeLevel(
  samples: Float32Array,
  sampleRate: number,
): { readonly levelDb: number; readonly activity: number } {
  const thresholds = Array.from({ length: 15 }, (_, j) => 2 ** -(15 - j));
  const active = thresholds.map(() => 0);
  const hangover = Math.ceil(HANGOVER_S * sampleRate);
  const since = thresholds.map(() => hangover);
  const g = Math.exp(-1 / (sampleRate * TIME_CONSTANT_S));
  let [p, q, squares] = [0, 0, 0];
  for (const sample of samples) {
    squares += sample * sample;
    p = g * p + (1 - g) * Math.abs(sample);
    q = g * q + (1 - g) * p;
    for (const [j, threshold] of thresholds.entries()) {
      if (q >= threshold) since[j] = 0;
      else if (since[j]! >= hangover) continue;
      else since[j]! += 1;
      active[j]! += 1;
    }
  }
  let before: { readonly levelDb: number; readonly overDb: number } | undefined;
  for (const [j, threshold] of thresholds.entries()) {
    if (active[j] === 0) break;
    const levelDb = 10 * Math.log10(squares / active[j]!);
    const overDb = levelDb - 20 * Math.log10(threshold);
    if (overDb <= MARGIN_DB) {
      const share = before === undefined ? 1 : (before.overDb - MARGIN_DB) / (before.overDb - overDb);
      const foundDb = before === undefined ? levelDb : before.levelDb + share * (levelDb - before.levelDb);
      return { levelDb: foundDb, activity: squares / 10 ** (foundDb / 10) / samples.length };
    }
    before = { levelDb, overDb };
  }
  const levelDb = before?.levelDb ?? Number.NEGATIVE_INFINITY;
  return { levelDb, activity: before === undefined ? 0 : squares / 10 ** (levelDb / 10) / samples.length };
}
