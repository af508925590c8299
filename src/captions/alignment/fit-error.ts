// How far off the word times of an alignment are, told by how well it fits. Measured: speech of our engine and of ten
// voices of other synthesisers, in twelve languages, clean and with noise, held against one reference voice.

/** [mean cost of a frame of speech, error in ms that 19 of 20 words stay below], rising. */
const MEASURED = [
  [7, 16],
  [8, 60],
  [10, 65],
  [11, 86],
  [12, 120],
  [13.5, 300],
  [16, 800],
] as const;

/** The 95th percentile of the error, ms, of words in speech that costs `meanCost` a frame. */
export function fitErrorMs(meanCost: number): number {
  const above = MEASURED.findIndex(([cost]) => meanCost < cost);
  if (above < 0) return MEASURED.at(-1)![1];
  const [cost, errorMs] = MEASURED[above]!;
  if (above === 0) return errorMs;
  const [costBelow, errorBelowMs] = MEASURED[above - 1]!;
  return errorBelowMs + ((errorMs - errorBelowMs) * (meanCost - costBelow)) / (cost - costBelow);
}
