// A line plot as one SVG file that needs nothing else: it brings its own light and dark colours, names each line at its
// end, and draws as little beside the lines as a reader needs.

export type PlotPoint = readonly [x: number, y: number];

export type PlotAxis = {
  /** With its unit. */
  readonly label: string;
  readonly scale: 'linear' | 'log';
  /** Where numbers say less than words (`1 h`); by default round numbers. */
  readonly ticks?: readonly (readonly [at: number, label: string])[];
};

export type PlotSeries = {
  readonly name: string;
  readonly points: readonly PlotPoint[];
  /** What was not measured is dashed and has no points. */
  readonly line?: 'measured' | 'dashed';
};

export type LinePlot = {
  readonly title: string;
  readonly x: PlotAxis;
  readonly y: PlotAxis;
  readonly series: readonly PlotSeries[];
};

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { top: 74, right: 36, bottom: 58, left: 68 } as const;
const CHARACTER_PX = 7.6;
const LABEL_GAP_PX = 10;
const LABEL_HEIGHT_PX = 16;
const TICKS = 5;
const STYLE = `
  .paper { fill: #ffffff } .title, .name { font-weight: 600 } .title { font-size: 16px; fill: #1a1d23 }
  text { font: 12px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #5d6470 }
  .grid { stroke: #e8eaee; stroke-width: 1 } .axis { stroke: #aab0ba; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
  .dashed { stroke-width: 1.5; stroke-dasharray: 4 4 } .dot { stroke: #ffffff; stroke-width: 1.5 }
  .s0 { --ink: #1d63c9 } .s1 { --ink: #c2571a } .s2 { --ink: #2b8a5e } .s3 { --ink: #8a4fb3 } .quiet { --ink: #8b929d }
  .line { stroke: var(--ink) } .dot, .name { fill: var(--ink) }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #14171c } .title { fill: #eceef2 } text { fill: #9aa2ae } .dot { stroke: #14171c }
    .grid { stroke: #272b33 } .axis { stroke: #4b525e }
    .s0 { --ink: #6ea8ff } .s1 { --ink: #f0945a } .s2 { --ink: #5fc796 } .s3 { --ink: #c493ea } .quiet { --ink: #7b8390 }
  }`;
const INKS = 4;

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
const px = (value: number): string => String(Math.round(value * 10) / 10);

const told = (value: number): string =>
  Math.abs(value) >= 1e9 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(0)
    : Number(value.toPrecision(6)).toLocaleString('en-GB', { maximumFractionDigits: 6 });

type Scale = {
  readonly ticks: readonly (readonly [at: number, label: string])[];
  /** 0…1 along the axis. */
  readonly share: (value: number) => number;
};

/** 1, 2 or 5 times a power of ten. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
}

/** Round numbers from 0 on; the last is not below `most`. */
function linearTicks(most: number): number[] {
  const step = roundStep(most / TICKS);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** Powers of ten, with 2 and 5 between them where there are few; the first and the last enclose all. */
function logTicks(least: number, most: number): number[] {
  const [low, high] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(most) - 1e-9)];
  const factors = high - low > 3 ? [1] : [1, 2, 5];
  const all = Array.from({ length: high - low + 1 }, (_, i) =>
    factors.map((f) => f * 10 ** (low + i)),
  ).flat();
  const from = all.findLastIndex((tick) => tick <= least * (1 + 1e-9));
  const until = all.findIndex((tick) => tick >= most * (1 - 1e-9));
  return all.slice(Math.max(0, from), until + 1);
}

/** `edge`: the axis ends with the data, or with the first tick behind them. */
function scaleOf(axis: PlotAxis, values: readonly number[], edge: 'data' | 'tick'): Scale {
  const most = Math.max(...values, axis.scale === 'log' ? 1e-9 : 0) || 1;
  const least = Math.min(...values, most);
  const round = axis.scale === 'log' ? logTicks(least, most) : linearTicks(most);
  const put = axis.scale === 'log' ? Math.log10 : (value: number) => value;
  const bounds = edge === 'data' ? [axis.scale === 'log' ? least : 0, most] : [round[0]!, round.at(-1)!];
  const [from, until] = [put(bounds[0]!), put(bounds[1]!)];
  const share = (value: number) => (until === from ? 0.5 : (put(value) - from) / (until - from));
  const isWithin = (value: number) => share(value) > -1e-6 && share(value) < 1 + 1e-6;
  const ticks = axis.ticks ?? round.map((at) => [at, told(at)] as const);
  return { ticks: ticks.filter(([at]) => isWithin(at)), share };
}

/** Moves labels apart that would lie on each other; in the order of their heights. */
function apart<T extends { readonly y: number }>(labels: readonly T[]): T[] {
  let above = Number.NEGATIVE_INFINITY;
  return [...labels]
    .sort((a, b) => a.y - b.y)
    .map((label) => {
      above = Math.max(label.y, above + LABEL_HEIGHT_PX);
      return { ...label, y: above };
    });
}

/** Points that a logarithmic axis cannot show are left out. */
export function linePlot({ title, x, y, series }: LinePlot): string {
  const canShow = (axis: PlotAxis, value: number) =>
    Number.isFinite(value) && (axis.scale === 'linear' || value > 0);
  const shown = series
    .map((each) => ({
      ...each,
      points: each.points.filter(([atX, atY]) => canShow(x, atX) && canShow(y, atY)),
    }))
    .filter(({ points }) => points.length > 0);
  const all = shown.flatMap(({ points }) => points);
  const across = scaleOf(
    x,
    all.map(([value]) => value),
    'data',
  );
  const up = scaleOf(
    y,
    all.map(([, value]) => value),
    'tick',
  );
  const nameWidth = Math.max(0, ...shown.map(({ name }) => name.length)) * CHARACTER_PX + LABEL_GAP_PX;
  const right = WIDTH - Math.max(MARGIN.right, nameWidth + LABEL_GAP_PX);
  const bottom = HEIGHT - MARGIN.bottom;
  const pxX = (value: number) => MARGIN.left + across.share(value) * (right - MARGIN.left);
  const pxY = (value: number) => bottom - up.share(value) * (bottom - MARGIN.top);

  let ink = 0;
  const drawn = shown.map(({ name, points, line = 'measured' }) => {
    const placed = points.map(([atX, atY]) => [pxX(atX), pxY(atY)] as const);
    const kind = line === 'dashed' ? 'quiet' : `s${ink++ % INKS}`;
    return { name, line, kind, placed, y: placed.at(-1)![1] };
  });
  const lines = drawn.flatMap(({ line, kind, placed }) => [
    `<polyline class="line ${line} ${kind}" points="${placed.map(([atX, atY]) => `${px(atX)},${px(atY)}`).join(' ')}"/>`,
    ...(line === 'dashed' ? [] : placed).map(
      ([atX, atY]) => `<circle class="dot ${kind}" cx="${px(atX)}" cy="${px(atY)}" r="4"/>`,
    ),
  ]);
  const names = apart(drawn).map(
    ({ name, kind, placed, y: atY }) =>
      `<text class="name ${kind}" x="${px(placed.at(-1)![0] + LABEL_GAP_PX)}" y="${px(atY + 4)}">${escaped(name)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="title" x="24" y="34">${escaped(title)}</text>`,
    `<text x="24" y="55">${escaped(y.label)}</text>`,
    ...up.ticks.flatMap(([at, label]) => [
      `<line class="grid" x1="${MARGIN.left}" x2="${px(right)}" y1="${px(pxY(at))}" y2="${px(pxY(at))}"/>`,
      `<text x="${MARGIN.left - 10}" y="${px(pxY(at) + 4)}" text-anchor="end">${escaped(label)}</text>`,
    ]),
    `<line class="axis" x1="${MARGIN.left}" x2="${px(right)}" y1="${bottom}" y2="${bottom}"/>`,
    ...across.ticks.flatMap(([at, label]) => [
      `<line class="axis" x1="${px(pxX(at))}" x2="${px(pxX(at))}" y1="${bottom}" y2="${bottom + 4}"/>`,
      `<text x="${px(pxX(at))}" y="${bottom + 19}" text-anchor="middle">${escaped(label)}</text>`,
    ]),
    `<text x="${px((MARGIN.left + right) / 2)}" y="${HEIGHT - 16}" text-anchor="middle">${escaped(x.label)}</text>`,
    ...lines,
    ...names,
    '</svg>',
    '',
  ].join('\n');
}
