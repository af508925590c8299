// `voxgate bench`: the benchmarks, each printing one table and one line of JSON. It is also how a bench starts the
// gateway and the fake upstream that it measures, in processes of their own.

import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { type Command, type Flags, JSON_FLAG, type Terminal, UsageError } from '../src/cli/command.ts';
import { readFlags } from '../src/cli/read-flags.ts';
import { AUDIO_FORMATS, type ServiceFormat } from '../src/speech/audio-format.ts';
import {
  BENCH_NUMBERS,
  type Bench,
  type BenchNumber,
  type BenchPlot,
  type BenchRun,
  type BenchUpstream,
  report,
} from './bench.ts';
import { BENCHES } from './benches.ts';
import { act } from './lab/actor.ts';
import { isBenchRole } from './lab/bench-role.ts';
import { machinePace } from './lab/machine-pace.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { isQuotaWindow, QUOTA_WINDOWS, type QuotaWindow } from './lab/quota-windows.ts';
import { startRole } from './lab/start-role.ts';

const NUMBER_OPTIONS = {
  streams: { type: 'string' },
  sessions: { type: 'string' },
  'heavy-streams': { type: 'string' },
  onlookers: { type: 'string' },
  seconds: { type: 'string' },
  samples: { type: 'string' },
  rounds: { type: 'string' },
  'block-ms': { type: 'string' },
  'outage-seconds': { type: 'string' },
  characters: { type: 'string' },
  minutes: { type: 'string' },
  'load-percent': { type: 'string' },
  seed: { type: 'string' },
} as const satisfies Flags;
const OPTIONS = {
  ...NUMBER_OPTIONS,
  ...JSON_FLAG,
  engine: { type: 'boolean' },
  window: { type: 'string' },
  format: { type: 'string' },
  only: { type: 'string' },
  plots: { type: 'string', completes: 'folder' },
} as const;
type Flag = keyof typeof NUMBER_OPTIONS;

const NUMBER_OF: Readonly<Record<Flag, BenchNumber>> = {
  streams: 'streams',
  sessions: 'sessions',
  'heavy-streams': 'heavyStreams',
  onlookers: 'onlookers',
  seconds: 'seconds',
  samples: 'samples',
  rounds: 'rounds',
  'block-ms': 'blockMs',
  'outage-seconds': 'outageSeconds',
  characters: 'characters',
  minutes: 'minutes',
  'load-percent': 'loadPercent',
  seed: 'seed',
};
const FLAGS = Object.keys(NUMBER_OPTIONS) as Flag[];

type Given = Readonly<Partial<Record<BenchNumber, number>>>;

function readNumbers(values: Readonly<Partial<Record<Flag, string>>>): Given {
  const given: Partial<Record<BenchNumber, number>> = {};
  for (const flag of FLAGS) {
    const text = values[flag];
    if (text === undefined) continue;
    const { least, most } = BENCH_NUMBERS[NUMBER_OF[flag]];
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < least || value > most)
      throw new UsageError(
        `--${flag} is ${JSON.stringify(text)}; allowed: a whole number from ${least} to ${most}`,
      );
    given[NUMBER_OF[flag]] = value;
  }
  return given;
}

const NO_NUMBERS = Object.fromEntries(Object.keys(BENCH_NUMBERS).map((name) => [name, 0])) as Record<
  BenchNumber,
  number
>;

/** A bench's own defaults and what was given for it; what it does not take is 0 and never read. */
function numbersFor(bench: Bench, given: Given, upstream: BenchUpstream): BenchRun['numbers'] {
  const numbers = {
    ...NO_NUMBERS,
    ...bench.defaults,
    ...(upstream === 'engine' ? bench.engineDefaults : {}),
  };
  for (const name of Object.keys(bench.defaults) as BenchNumber[])
    numbers[name] = given[name] ?? numbers[name];
  return numbers;
}

function readWindow(name: string | undefined, text: string | undefined): QuotaWindow | undefined {
  if (text === undefined) return undefined;
  if (name === undefined || BENCHES[name]?.window === undefined)
    throw new UsageError('--window is for quota alone');
  if (isQuotaWindow(text)) return text;
  throw new UsageError(
    `--window is ${JSON.stringify(text)}; allowed: ${Object.keys(QUOTA_WINDOWS).join(', ')}`,
  );
}

function readFormat(name: string | undefined, text: string | undefined): ServiceFormat | undefined {
  if (text === undefined) return undefined;
  if (name === undefined || BENCHES[name]?.format === undefined)
    throw new UsageError('--format is for job alone');
  const format = AUDIO_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new UsageError(`--format is ${JSON.stringify(text)}; allowed: ${AUDIO_FORMATS.join(', ')}`);
}

const benchesWithParts = (): string =>
  Object.entries(BENCHES)
    .flatMap(([name, { parts = [] }]) => (parts.length === 0 ? [] : [name]))
    .join(', ');

function readOnly(name: string | undefined, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parts = name === undefined ? undefined : BENCHES[name]?.parts;
  if (parts === undefined) throw new UsageError(`--only is for ${benchesWithParts()}`);
  if (parts.includes(text)) return text;
  throw new UsageError(`--only is ${JSON.stringify(text)}; allowed: ${parts.join(', ')}`);
}

function writePlots(terminal: Terminal, folder: string, bench: string, plots: readonly BenchPlot[]): void {
  terminal.makeFolder(folder);
  for (const { name, svg } of plots)
    terminal.writeFile(join(folder, `${bench}-${name}.svg`), Buffer.from(svg));
}

const takenBy = (bench: Bench): Flag[] =>
  FLAGS.filter((flag) => bench.defaults[NUMBER_OF[flag]] !== undefined);

function chosenBenches(
  name: string | undefined,
  given: Given,
  upstream: BenchUpstream,
): (readonly [string, Bench])[] {
  if (name === 'all' && upstream === 'engine') throw new UsageError('--engine is for pacing alone');
  if (name === 'all') return Object.entries(BENCHES).filter(([, { needs }]) => needs === undefined);
  const bench = name !== undefined && Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (name === undefined || bench === undefined) {
    const names = [...Object.keys(BENCHES), 'all'].join(', ');
    const what = name === undefined ? 'Name a bench' : `There is no bench ${JSON.stringify(name)}`;
    throw new UsageError(`${what}; there are ${names}.`);
  }
  if (upstream === 'engine' && bench.engineDefaults === undefined)
    throw new UsageError(`--engine is not for ${name}; it is for pacing`);
  const foreign = FLAGS.find(
    (flag) => given[NUMBER_OF[flag]] !== undefined && !takenBy(bench).includes(flag),
  );
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign} is not for ${name}; it takes ${takenBy(bench)
        .map((flag) => `--${flag}`)
        .join(', ')}`,
    );
  return [[name, bench]];
}

const TELL_EVERY_MS = 10_000;

/** Where no terminal shows it, a line of standard error now and then: some benches take minutes. */
function progressOf({ isInteractive, status, complain }: Terminal): BenchRun['progress'] {
  if (isInteractive) return status;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    const nowMs = monotonicMs();
    if (nowMs - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = nowMs;
    complain(line);
  };
}

async function run(terminal: Terminal): Promise<number> {
  const { values, positionals } = readFlags(terminal.args, OPTIONS, 'one');
  const name = positionals[0];
  if (name !== undefined && isBenchRole(name)) {
    await act(terminal.input, terminal.print, (plan) => startRole(name, plan, terminal.env.PATH));
    return 0;
  }
  const given = readNumbers(values);
  const upstream = values.engine === true ? 'engine' : 'fake';
  const window = readWindow(name, values.window);
  const format = readFormat(name, values.format);
  const only = readOnly(name, values.only);
  setMaxListeners(0, terminal.interrupted); // hundreds of clients wait at the same time
  let faults = 0;
  for (const [benchName, bench] of chosenBenches(name, given, upstream)) {
    const numbers = numbersFor(bench, given, upstream);
    const pace = machinePace();
    const result = await bench.run({
      numbers,
      upstream,
      window: window ?? bench.window ?? 'sliding',
      format: format ?? bench.format ?? 'mp3',
      only,
      signal: terminal.interrupted,
      progress: progressOf(terminal),
    });
    // The line of JSON is the last.
    const lines = report(benchName, numbers, result, pace);
    for (const line of values.json ? lines.slice(-1) : lines) terminal.print(line);
    if (values.plots !== undefined && result.plots !== undefined)
      writePlots(terminal, values.plots, benchName, result.plots);
    faults += result.faults.length;
  }
  return faults === 0 ? 0 : 1;
}

const help = (): string =>
  [
    'Usage: voxgate bench NAME [--FLAG N …] [--engine]',
    '       voxgate bench all',
    '',
    ...Object.entries(BENCHES).flatMap(([name, bench]) => [
      `  ${name.padEnd(16)}${bench.summary}`,
      `  ${''.padEnd(16)}${takenBy(bench)
        .map((flag) => `--${flag} ${bench.defaults[NUMBER_OF[flag]]}`)
        .join('  ')}`,
    ]),
    '',
    ...FLAGS.map((flag) => {
      const { least, most, meaning } = BENCH_NUMBERS[NUMBER_OF[flag]];
      return `  --${flag.padEnd(15)}${meaning} (${least} to ${most})`;
    }),
    `  --${'engine'.padEnd(15)}pacing: the embedded engine instead of a fake upstream, ${BENCHES.pacing?.engineDefaults?.streams} streams`,
    `  --${'window'.padEnd(15)}quota: how the service counts, ${Object.keys(QUOTA_WINDOWS).join(', ')}`,
    `  --${'format'.padEnd(15)}job: what the file is, ${AUDIO_FORMATS.join(', ')}`,
    ...Object.entries(BENCHES).flatMap(([name, { parts = [] }]) =>
      parts.length === 0 ? [] : [`  --${'only'.padEnd(15)}${name}: measure this alone, ${parts.join(', ')}`],
    ),
    `  --${'json'.padEnd(15)}the line of JSON alone`,
    `  --${'plots'.padEnd(15)}a folder for the plots of a bench that makes some, as SVG; without it none is written`,
    '',
    'Gateway and upstream run in processes of their own, on loopback. Each bench ends in a table and a line of JSON;',
    'the exit code is 1 when a promise was broken, never because a machine is slow. beside-relay, growth, hostile,',
    'limited-keys, peers, quota, slices and soak take minutes and are not part of all; quota needs redis-server.',
  ].join('\n');

export const bench: Command = {
  flags: OPTIONS,
  operand: [...Object.keys(BENCHES), 'all'],
  help,
  run,
};
