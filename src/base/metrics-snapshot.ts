// All metrics of a process at one moment, as plain data that can be sent to another process: several merge into one, and
// each can be written in the exposition format 0.0.4 of Prometheus.

export type Labels = Readonly<Record<string, string>>;

/** What several processes have of one gauge together. */
export type Across = 'sum' | 'most' | 'least';

export type Sample = { readonly labels: Labels | undefined; readonly value: number };
/** `counts` are of each bucket by itself; what lies beyond the last is in `count` alone. */
export type Distribution = {
  readonly labels: Labels | undefined;
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
};

export type MetricSnapshot = { readonly name: string; readonly help: string } & (
  | { readonly kind: 'counter'; readonly samples: readonly Sample[] }
  | { readonly kind: 'gauge'; readonly across: Across; readonly samples: readonly Sample[] }
  | {
      readonly kind: 'histogram';
      readonly bounds: readonly number[];
      readonly samples: readonly Distribution[];
    }
);

export type MetricsSnapshot = readonly MetricSnapshot[];

const escapeLabel = (value: string) => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`));

/** Of labels that are the same objects at every scrape; thousands of series are written while others wait. */
const texts = new WeakMap<Labels, string>();

/** `name="value",…`, or nothing. */
function pairsOf(labels: Labels | undefined): string {
  if (labels === undefined) return '';
  const known = texts.get(labels);
  if (known !== undefined) return known;
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  const text = pairs.join(',');
  texts.set(labels, text);
  return text;
}

/** `{name="value"}`, or nothing. */
const labelText = (labels: Labels | undefined, extra = ''): string => {
  const pairs = pairsOf(labels);
  if (pairs === '' && extra === '') return '';
  return pairs === '' || extra === '' ? `{${pairs}${extra}}` : `{${pairs},${extra}}`;
};

const distributionLines = (name: string, bounds: readonly number[], each: Distribution): string[] => {
  const { labels, counts, sum, count } = each;
  let below = 0;
  const lines = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket${labelText(labels, `le="${bound}"`)} ${below}`;
  });
  lines.push(`${name}_bucket${labelText(labels, 'le="+Inf"')} ${count}`);
  return [...lines, `${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${count}`];
};

const linesOf = (metric: MetricSnapshot): string[] =>
  metric.kind === 'histogram'
    ? metric.samples.flatMap((each) => distributionLines(metric.name, metric.bounds, each))
    : metric.samples.map(({ labels, value }) => `${metric.name}${labelText(labels)} ${value}`);

export const metricsText = (snapshot: MetricsSnapshot): string =>
  snapshot
    .map((metric) =>
      [
        `# HELP ${metric.name} ${metric.help}`,
        `# TYPE ${metric.name} ${metric.kind}`,
        ...linesOf(metric),
        '',
      ].join('\n'),
    )
    .join('');

/** Those of the same labels as one. */
export function joinSamples<Each extends { readonly labels: Labels | undefined }>(
  samples: readonly Each[],
  join: (a: Each, b: Each) => Each,
): readonly Each[] {
  const byLabels = new Map<string, Each>();
  for (const sample of samples) {
    const id = labelText(sample.labels);
    const known = byLabels.get(id);
    byLabels.set(id, known === undefined ? sample : join(known, sample));
  }
  return [...byLabels.values()];
}

const added = (a: Sample, b: Sample): Sample => ({ ...a, value: a.value + b.value });
/** What several samples of one series are together. */
export const JOINS: Readonly<Record<Across, (a: Sample, b: Sample) => Sample>> = {
  sum: added,
  most: (a, b) => (b.value > a.value ? b : a),
  least: (a, b) => (b.value < a.value ? b : a),
};
const addedUp = (a: Distribution, b: Distribution): Distribution => ({
  labels: a.labels,
  counts: a.counts.map((count, index) => count + (b.counts[index] ?? 0)),
  sum: a.sum + b.sum,
  count: a.count + b.count,
});

function joinMetrics(a: MetricSnapshot, b: MetricSnapshot): MetricSnapshot {
  if (a.kind === 'histogram' && b.kind === 'histogram')
    return { ...a, samples: joinSamples([...a.samples, ...b.samples], addedUp) };
  if (a.kind === 'counter' && b.kind === 'counter')
    return { ...a, samples: joinSamples([...a.samples, ...b.samples], added) };
  if (a.kind === 'gauge' && b.kind === 'gauge')
    return {
      ...a,
      samples: joinSamples([...a.samples, ...b.samples], JOINS[a.across]),
    };
  return a;
}

/** Counters and histograms added up, gauges as each says; in the order in which their names first come. */
export function joinSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const byName = new Map<string, MetricSnapshot>();
  for (const metric of snapshots.flat()) {
    const known = byName.get(metric.name);
    byName.set(metric.name, known === undefined ? metric : joinMetrics(known, metric));
  }
  return [...byName.values()];
}

/** What remains of a process that has ended: its counts, and none of its gauges. */
export const countedIn = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ kind }) => kind !== 'gauge');
