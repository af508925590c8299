// What more processes bring: the processor time of a live turn in a gateway of one process, and in one of two that play and a
// primary that keeps the books. By their own accounts, because clients and upstream need the machine's other cores.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import { childrenOf } from './lab/process-tree.ts';
import { medianOf } from './lab/spread.ts';

const PLAYERS = 2;
const WARM_UP_MS = 4000;
const AIM = 1.8;
const VARIANTS = ['one', 'two'] as const;
type Variant = (typeof VARIANTS)[number];

type Outcome = {
  /** Of all processes of the gateway, and of the primary alone. */
  readonly cpuMsPerStreamSecond: number;
  readonly primaryMsPerStreamSecond: number;
  /** The busier player's part of what both have done. */
  readonly busierShare: number;
  readonly frameLatenessP99Ms: number;
  readonly underruns: number;
  readonly errors: number;
};

async function measure(variant: Variant, { numbers, signal }: BenchRun): Promise<Outcome> {
  const { seconds, seed } = numbers;
  // As many for each that plays: what a process costs by itself is shared by its streams.
  const streams = numbers.streams * (variant === 'two' ? PLAYERS : 1);
  const flags = variant === 'two' ? ['--processes', String(PLAYERS)] : [];
  const lab = await openLab({ seed, flags });
  const playersMs = () => new Map((childrenOf(lab.pid) ?? []).map(({ pid, cpuMs }) => [pid, cpuMs] as const));
  try {
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    await pause(WARM_UP_MS, undefined, { signal });
    const earlier = playersMs();
    const stretch = await measureStretch(lab, [listeners], seconds, signal);
    const later = playersMs();
    await listeners.stop();
    const tally = stretch.tallies[0]!;
    const streamSeconds = tally.heardMs / 1000;
    const ownMs = stretch.after.cpuMs - stretch.before.cpuMs;
    const each = [...later].map(([pid, ms]) => ms - (earlier.get(pid) ?? 0));
    const played = each.reduce((sum, ms) => sum + ms, 0);
    return {
      cpuMsPerStreamSecond: (ownMs + played) / streamSeconds,
      primaryMsPerStreamSecond: variant === 'two' ? ownMs / streamSeconds : 0,
      busierShare: variant === 'two' ? Math.max(...each) / played : 1,
      frameLatenessP99Ms: stretch.frameLatenessMs.p99,
      underruns: tally.underruns,
      errors: tally.errors,
    };
  } finally {
    await lab.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { streams, seconds, rounds } = bench.numbers;
  const outcomes: Record<Variant, Outcome[]> = { one: [], two: [] };
  for (let round = 1; round <= rounds; round++)
    for (const variant of VARIANTS) {
      bench.progress(`processes: round ${round} of ${rounds}, ${variant} of them`);
      outcomes[variant].push(await measure(variant, bench));
    }
  const median = (variant: Variant, read: (outcome: Outcome) => number) =>
    medianOf(outcomes[variant].map(read));
  const cost = (variant: Variant) => median(variant, (outcome) => outcome.cpuMsPerStreamSecond);
  // Two cores' time, for what a stream costs in all, against one core's time.
  const gain = (PLAYERS * cost('one')) / cost('two');
  const errors = VARIANTS.flatMap((variant) => outcomes[variant]).reduce(
    (sum, { errors }) => sum + errors,
    0,
  );
  const row = (name: string, read: (outcome: Outcome) => number, digits: number) => [
    name,
    ...VARIANTS.map((variant) => median(variant, read).toFixed(digits)),
  ];
  return {
    title: `processes: ${streams} live µ-law turns in a gateway of one process, ${streams * PLAYERS} in one of two that play, ${rounds} × ${seconds} s each`,
    columns: ['median of the rounds', 'one', 'two'],
    rows: [
      row('CPU ms per stream-second, all processes', (outcome) => outcome.cpuMsPerStreamSecond, 2),
      row('of it the primary', (outcome) => outcome.primaryMsPerStreamSecond, 2),
      row("the busier one's share of playing", (outcome) => outcome.busierShare, 2),
      row('frame lateness p99, ms', (outcome) => outcome.frameLatenessP99Ms, 1),
      row('underruns', (outcome) => outcome.underruns, 0),
    ],
    notes: [
      `By these costs two cores hold ${gain.toFixed(2)} times the streams of one; aimed at: ${AIM}. Where two cores are the halves of one, they do not.`,
    ],
    figures: {
      gain,
      oneCpuMsPerStreamSecond: cost('one'),
      twoCpuMsPerStreamSecond: cost('two'),
      primaryMsPerStreamSecond: median('two', (outcome) => outcome.primaryMsPerStreamSecond),
      busierShare: median('two', (outcome) => outcome.busierShare),
      oneFrameLatenessP99Ms: median('one', (outcome) => outcome.frameLatenessP99Ms),
      twoFrameLatenessP99Ms: median('two', (outcome) => outcome.frameLatenessP99Ms),
    },
    faults: errors > 0 ? [`${errors} errors were told`] : [],
  };
}

export const processes: Bench = {
  summary: 'what a live turn costs in one process and in two: how much more two cores hold',
  defaults: { streams: 50, seconds: 10, rounds: 3, seed: 1 },
  run,
};
