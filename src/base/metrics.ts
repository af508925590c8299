// Counters, gauges and histograms in Prometheus text form (exposition format 0.0.4). Our own lines, because the usual
// client is deprecated and its successor needs a newer Node; see docs/decisions.
// A family with labels says beforehand which values each of them has. Every combination is a series from the start, so
// that `increase()` sees the first event; a value that was not said counts as `other`, so that no series is ever folded
// into another one and no peer can make as many as it likes. Never a session, a user or a text.

import {
  type Across,
  JOINS,
  joinSamples,
  type Labels,
  type MetricSnapshot,
  type MetricsSnapshot,
  metricsText,
  type Sample,
} from './metrics-snapshot.ts';

/** The labels of a family, and the values of each. */
export type LabelValues<Name extends string = string> = Readonly<Record<Name, readonly string[]>>;
type LabelSet<Name extends string> = Readonly<Record<Name, string>>;

export type Counter = { add(amount?: number): void };
export type LabelledCounter<Name extends string> = { add(amount: number, labels: LabelSet<Name>): void };
export type Histogram = { observe(value: number): void };
export type LabelledHistogram<Name extends string> = { observe(value: number, labels: LabelSet<Name>): void };

export type Metrics = {
  counter(name: string, help: string): Counter;
  /** `first`: the series that are there from the start, where not every combination can come. */
  counters<Name extends string>(
    name: string,
    help: string,
    values: LabelValues<Name>,
    first?: readonly LabelSet<Name>[],
  ): LabelledCounter<Name>;
  /** Of something that is counted elsewhere: `read` is called at each scrape. */
  readCounter(name: string, help: string, read: () => number): void;
  /** `read` is called at each scrape; undefined: nobody can tell. `across`: of several processes; `sum` unless given. */
  gauge(name: string, help: string, read: () => number | undefined, across?: Across): void;
  /** As `gauge`, of every series that there is now; those of unknown values are joined, as those of several processes are. */
  gauges<Name extends string>(
    name: string,
    help: string,
    values: LabelValues<Name>,
    read: () => Iterable<readonly [labels: LabelSet<Name>, value: number]>,
    across?: Across,
  ): void;
  /** `buckets` are upper bounds in the metric's own unit, ascending; +Inf is added. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  histograms<Name extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    values: LabelValues<Name>,
  ): LabelledHistogram<Name>;
  /** The whole registry at this moment. */
  snapshot(): MetricsSnapshot;
  /** The whole registry as text/plain; version=0.0.4. */
  expose(): string;
};

/** What is not among the values of a label. */
const OTHER = 'other';

const NO_LABELS: LabelValues<never> = {};

/** `{ a: ['1', '2'], b: ['x'] }` as `{ a: '1', b: 'x' }` and `{ a: '2', b: 'x' }`. */
function combinations<Name extends string>(values: LabelValues<Name>): readonly LabelSet<Name>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [name, each] of Object.entries<readonly string[]>(values))
    sets = sets.flatMap((set) => each.map((value) => ({ ...set, [name]: value })));
  return sets as LabelSet<Name>[];
}

/** The series of one metric by their labels, in the order in which they first came. */
class Family<Name extends string, Each> {
  private readonly names: readonly Name[];
  private readonly known: readonly ReadonlySet<string>[];
  private readonly series = new Map<string, Each>();
  private readonly create: (labels: Labels | undefined) => Each;

  constructor(
    values: LabelValues<Name>,
    create: (labels: Labels | undefined) => Each,
    first: readonly LabelSet<Name>[] = combinations(values),
  ) {
    this.names = Object.keys(values) as Name[];
    this.known = this.names.map((name) => new Set(values[name]));
    this.create = create;
    for (const labels of first) this.of(labels);
  }

  of(labels: LabelSet<Name> | undefined): Each {
    const values = this.valuesOf(labels);
    const id = values.join('\u0000');
    const found = this.series.get(id);
    if (found !== undefined) return found;
    const made = this.create(this.labelsOf(values));
    this.series.set(id, made);
    return made;
  }
  all(): readonly Each[] {
    return [...this.series.values()];
  }

  private valuesOf(labels: LabelSet<Name> | undefined): readonly string[] {
    return this.names.map((name, i) => {
      const value = labels?.[name];
      return value !== undefined && this.known[i]!.has(value) ? value : OTHER;
    });
  }
  private labelsOf(values: readonly string[]): Labels | undefined {
    if (values.length === 0) return undefined;
    return Object.fromEntries(this.names.map((name, i) => [name, values[i]!]));
  }
}

type Counted = { readonly labels: Labels | undefined; value: number };
type Distributed = {
  readonly labels: Labels | undefined;
  readonly counts: number[];
  sum: number;
  count: number;
};

const zero = (labels: Labels | undefined): Counted => ({ labels, value: 0 });

export function createMetrics(): Metrics {
  const looks = new Map<string, () => MetricSnapshot>();
  const register = (name: string, look: () => MetricSnapshot) => {
    if (looks.has(name)) throw new Error(`metric ${name} is registered twice`);
    looks.set(name, look);
  };
  const snapshot = () => [...looks.values()].map((look) => look());

  const counters: Metrics['counters'] = (name, help, values, first) => {
    const family = new Family(values, zero, first);
    const samples = () => family.all().map((sample) => ({ ...sample }));
    register(name, () => ({ name, help, kind: 'counter', samples: samples() }));
    return {
      add(amount, labels) {
        family.of(labels).value += amount;
      },
    };
  };
  const gauges: Metrics['gauges'] = (name, help, values, read, across = 'sum') => {
    // Of each series its labels, which are the same object at every scrape.
    const family = new Family(values, (labels) => labels, []);
    const samples = (): readonly Sample[] =>
      joinSamples(
        Array.from(read(), ([labels, value]) => ({ labels: family.of(labels), value })),
        JOINS[across],
      );
    register(name, () => ({ name, help, kind: 'gauge', across, samples: samples() }));
  };
  const histograms: Metrics['histograms'] = (name, help, buckets, values) => {
    const family = new Family<string, Distributed>(values, (labels) => ({
      labels,
      counts: new Array<number>(buckets.length).fill(0),
      sum: 0,
      count: 0,
    }));
    const samples = () => family.all().map((each) => ({ ...each, counts: [...each.counts] }));
    register(name, () => ({ name, help, kind: 'histogram', bounds: buckets, samples: samples() }));
    return {
      observe(value, labels) {
        const found = family.of(labels);
        const index = buckets.findIndex((bound) => value <= bound);
        if (index >= 0) found.counts[index] = (found.counts[index] ?? 0) + 1;
        found.sum += value;
        found.count += 1;
      },
    };
  };

  return {
    counter(name, help) {
      const family = counters(name, help, NO_LABELS);
      return { add: (amount = 1) => family.add(amount, {}) };
    },
    counters,
    readCounter(name, help, read) {
      register(name, () => ({
        name,
        help,
        kind: 'counter',
        samples: [{ labels: undefined, value: read() }],
      }));
    },
    gauge(name, help, read, across) {
      const now = () => {
        const value = read();
        return value === undefined ? [] : [[{}, value] as const];
      };
      gauges(name, help, NO_LABELS, now, across);
    },
    gauges,
    histogram(name, help, buckets) {
      const family = histograms(name, help, buckets, NO_LABELS);
      return { observe: (value) => family.observe(value, {}) };
    },
    histograms,
    snapshot,
    expose: () => metricsText(snapshot()),
  };
}
