// What the gateway costs as its work grows, in three directions: live streams, sessions that are silent, and the length of
// a turn. A cost that grows worse than its work is where a bigger machine would not help.

import type { Bench, BenchPlot, BenchResult, BenchRun } from './bench.ts';
import { measureSessions } from './growing-sessions.ts';
import { measureStreams } from './growing-streams.ts';
import { LENGTH_TICKS, measureTurns } from './growing-turns.ts';
import { type CostGrowth, growthOfCost, isWorseThanLinear } from './growth-of-cost.ts';
import {
  costsOf,
  GROWTH_ROWS,
  type GrowthRow,
  type GrowthRowName,
  type GrowthStep,
  type MeasureGrowth,
  overIdleOf,
} from './lab/growth-row.ts';
import { linePlot, type PlotAxis } from './lab/line-plot.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** What the resident set of a process that does the same all the time goes up and down by. */
const NOISE_BYTES = 8 * MIB;

type Kind = {
  readonly measure: MeasureGrowth;
  /** One unit of its work, and many. */
  readonly one: string;
  readonly many: string;
  readonly cpu: string;
  readonly x: PlotAxis;
};

const KINDS: Readonly<Record<GrowthRowName, Kind>> = {
  streams: {
    measure: measureStreams,
    one: 'stream',
    many: 'live streams',
    cpu: 'CPU, ms per second',
    x: { label: 'live µ-law streams', scale: 'linear' },
  },
  sessions: {
    measure: measureSessions,
    one: 'session',
    many: 'idle sessions',
    cpu: 'CPU, ms per second',
    x: { label: 'connected sessions in which nobody says anything', scale: 'linear' },
  },
  length: {
    measure: measureTurns,
    one: 'second of audio',
    many: 'length of a turn',
    cpu: 'CPU for the whole turn, ms',
    x: { label: 'length of one turn, sent as fast as it is made', scale: 'log', ticks: LENGTH_TICKS },
  },
};

const COSTS = {
  cpu: { of: () => (step: GrowthStep) => step.cpuMs, noise: 0, unit: 'ms', in: 1, title: 'processor time' },
  memory: { of: overIdleOf, noise: NOISE_BYTES, unit: 'KiB', in: KIB, title: 'memory' },
} as const;
type CostName = keyof typeof COSTS;
const COST_NAMES = ['cpu', 'memory'] as const satisfies readonly CostName[];

const digits = (value: number): string =>
  value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : value < 100 ? 1 : 0);
const costsIn = (row: GrowthRow, cost: CostName) => costsOf(row, COSTS[cost].of(row));
const growthOf = (row: GrowthRow, cost: CostName): CostGrowth | undefined =>
  growthOfCost(costsIn(row, cost), COSTS[cost].noise);

const rowOf = ({ name, work, cpuMs, latenessMs }: GrowthStep, overIdleBytes: number): readonly string[] => [
  name,
  digits(cpuMs),
  digits(cpuMs / work),
  (overIdleBytes / MIB).toFixed(1),
  digits(overIdleBytes / KIB / work),
  latenessMs === undefined ? '' : `${latenessMs.tick.toFixed(1)} / ${latenessMs.frame.toFixed(1)}`,
];

function sentenceOf(kind: Kind, cost: CostName, growth: CostGrowth | undefined): string {
  const { unit, in: of, title } = COSTS[cost];
  const what = `${kind.many}, ${title}`;
  if (growth === undefined) return `${what}: too little, or too few steps, to say how it grows.`;
  const { least, most, exponent } = growth;
  const verdict = isWorseThanLinear(growth) ? 'worse than linear' : 'no worse than linear';
  return `${what}: ${digits(least.cost / of)} ${unit} for each ${kind.one} at ${least.work}, ${digits(most.cost / of)} at ${most.work}; exponent ${exponent.toFixed(2)}, ${verdict}.`;
}

/** Beside what was measured, what less work would cost if each unit were as dear as at the largest step. */
function plotOf(name: GrowthRowName, row: GrowthRow, cost: CostName): BenchPlot {
  const kind = KINDS[name];
  const shown = cost === 'cpu' ? 1 : MIB;
  const points = costsIn(row, cost).map(({ work, cost: value }) => [work, value / shown] as const);
  const growth = growthOf(row, cost);
  // Memory begins near 0, which a logarithmic axis has not.
  const scale = cost === 'cpu' ? kind.x.scale : 'linear';
  const line = (work: number) => [work, (work * (growth?.most.cost ?? 0)) / shown] as const;
  return {
    name: `${name}-${cost}`,
    svg: linePlot({
      title: `${kind.many[0]!.toUpperCase()}${kind.many.slice(1)}: ${COSTS[cost].title}`,
      x: kind.x,
      y: {
        label: cost === 'cpu' ? kind.cpu : 'Resident memory over the idle gateway, MiB',
        scale,
      },
      series: [
        ...(growth === undefined || scale !== kind.x.scale
          ? []
          : [
              {
                name: 'linear',
                line: 'dashed' as const,
                points: [line(points[0]![0]), line(growth.most.work)],
              },
            ]),
        { name: 'measured', points },
      ],
    }),
  };
}

/** Of the largest step that was carried. */
function figuresOf(name: GrowthRowName, row: GrowthRow): Readonly<Record<string, number>> {
  const last = row.steps.findLast(({ state }) => state === 'carried');
  if (last === undefined) return {};
  const { work, cpuMs } = last;
  const overIdleBytes = overIdleOf(row)(last);
  const exponents = Object.fromEntries(
    COST_NAMES.flatMap((cost) => {
      const growth = growthOf(row, cost);
      return growth === undefined
        ? []
        : [[`${name}${cost === 'cpu' ? 'Cpu' : 'Memory'}Exponent`, growth.exponent]];
    }),
  );
  const kib = overIdleBytes / KIB / work;
  const own = {
    streams: { streams: work, cpuMsPerStreamSecond: cpuMs / work, liveStreamKiB: kib },
    sessions: {
      idleSessions: work,
      cpuMsPerThousandIdleSessionSeconds: (1000 * cpuMs) / work,
      idleSessionKiB: kib,
    },
    length: { turnSeconds: work, cpuMsPerAudioSecond: cpuMs / work, longestTurnMiB: overIdleBytes / MIB },
  }[name];
  return { ...own, ...exponents };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const measured: (readonly [GrowthRowName, GrowthRow])[] = [];
  for (const name of GROWTH_ROWS)
    if (bench.only === undefined || bench.only === name)
      measured.push([name, await KINDS[name].measure(bench)]);
  const all = <T>(of: (name: GrowthRowName, row: GrowthRow) => readonly T[]): T[] =>
    measured.flatMap(([name, row]) => of(name, row));
  return {
    title: `growth: what more work costs one process; 24 kHz MP3 in, µ-law out, ${bench.numbers.seconds} s a step`,
    columns: ['', 'CPU, ms', 'for one, ms', 'over idle, MiB', 'for one, KiB', 'tick / frame p99, ms'],
    rows: all((_, row) => row.steps.map((step) => rowOf(step, overIdleOf(row)(step)))),
    notes: [
      ...all((name, row) => COST_NAMES.map((cost) => sentenceOf(KINDS[name], cost, growthOf(row, cost)))),
      ...all((_, { notes }) => notes),
      'CPU is of a second for streams and sessions, and of the whole turn for a length; "one" is a stream, a session, a second of audio.',
      'Memory is the resident set beyond the least that was seen of this gateway once it had been used; of a turn it is the most.',
      'Aims: at most 25 KB for an idle session and 150 KB for a live stream; at most 40 and 250 in any case.',
    ],
    figures: Object.assign({}, ...measured.map(([name, row]) => figuresOf(name, row))) as Record<
      string,
      number
    >,
    faults: all((_, { faults }) => faults),
    plots: all((name, row) => COST_NAMES.map((cost) => plotOf(name, row, cost))),
  };
}

export const growth: Bench = {
  summary:
    'what more streams, more idle sessions and longer turns cost, and whether that grows worse than linear',
  defaults: { streams: 1000, sessions: 20_000, minutes: 60, seconds: 6, seed: 1 },
  parts: GROWTH_ROWS,
  needs: 'minutes',
  run,
};
