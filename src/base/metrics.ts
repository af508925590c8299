// Counters, gauges and histograms in Prometheus text form (exposition format 0.0.4). Our own hundred lines,
// because the usual client is deprecated and its successor needs a newer Node; see docs/decisions.
// Labels are a fixed, small set per metric: never a session, a user or a text.

type Labels = Readonly<Record<string, string>>;

export type Counter = { add(amount?: number, labels?: Labels): void };
export type Gauge = { set(value: number, labels?: Labels): void };
export type Histogram = { observe(value: number, labels?: Labels): void };

export type Metrics = {
  counter(name: string, help: string): Counter;
  /** `read`, when given, is called at each scrape and replaces `set`. */
  gauge(name: string, help: string, read?: () => number): Gauge;
  /** `buckets` are upper bounds in the metric's own unit, ascending; +Inf is added. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** The whole registry as text/plain; version=0.0.4. */
  expose(): string;
};

const escapeLabel = (value: string) => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`));

const key = (labels: Labels | undefined, extra?: string): string => {
  const parts = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  if (extra !== undefined) parts.push(extra);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
};

type Sample = { readonly labels: Labels | undefined; value: number };
type Distribution = {
  readonly labels: Labels | undefined;
  readonly counts: number[];
  sum: number;
  count: number;
};

/** More label sets than this in one metric is a programming mistake; further ones are folded together. */
const MOST_LABEL_SETS = 200;

function lookUp<T>(
  series: Map<string, T>,
  labels: Labels | undefined,
  create: (labels: Labels | undefined) => T,
): T {
  const id = key(labels);
  const known = series.get(id);
  if (known !== undefined) return known;
  if (series.size >= MOST_LABEL_SETS) return series.values().next().value as T;
  const made = create(labels);
  series.set(id, made);
  return made;
}

export function createMetrics(): Metrics {
  const blocks = new Map<string, () => string>();
  const register = (name: string, help: string, kind: string, lines: () => string[]) => {
    if (blocks.has(name)) throw new Error(`metric ${name} is registered twice`);
    blocks.set(name, () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines(), ''].join('\n'));
  };
  const plain = (name: string, series: Map<string, Sample>) => () =>
    [...series.values()].map((sample) => `${name}${key(sample.labels)} ${sample.value}`);

  return {
    counter(name, help) {
      const series = new Map<string, Sample>();
      register(name, help, 'counter', plain(name, series));
      return {
        add(amount = 1, labels) {
          lookUp(series, labels, (l) => ({ labels: l, value: 0 })).value += amount;
        },
      };
    },
    gauge(name, help, read) {
      const series = new Map<string, Sample>();
      register(name, help, 'gauge', read === undefined ? plain(name, series) : () => [`${name} ${read()}`]);
      return {
        set(value, labels) {
          lookUp(series, labels, (l) => ({ labels: l, value: 0 })).value = value;
        },
      };
    },
    histogram(name, help, buckets) {
      const series = new Map<string, Distribution>();
      register(name, help, 'histogram', () =>
        [...series.values()].flatMap(({ labels, counts, sum, count }) => {
          let below = 0;
          const lines = buckets.map((bound, index) => {
            below += counts[index] ?? 0;
            return `${name}_bucket${key(labels, `le="${bound}"`)} ${below}`;
          });
          lines.push(`${name}_bucket${key(labels, 'le="+Inf"')} ${count}`);
          return [...lines, `${name}_sum${key(labels)} ${sum}`, `${name}_count${key(labels)} ${count}`];
        }),
      );
      return {
        observe(value, labels) {
          const found = lookUp(series, labels, (l) => ({
            labels: l,
            counts: new Array<number>(buckets.length).fill(0),
            sum: 0,
            count: 0,
          }));
          const index = buckets.findIndex((bound) => value <= bound);
          if (index >= 0) found.counts[index] = (found.counts[index] ?? 0) + 1;
          found.sum += value;
          found.count += 1;
        },
      };
    },
    expose: () => [...blocks.values()].map((block) => block()).join(''),
  };
}
