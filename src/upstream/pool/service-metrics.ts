// The metrics of several pools, each series with the name of its service. A pool makes its metrics as if it were alone; those of
// the same name become one family.

import type { LabelValues, Metrics } from '../../base/metrics.ts';

type Labels = Readonly<Record<string, string>>;
type Read = () => Iterable<readonly [labels: Labels, value: number]>;

/** `values`: all values of labels that differ from service to service. */
export function createServiceMetrics(
  metrics: Metrics,
  services: readonly string[],
  values: LabelValues,
): (service: string) => Metrics {
  const made = new Map<string, unknown>();
  /** One family for each name, made by the first service that asks for it. */
  const family = <Each>(name: string, make: () => Each): Each => {
    const known = made.get(name) as Each | undefined;
    if (known !== undefined) return known;
    const first = make();
    made.set(name, first);
    return first;
  };
  const withService = (own: LabelValues): LabelValues => {
    const labels: Record<string, readonly string[]> = { service: services, ...own };
    for (const [name, all] of Object.entries(values)) if (name in own) labels[name] = all;
    return labels;
  };
  const readers = (name: string, make: (read: Read) => void): Map<string, Read> =>
    family(name, () => {
      const each = new Map<string, Read>();
      make(() =>
        [...each].flatMap(([service, read]) =>
          Array.from(read(), ([labels, value]) => [{ service, ...labels }, value] as const),
        ),
      );
      return each;
    });

  return (service) => {
    const counters = (name: string, help: string, own: LabelValues) => {
      // Only what can come is there from the start: a key belongs to one service.
      const all = family(name, () =>
        metrics.counters(name, help, withService(own), 'key' in own ? [] : undefined),
      );
      return { add: (amount: number, labels: Labels) => all.add(amount, { service, ...labels }) };
    };
    const histograms = (name: string, help: string, buckets: readonly number[], own: LabelValues) => {
      const all = family(name, () => metrics.histograms(name, help, buckets, withService(own)));
      return { observe: (value: number, labels: Labels) => all.observe(value, { service, ...labels }) };
    };
    const gauges = (
      name: string,
      help: string,
      own: LabelValues,
      read: Read,
      across: Parameters<Metrics['gauges']>[4],
    ) => {
      readers(name, (all) => metrics.gauges(name, help, withService(own), all, across)).set(service, read);
    };
    const asOne: Metrics = {
      ...metrics,
      counters,
      histograms,
      gauges,
      counter(name, help) {
        const one = counters(name, help, {});
        return { add: (amount = 1) => one.add(amount, {}) };
      },
      histogram(name, help, buckets) {
        const one = histograms(name, help, buckets, {});
        return { observe: (value) => one.observe(value, {}) };
      },
      gauge: (name, help, read, across) =>
        gauges(
          name,
          help,
          {},
          () => {
            const value = read();
            return value === undefined ? [] : [[{}, value] as const];
          },
          across,
        ),
    };
    return asOne;
  };
}
