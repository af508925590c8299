// Metrics of several pools: one family each, every series with its service.
import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/base/metrics.ts';
import { createServiceMetrics } from '../../../src/upstream/pool/service-metrics.ts';

it('joins what two services count under one name', () => {
  const all = createMetrics();
  const of = createServiceMetrics(all, ['a', 'b'], { key: ['k1', 'k2'] });
  for (const [service, key, held] of [
    ['a', 'k1', 2],
    ['b', 'k2', 3],
  ] as const) {
    const metrics = of(service);
    metrics.counters('c_total', 'c', { outcome: ['ok', 'no'] }).add(held, { outcome: 'ok' });
    metrics.gauge('g', 'g', () => held);
    metrics.gauges('k', 'k', { key: [key] }, () => [[{ key }, held]], 'most');
    metrics.histogram('h', 'h', [1, 5]).observe(held);
  }
  const lines = all.expose().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'c_total{service="a",outcome="ok"} 2',
      'c_total{service="b",outcome="ok"} 3',
      'c_total{service="b",outcome="no"} 0',
      'g{service="a"} 2',
      'k{service="b",key="k2"} 3',
      'h_bucket{service="a",le="1"} 0',
      'h_count{service="b"} 1',
    ]),
  );
  expect(lines.filter((line) => line.startsWith('# TYPE g'))).toHaveLength(1);
});
