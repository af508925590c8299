// The gateway's own metrics as anyone reads them, from /metrics: values, and quantiles of what a histogram counted
// between two looks.

export type ScrapedMetrics = {
  /** Sum over all label sets, or over those with `label` (`code="200"`); 0 when there is none. */
  value(name: string, label?: string): number;
  /** Counts at or below each upper bound, ascending. */
  buckets(name: string): readonly (readonly [bound: number, count: number])[];
};

const LINE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/;

/** Reads the text form, version 0.0.4. */
export function readMetrics(text: string): ScrapedMetrics {
  const lines = text
    .split('\n')
    .map((line) => LINE.exec(line))
    .filter((match) => match !== null)
    .map(([, name, labels = '', value]) => ({ name: name!, labels, value: Number(value) }));
  return {
    value: (name, label = '') =>
      lines
        .filter((line) => line.name === name && line.labels.includes(label))
        .reduce((sum, line) => sum + line.value, 0),
    buckets: (name) =>
      lines
        .filter((line) => line.name === `${name}_bucket`)
        .map(({ labels, value }) => [
          Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace('+Inf', 'Infinity')),
          value,
        ]),
  };
}

/**
 * The value that `share` of what was counted between two looks does not exceed, in the metric's unit, read
 * linearly within its bucket; beyond the last finite bound, that bound. NaN when nothing was counted.
 */
export function quantileBetween(
  earlier: ScrapedMetrics,
  later: ScrapedMetrics,
  name: string,
  share: number,
): number {
  const before = new Map(earlier.buckets(name));
  const counts = later
    .buckets(name)
    .map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const);
  const total = counts.at(-1)?.[1] ?? 0;
  if (total === 0) return Number.NaN;
  const wanted = share * total;
  let [lowBound, lowCount] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return lowBound;
      return lowBound + ((bound - lowBound) * (wanted - lowCount)) / Math.max(1, count - lowCount);
    }
    [lowBound, lowCount] = [bound, count];
  }
  return lowBound;
}
