import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/base/metrics.ts';

const linesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('counters', () => {
  it('are there from the start, with every combination of their labels', () => {
    const metrics = createMetrics();
    metrics.counter('plain_total', 'Plain.');
    metrics.counters('pairs_total', 'Pairs.', { kind: ['a', 'b'], status: ['x', 'y'] });
    expect(linesOf(metrics.expose())).toEqual([
      'plain_total 0',
      'pairs_total{kind="a",status="x"} 0',
      'pairs_total{kind="a",status="y"} 0',
      'pairs_total{kind="b",status="x"} 0',
      'pairs_total{kind="b",status="y"} 0',
    ]);
  });

  it('begin with the series that are named, where not every combination can come', () => {
    const metrics = createMetrics();
    const counter = metrics.counters('some_total', 'Some.', { kind: ['a', 'b'], status: ['x', 'y'] }, [
      { kind: 'a', status: 'x' },
    ]);
    expect(linesOf(metrics.expose())).toEqual(['some_total{kind="a",status="x"} 0']);
    counter.add(2, { kind: 'b', status: 'y' });
    expect(linesOf(metrics.expose()).at(-1)).toBe('some_total{kind="b",status="y"} 2');
  });

  it('count each of 500 keys in its own series', () => {
    const metrics = createMetrics();
    const keys = Array.from({ length: 500 }, (_, i) => `k${i}`);
    const counter = metrics.counters('keys_total', 'Keys.', { key: keys });
    for (const [i, key] of keys.entries()) counter.add(i, { key });
    expect(linesOf(metrics.expose())).toEqual(keys.map((key, i) => `keys_total{key="${key}"} ${i}`));
  });

  it('add up values that were not said as `other`, and in no other series', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('a', 'b', 'strange', 'new', '__proto__', ''),
            fc.integer({ min: 1, max: 9 }),
          ),
        ),
        (events) => {
          const metrics = createMetrics();
          const counter = metrics.counters('events_total', 'Events.', { of: ['a', 'b'] });
          const sums: Record<string, number> = { a: 0, b: 0 };
          for (const [of, amount] of events) {
            counter.add(amount, { of });
            const series = of === 'a' || of === 'b' ? of : 'other';
            sums[series] = (sums[series] ?? 0) + amount;
          }
          const expected = Object.entries(sums).map(([of, sum]) => `events_total{of="${of}"} ${sum}`);
          expect(linesOf(metrics.expose())).toEqual(expected);
        },
      ),
    );
  });

  it('may be counted elsewhere', () => {
    const metrics = createMetrics();
    let seconds = 1;
    metrics.readCounter('cpu_seconds_total', 'Time.', () => seconds);
    seconds = 2.5;
    expect(linesOf(metrics.expose())).toEqual(['cpu_seconds_total 2.5']);
  });

  it('cannot have the name of another metric', () => {
    const metrics = createMetrics();
    metrics.counter('one_total', 'One.');
    expect(() => metrics.gauge('one_total', 'One.', () => 1)).toThrow('registered twice');
  });
});

describe('gauges', () => {
  it('have one series for each of 500 keys and its states', () => {
    const metrics = createMetrics();
    const keys = Array.from({ length: 500 }, (_, i) => `k${i}`);
    const states = ['ready', 'refused'] as const;
    metrics.gauges(
      'key_state',
      'State.',
      { key: keys, state: states },
      () =>
        keys.flatMap((key) => states.map((state) => [{ key, state }, state === 'ready' ? 1 : 0] as const)),
      'most',
    );
    const lines = linesOf(metrics.expose());
    expect(lines).toHaveLength(1000);
    expect(lines.at(-2)).toBe('key_state{key="k499",state="ready"} 1');
  });

  it('say of values that were not said what is true of one of them', () => {
    const metrics = createMetrics();
    metrics.gauges(
      'key_state',
      'State.',
      { key: ['k1'], state: ['refused'] },
      () => [
        [{ key: 'k1', state: 'refused' }, 0],
        [{ key: 'k2', state: 'refused' }, 1],
        [{ key: 'k3', state: 'refused' }, 0],
      ],
      'most',
    );
    expect(linesOf(metrics.expose())).toEqual([
      'key_state{key="k1",state="refused"} 0',
      'key_state{key="other",state="refused"} 1',
    ]);
  });

  it('have no sample while nobody can tell', () => {
    const metrics = createMetrics();
    let value: number | undefined;
    metrics.gauge('open_files', 'Open.', () => value);
    expect(linesOf(metrics.expose())).toEqual([]);
    value = 3;
    expect(linesOf(metrics.expose())).toEqual(['open_files 3']);
  });
});

describe('histograms', () => {
  it('are there from the start and add up what was not said', () => {
    const metrics = createMetrics();
    const waits = metrics.histograms('wait_seconds', 'Waits.', [1, 5], { class: ['first'] });
    expect(linesOf(metrics.expose())).toEqual([
      'wait_seconds_bucket{class="first",le="1"} 0',
      'wait_seconds_bucket{class="first",le="5"} 0',
      'wait_seconds_bucket{class="first",le="+Inf"} 0',
      'wait_seconds_sum{class="first"} 0',
      'wait_seconds_count{class="first"} 0',
    ]);
    waits.observe(0.5, { class: 'first' });
    for (const wait of [2, 9]) waits.observe(wait, { class: `odd ${wait}` });
    expect(linesOf(metrics.expose()).slice(5)).toEqual([
      'wait_seconds_bucket{class="other",le="1"} 0',
      'wait_seconds_bucket{class="other",le="5"} 1',
      'wait_seconds_bucket{class="other",le="+Inf"} 2',
      'wait_seconds_sum{class="other"} 11',
      'wait_seconds_count{class="other"} 2',
    ]);
  });
});
