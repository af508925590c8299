// Whether turns whose encoders are dear (ogg, flac: in worker threads) are felt by phone calls beside them. The same
// µ-law turns play all the time in one gateway; they are measured alone, beside as many more of µ-law, beside ogg and
// beside flac, in turn, so that whatever else happens to the machine happens to all four. More turns cost something
// in any format, so what a format does is the difference to more of µ-law. The figures are medians of the rounds.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import type { ProcessCost } from './lab/process-cost.ts';
import { medianOf } from './lab/spread.ts';

const WARM_UP_MS = 4000;

const VARIANTS = ['alone', 'mulaw', 'ogg', 'flac'] as const;
type Variant = (typeof VARIANTS)[number];
const HEADINGS: Readonly<Record<Variant, string>> = {
  alone: 'alone',
  mulaw: 'beside µ-law',
  ogg: 'beside ogg',
  flac: 'beside flac',
};

/** One stretch. Times in ms; shares are of one core. */
type Stretch = {
  readonly tickP50Ms: number;
  readonly tickP99Ms: number;
  readonly frameP50Ms: number;
  readonly frameP99Ms: number;
  readonly underruns: number;
  readonly dryFrames: number;
  readonly heavyUnderruns: number;
  readonly heavyMessages: number;
  readonly errors: number;
  /** NaN where the system does not tell threads apart. */
  readonly mainShare: number;
  readonly otherThreadsShare: number;
  readonly waitedMsPerSecond: number;
};

const orNaN = (value: number | null): number => value ?? Number.NaN;

function costBetween(before: ProcessCost, after: ProcessCost, elapsedMs: number) {
  const cpuMs = after.cpuMs - before.cpuMs;
  const mainMs = orNaN(after.mainCpuMs) - orNaN(before.mainCpuMs);
  return {
    mainShare: mainMs / elapsedMs,
    otherThreadsShare: (cpuMs - mainMs) / elapsedMs,
    waitedMsPerSecond: (1000 * (orNaN(after.waitedMs) - orNaN(before.waitedMs))) / elapsedMs,
  };
}

async function measure(
  lab: Lab,
  phones: Listeners,
  heavy: Listeners | undefined,
  { numbers, signal }: BenchRun,
): Promise<Stretch> {
  await pause(WARM_UP_MS, undefined, { signal });
  const everybody: readonly [Listeners, ...Listeners[]] = heavy === undefined ? [phones] : [phones, heavy];
  const stretch = await measureStretch(lab, everybody, numbers.seconds, signal);
  const { before, after, tickP50Ms, tickP99Ms, frameLatenessMs, tallies } = stretch;
  const [tally, heavyTally] = [tallies[0]!, tallies[1]];
  return {
    tickP50Ms,
    tickP99Ms,
    frameP50Ms: frameLatenessMs.p50,
    frameP99Ms: frameLatenessMs.p99,
    underruns: tally.underruns,
    dryFrames: tally.dryFrames,
    heavyUnderruns: heavyTally?.underruns ?? 0,
    heavyMessages: heavyTally?.frames ?? 0,
    errors: tally.errors + (heavyTally?.errors ?? 0),
    ...costBetween(before, after, numbers.seconds * 1000),
  };
}

async function measureBeside(
  variant: Variant,
  lab: Lab,
  phones: Listeners,
  bench: BenchRun,
): Promise<Stretch> {
  if (variant === 'alone') return measure(lab, phones, undefined, bench);
  const { heavyStreams: count, streams, seed } = bench.numbers;
  const heavy = await startListeners({
    sessionUrl: lab.sessionUrl,
    count,
    seed: seed + streams,
    signal: bench.signal,
    wire: variant,
  });
  try {
    return await measure(lab, phones, heavy, bench);
  } finally {
    await heavy.stop();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  const { streams, heavyStreams, seconds, rounds, seed } = numbers;
  const lab = await openLab({ seed });
  const stretches: Record<Variant, Stretch[]> = { alone: [], mulaw: [], ogg: [], flac: [] };
  try {
    const phones = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    await pause(WARM_UP_MS, undefined, { signal });
    for (let round = 1; round <= rounds; round++) {
      for (const variant of VARIANTS) {
        progress(`mixed-formats: round ${round} of ${rounds}, ${HEADINGS[variant]}`);
        stretches[variant].push(await measureBeside(variant, lab, phones, bench));
      }
    }
    await phones.stop();
  } finally {
    await lab.close();
  }

  const median = (variant: Variant, name: keyof Stretch) =>
    medianOf(stretches[variant].map((stretch) => stretch[name]));
  const total = (variant: Variant, name: keyof Stretch) =>
    stretches[variant].reduce((sum, stretch) => sum + stretch[name], 0);
  const row = (title: string, cell: (variant: Variant) => string) => [title, ...VARIANTS.map(cell)];
  const medians = (title: string, name: keyof Stretch, digits: number, unit = 1) =>
    row(title, (variant) => {
      const value = median(variant, name) * unit;
      return Number.isNaN(value) ? '–' : value.toFixed(digits);
    });
  const spanOf = (variant: Variant, name: keyof Stretch) => {
    const values = stretches[variant].map((stretch) => stretch[name]);
    return `${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)}`;
  };
  const totals = (title: string, first: keyof Stretch, second: keyof Stretch) =>
    row(title, (variant) => `${total(variant, first)} / ${total(variant, second)}`);
  const figure = (name: keyof Stretch) =>
    VARIANTS.map((variant) => [`${variant}_${name}`, median(variant, name)] as const);
  const errors = VARIANTS.reduce((sum, variant) => sum + total(variant, 'errors'), 0);
  const silent = VARIANTS.filter(
    (variant) => variant !== 'alone' && stretches[variant].some(({ heavyMessages }) => heavyMessages === 0),
  );
  return {
    title: `mixed-formats: ${streams} live µ-law turns, alone and beside ${heavyStreams} more of µ-law, ogg or flac (24 kHz), ${rounds} × ${seconds} s each`,
    columns: ['', ...VARIANTS.map((variant) => HEADINGS[variant])],
    rows: [
      medians('tick lateness p50, ms', 'tickP50Ms', 2),
      medians('tick lateness p99, ms', 'tickP99Ms', 2),
      row('  of the rounds', (variant) => spanOf(variant, 'tickP99Ms')),
      medians('µ-law frame lateness at the client p50, ms', 'frameP50Ms', 2),
      medians('µ-law frame lateness at the client p99, ms', 'frameP99Ms', 2),
      row('  of the rounds', (variant) => spanOf(variant, 'frameP99Ms')),
      totals('µ-law underruns / frames too late to play', 'underruns', 'dryFrames'),
      totals('underruns / messages of those beside them', 'heavyUnderruns', 'heavyMessages'),
      medians('main thread, % of a core', 'mainShare', 1, 100),
      medians('other threads, % of a core', 'otherThreadsShare', 1, 100),
      medians('main thread ready but not run, ms per second', 'waitedMsPerSecond', 1),
    ],
    notes: [
      'Medians of the rounds; underruns and messages are sums. Other threads: encoders, compiler, collector.',
      'Tick lateness is read from the histogram in /metrics, linearly within its buckets; frame lateness is exact.',
    ],
    figures: Object.fromEntries([
      ...figure('tickP50Ms'),
      ...figure('tickP99Ms'),
      ...figure('frameP50Ms'),
      ...figure('frameP99Ms'),
      ...figure('mainShare'),
      ...figure('otherThreadsShare'),
      ...figure('waitedMsPerSecond'),
      ...VARIANTS.map((variant) => [`${variant}_underruns`, total(variant, 'underruns')]),
      ...VARIANTS.map((variant) => [`${variant}_heavyUnderruns`, total(variant, 'heavyUnderruns')]),
    ]),
    faults: [
      ...(errors > 0 ? [`${errors} errors were told`] : []),
      ...silent.map((variant) => `nothing came of ${variant}`),
    ],
  };
}

export const mixedFormats: Bench = {
  summary: 'µ-law turns alone, beside more of them, ogg or flac: lateness, gaps, main thread and workers',
  defaults: { streams: 100, heavyStreams: 10, seconds: 10, rounds: 3, seed: 1 },
  run,
};
