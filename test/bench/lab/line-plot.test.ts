import { describe, expect, it } from 'vitest';
import { type LinePlot, linePlot } from '../../../bench/lab/line-plot.ts';

const plotted = (plot: Partial<LinePlot>): string =>
  linePlot({
    title: 'Cost',
    x: { label: 'work', scale: 'linear' },
    y: { label: 'CPU, ms', scale: 'linear' },
    series: [
      {
        name: 'measured',
        points: [
          [0, 0],
          [100, 87],
        ],
      },
    ],
    ...plot,
  });

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);
const linesOf = (svg: string): number[][][] =>
  [...svg.matchAll(/<polyline[^>]*points="([^"]*)"/g)].map(([, points]) =>
    points!.split(' ').map((point) => point.split(',').map(Number)),
  );

describe('linePlot', () => {
  it('says what is what: title, both axes with their units, each line', () => {
    expect(textsOf(plotted({}))).toEqual(expect.arrayContaining(['Cost', 'CPU, ms', 'work', 'measured']));
  });

  it('has round numbers from 0 to beyond the most', () => {
    expect(textsOf(plotted({}))).toEqual(expect.arrayContaining(['0', '20', '40', '60', '80', '100']));
    const series = [{ name: 'few', points: [[0, 0.0013] as const, [1, 0.0021] as const] }];
    expect(textsOf(plotted({ series }))).toEqual(expect.arrayContaining(['0.0005', '0.002', '0.0025']));
  });

  it('puts more up and to the right, in proportion', () => {
    const points = [
      [0, 0],
      [50, 50],
      [100, 100],
    ] as const;
    const [line] = linesOf(plotted({ series: [{ name: 'straight', points }] }));
    const [[x0, y0], [x1, y1], [x2, y2]] = line as [number[], number[], number[]];
    expect(x2!).toBeGreaterThan(x0!);
    expect(y2!).toBeLessThan(y0!);
    expect(x1!).toBeCloseTo((x0! + x2!) / 2, 0);
    expect(y1!).toBeCloseTo((y0! + y2!) / 2, 0);
  });

  it('spaces powers evenly on logarithmic axes, and leaves out what they cannot show', () => {
    const points = [
      [0, 5],
      [1, 1],
      [100, 100],
      [10_000, 10_000],
      [20_000, Number.NaN],
    ] as const;
    const axis = { label: 'seconds', scale: 'log' } as const;
    const svg = plotted({ x: axis, y: axis, series: [{ name: 'powers', points }] });
    const [line] = linesOf(svg);
    expect(line).toHaveLength(3);
    expect(line![1]![0]!).toBeCloseTo((line![0]![0]! + line![2]![0]!) / 2, 0);
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['1', '10', '100', '1,000', '10,000']));
  });

  it('takes words for ticks, those that lie on the axis', () => {
    const ticks = [
      [1, 'a second'],
      [60, 'a minute'],
      [3600, 'an hour'],
    ] as const;
    const series = [{ name: 'turn', points: [[1, 1] as const, [100, 2] as const] }];
    const texts = textsOf(plotted({ x: { label: 'length', scale: 'log', ticks }, series }));
    expect(texts).toContain('a minute');
    expect(texts).not.toContain('an hour');
  });

  it('keeps the names of lines apart that end together', () => {
    const points = [[0, 0] as const, [10, 10] as const];
    const svg = plotted({ series: ['one', 'two', 'three'].map((name) => ({ name, points })) });
    const heights = [...svg.matchAll(/class="name[^>]* y="([\d.]+)"/g)]
      .map(([, y]) => Number(y))
      .sort((a, b) => a - b);
    expect(heights).toHaveLength(3);
    for (const [i, y] of heights.slice(1).entries()) expect(y - heights[i]!).toBeGreaterThanOrEqual(12);
  });

  it('lets no text become markup', () => {
    const svg = plotted({ title: `<script>"&'`, series: [{ name: '</svg>', points: [[1, 1]] }] });
    expect(svg).not.toContain('<script>');
    expect(svg.match(/<\/svg>/g)).toHaveLength(1);
  });

  it('is whole without a point to show', () => {
    for (const scale of ['linear', 'log'] as const) {
      const svg = plotted({ x: { label: 'x', scale }, y: { label: 'y', scale }, series: [] });
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it('has colours for both kinds of page', () => {
    expect(plotted({})).toContain('prefers-color-scheme: dark');
  });
});
