// What it costs to know whether a body is whole. Live µ-law turns of real speech without captions are measured in turn through
// a gateway that judges endings by their sound and through one that holds each body against its own speech of the text;
// the speech service tells nothing of its bodies' length. Whatever else happens to the machine happens to both.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { FRAME_MS } from './lab/frame-schedule.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import { type SpokenLine, speakLines, turnOf } from './lab/spoken-lines.ts';
import { medianOf } from './lab/spread.ts';
import { costBetween } from './lab/stretch-cost.ts';

const WARM_UP_MS = 10_000;
const KIB = 1024;

const VARIANTS = ['sound', 'words'] as const;
type Variant = (typeof VARIANTS)[number];

/** Processor times in ms per second of one turn; NaN where the system does not tell threads apart. */
export type Stretch = {
  readonly main: number;
  readonly otherThreads: number;
  readonly timer: number;
  readonly program: number;
  readonly residentKib: number;
  readonly tickP99Ms: number;
  readonly frameP99Ms: number;
  readonly underruns: number;
  readonly heard: number;
  readonly unproved: number;
  readonly doubted: number;
  readonly frames: number;
  readonly errors: number;
};

async function measure(
  lab: Lab,
  lines: readonly SpokenLine[],
  { numbers: { streams, seconds, seed }, signal }: BenchRun,
): Promise<Stretch> {
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: streams,
    seed,
    signal,
    textFor: (length, random) => turnOf(lines, length, random),
  });
  try {
    await pause(WARM_UP_MS, undefined, { signal });
    const earlier = await lab.metrics();
    const stretch = await measureStretch(lab, [listeners], seconds, signal);
    const later = await lab.metrics();
    const counted = (name: string, label?: string) => later.value(name, label) - earlier.value(name, label);
    const tally = stretch.tallies[0]!;
    return {
      ...costBetween(stretch.before, stretch.after, (tally.frames * FRAME_MS) / 1000),
      residentKib: (await lab.residentBytes()) / KIB / streams,
      tickP99Ms: stretch.tickP99Ms,
      frameP99Ms: stretch.frameLatenessMs.p99,
      underruns: tally.underruns,
      heard: counted('voxgate_whole_bodies_total', 'by="heard"'),
      unproved: counted('voxgate_whole_bodies_total', 'by="nothing"'),
      doubted: counted('voxgate_doubtful_bodies_total'),
      frames: tally.frames,
      errors: tally.errors,
    };
  } finally {
    await listeners.stop();
  }
}

/** Each variant has a gateway of its own with its flags, and they are measured in turn. */
export async function measureRounds<V extends string>(
  lines: readonly SpokenLine[],
  bench: BenchRun,
  variants: Readonly<Record<V, readonly string[]>>,
): Promise<Readonly<Record<V, readonly Stretch[]>>> {
  const { rounds, seed } = bench.numbers;
  const names = Object.keys(variants) as V[];
  const stretches = Object.fromEntries(names.map((name) => [name, [] as Stretch[]])) as Record<V, Stretch[]>;
  const labs: [V, Lab][] = [];
  try {
    for (const name of names) {
      const flags = ['--word-times', 'never', ...variants[name]];
      labs.push([name, await openLab({ seed, upstream: { lines }, flags })]);
    }
    for (let round = 1; round <= rounds; round += 1)
      for (const [name, lab] of labs) {
        bench.progress(`round ${round} of ${rounds}: ${name}`);
        stretches[name].push(await measure(lab, lines, bench));
      }
  } finally {
    for (const [, lab] of labs) await lab.close();
  }
  return stretches;
}

export const cell = (value: number, digits: number): string =>
  Number.isNaN(value) ? '–' : value.toFixed(digits);

function resultOf(
  { numbers: { streams, seconds, rounds } }: BenchRun,
  stretches: Readonly<Record<Variant, readonly Stretch[]>>,
): BenchResult {
  const all = (variant: Variant, name: keyof Stretch) => stretches[variant].map((stretch) => stretch[name]);
  const median = (variant: Variant, name: keyof Stretch) => medianOf(all(variant, name));
  const total = (variant: Variant, name: keyof Stretch) =>
    all(variant, name).reduce((sum, value) => sum + value, 0);
  const medians = (title: string, name: keyof Stretch, digits: number) => [
    title,
    ...VARIANTS.map((variant) => cell(median(variant, name), digits)),
  ];
  const totals = (title: string, name: keyof Stretch) => [
    title,
    ...VARIANTS.map((variant) => String(total(variant, name))),
  ];
  const errors = total('sound', 'errors') + total('words', 'errors');
  const figure = (name: keyof Stretch) =>
    VARIANTS.map((variant) => [`${variant}_${name}`, median(variant, name)] as const);
  return {
    title: `endings: ${streams} live µ-law turns without captions, ${rounds} × ${seconds} s each`,
    columns: ['', 'judged by sound', 'by words'],
    rows: [
      medians('main thread, CPU ms per turn-second', 'main', 2),
      medians('other threads (compiler, collector)', 'otherThreads', 2),
      medians('word timer, in spare time', 'timer', 2),
      medians('speech program, in spare time', 'program', 2),
      medians('resident memory of the gateway, KiB per turn', 'residentKib', 0),
      medians('tick lateness p99, ms', 'tickP99Ms', 2),
      medians('frame lateness at the client p99, ms', 'frameP99Ms', 2),
      totals('underruns', 'underruns'),
      totals('bodies proved whole by their words', 'heard'),
      totals('bodies with nothing against them', 'unproved'),
      totals('bodies doubted', 'doubted'),
    ],
    notes: [
      'Medians of the rounds; underruns and bodies are sums. 1 ms per second is 0.1 % of a core.',
      'The word timer and its program run by the idle policy (sched(7)), when nobody else wants to.',
      'Bodies of a service that tells their length, as the embedded engine does, cost neither.',
      'Processes are told apart by /proc, so on Linux only; elsewhere their rows are empty.',
    ],
    figures: Object.fromEntries(
      (
        ['main', 'otherThreads', 'timer', 'program', 'residentKib', 'tickP99Ms', 'frameP99Ms'] as const
      ).flatMap(figure),
    ),
    faults: [
      ...(errors > 0 ? [`${errors} errors were told`] : []),
      ...(VARIANTS.some((variant) => total(variant, 'frames') === 0) ? ['nothing was heard'] : []),
      ...(total('words', 'heard') === 0 ? ['no body was proved by its words'] : []),
    ],
  };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  bench.progress('endings: the sentences are being spoken');
  const lines = await speakLines(bench.numbers.seed, bench.signal);
  const variants = { sound: ['--endings', 'sound'], words: ['--endings', 'words'] };
  return resultOf(bench, await measureRounds(lines, bench, variants));
}

export const endings: Bench = {
  summary: 'live turns whose bodies are proved whole by their words, beside judging by sound: what it costs',
  defaults: { streams: 50, seconds: 20, rounds: 3, seed: 1 },
  run,
};
