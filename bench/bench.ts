// What a bench is: a name in the command, the numbers it takes, and a run that ends in one table and one set of
// figures. A bench measures; it asserts only what must hold on any machine (no byte after `ended`, say).

import { cpus, loadavg } from 'node:os';
import type { ServiceFormat } from '../src/speech/audio-format.ts';
import type { MachinePace } from './lab/machine-pace.ts';
import type { QuotaWindow } from './lab/quota-windows.ts';

/** What a caller may set; a bench takes those that it has a default for. */
export const BENCH_NUMBERS = {
  streams: { least: 1, most: 2000, meaning: 'live turns that play the whole time' },
  sessions: { least: 1, most: 100_000, meaning: 'sessions in which nobody says anything' },
  seconds: { least: 2, most: 600, meaning: 'length of the measurement' },
  heavyStreams: { least: 1, most: 64, meaning: 'turns beside them, also in formats whose encoders are dear' },
  onlookers: { least: 1, most: 200, meaning: 'those who look on at the session' },
  samples: { least: 5, most: 10_000, meaning: 'measured turns, cancels or starts' },
  rounds: { least: 1, most: 100, meaning: 'times that the variants are measured in turn' },
  blockMs: { least: 0, most: 1000, meaning: "hold the gateway's event loop for so long, twice a second" },
  outageSeconds: {
    least: 0,
    most: 300,
    meaning: 'Redis is emptied once, and dead for so long; 0 = it lives',
  },
  characters: { least: 1000, most: 250_000, meaning: 'length of the text' },
  minutes: {
    least: 0,
    most: 240,
    meaning: 'a soak; a narration in real time, for its drift (0 = none); the longest turn of growth',
  },
  loadPercent: { least: 5, most: 90, meaning: 'of a core, that the main thread is to be busy' },
  seed: { least: 0, most: 2 ** 31 - 1, meaning: 'of everything that looks random' },
} as const;
export type BenchNumber = keyof typeof BENCH_NUMBERS;

/** Made-up audio that costs next to nothing, from a process of its own; or the gateway's embedded engine. */
export type BenchUpstream = 'fake' | 'engine';

export type BenchRun = {
  readonly numbers: Readonly<Record<BenchNumber, number>>;
  readonly upstream: BenchUpstream;
  /** How the service counts, for a bench that has a default for it. */
  readonly window: QuotaWindow;
  /** What a file is made as, for a bench that has a default for it. */
  readonly format: ServiceFormat;
  /** The one part that is measured, of a bench that has parts; undefined is all of them. */
  readonly only: string | undefined;
  readonly signal: AbortSignal;
  /** Says what is going on, to a terminal only. */
  readonly progress: (line: string) => void;
};

/** A plot that a bench makes of what it measured; `name` becomes a part of the file's. */
export type BenchPlot = { readonly name: string; readonly svg: string };

export type BenchResult = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader must know to read the table. */
  readonly notes: readonly string[];
  /** Names carry their unit. */
  readonly figures: Readonly<Record<string, number>>;
  /** Promises that were broken; empty is good. */
  readonly faults: readonly string[];
  readonly plots?: readonly BenchPlot[];
};

export type Bench = {
  readonly summary: string;
  readonly defaults: Readonly<Partial<Record<BenchNumber, number>>>;
  /** What differs with the engine; a bench without it knows the fake upstream only. */
  readonly engineDefaults?: Readonly<Partial<Record<BenchNumber, number>>>;
  /** How the service counts, if that may be set. */
  readonly window?: QuotaWindow;
  /** What a file is made as, if that may be chosen. */
  readonly format?: ServiceFormat;
  /** What can be measured by itself. */
  readonly parts?: readonly string[];
  /** A system program without which nothing can be measured, or much time; such a bench is not among `all`. */
  readonly needs?: 'redis-server' | 'minutes';
  run(run: BenchRun): Promise<BenchResult>;
};

const rounded = (figures: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(4))]));

const machine = (pace: MachinePace): Readonly<Record<string, string | number>> => {
  const cores = cpus();
  return {
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    node: process.version,
    load: Number(loadavg()[0]?.toFixed(2)),
    ...rounded(pace),
  };
};

const pad = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

/** The result as lines: title, table, notes, and one line of JSON. `pace`: of the machine, right before. */
export function report(
  name: string,
  numbers: BenchRun['numbers'],
  result: BenchResult,
  pace: MachinePace,
): readonly string[] {
  const { title, columns, rows, notes, figures, faults } = result;
  const table = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `  ${widths.map((width, column) => pad(row[column] ?? '', width, column)).join('  ')}`.trimEnd();
  return [
    title,
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    ...notes.map((note) => `  ${note}`),
    `  The machine before it: ${pace.memoryNs.toFixed(0)} ns for a read among 8 MB, ${pace.filterMs.toFixed(1)} ms for a filter over 24,000 samples.`,
    ...faults.map((fault) => `  FAULT: ${fault}`),
    JSON.stringify({ bench: name, machine: machine(pace), numbers, figures: rounded(figures), faults }),
    '',
  ];
}
