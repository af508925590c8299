// Counters, gauges and histograms in Prometheus text form (exposition format 0.0.4). Our own hundred lines,
// because the usual client is deprecated and its successor needs a newer Node; see docs/decisions.
// Labels are a fixed, small set per metric: never a session, a user or a text.

import {
  type Across,
  type Labels,
  labelText,
  type MetricSnapshot,
  type MetricsSnapshot,
  metricsText,
} from './metrics-snapshot.ts';

export type Counter = { add(amount?: number, labels?: Labels): void };
export type Gauge = { set(value: number, labels?: Labels): void };
export type Histogram = { observe(value: number, labels?: Labels): void };

export type Metrics = {
  counter(name: string, help: string): Counter;
  /** `read`, when given, is called at each scrape and replaces `set`. `across`: of several processes; `sum` unless given. */
  gauge(name: string, help: string, read?: () => number, across?: Across): Gauge;
  /** `buckets` are upper bounds in the metric's own unit, ascending; +Inf is added. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** The whole registry at this moment. */
  snapshot(): MetricsSnapshot;
  /** The whole registry as text/plain; version=0.0.4. */
  expose(): string;
};

type Sample = { readonly labels: Labels | undefined; value: number };
type Distribution = {
  readonly labels: Labels | undefined;
  readonly counts: number[];
  sum: number;
  count: number;
};

/** More label sets than this in one metric is a programming mistake; further ones are folded together. */
const MAX_LABEL_SETS = 200;

function lookUp<T>(
  series: Map<string, T>,
  labels: Labels | undefined,
  create: (labels: Labels | undefined) => T,
): T {
  const id = labelText(labels);
  const known = series.get(id);
  if (known !== undefined) return known;
  if (series.size >= MAX_LABEL_SETS) return series.values().next().value as T;
  const made = create(labels);
  series.set(id, made);
  return made;
}

const copies = (series: ReadonlyMap<string, Sample>) => [...series.values()].map((sample) => ({ ...sample }));

export function createMetrics(): Metrics {
  const looks = new Map<string, () => MetricSnapshot>();
  const register = (name: string, look: () => MetricSnapshot) => {
    if (looks.has(name)) throw new Error(`metric ${name} is registered twice`);
    looks.set(name, look);
  };
  const snapshot = () => [...looks.values()].map((look) => look());

  return {
    counter(name, help) {
      const series = new Map<string, Sample>();
      register(name, () => ({ name, help, kind: 'counter', samples: copies(series) }));
      return {
        add(amount = 1, labels) {
          lookUp(series, labels, (l) => ({ labels: l, value: 0 })).value += amount;
        },
      };
    },
    gauge(name, help, read, across = 'sum') {
      const series = new Map<string, Sample>();
      const samples = () => (read === undefined ? copies(series) : [{ labels: undefined, value: read() }]);
      register(name, () => ({ name, help, kind: 'gauge', across, samples: samples() }));
      return {
        set(value, labels) {
          lookUp(series, labels, (l) => ({ labels: l, value: 0 })).value = value;
        },
      };
    },
    histogram(name, help, buckets) {
      const series = new Map<string, Distribution>();
      register(name, () => ({
        name,
        help,
        kind: 'histogram',
        bounds: buckets,
        samples: [...series.values()].map((each) => ({ ...each, counts: [...each.counts] })),
      }));
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
    snapshot,
    expose: () => metricsText(snapshot()),
  };
}
