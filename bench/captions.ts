// What captions cost, and whether other turns feel them. The same live µ-law turns, of real speech, are measured in turn
// through a gateway that looks for no words, through one that looks for them in every turn, and through that one with
// captions told; whatever else happens to the machine happens to all three. Then each step of the search by itself.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { FRAME_MS } from './lab/frame-schedule.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import { type SpokenLine, speakLines, turnOf } from './lab/spoken-lines.ts';
import { medianOf } from './lab/spread.ts';
import { costBetween, orNaN } from './lab/stretch-cost.ts';
import { measureWordTiming, type WordTimingSteps } from './lab/word-timing-steps.ts';

const WARM_UP_MS = 5000;
/** In the first round: what is compiled once is nobody's figure. */
const FIRST_WARM_UP_MS = 15_000;

const VARIANTS = ['never', 'always', 'captions'] as const;
type Variant = (typeof VARIANTS)[number];
const HEADINGS: Readonly<Record<Variant, string>> = {
  never: 'words never looked for',
  always: 'always, no captions',
  captions: 'always, captions',
};
type Labs = { readonly never: Lab; readonly always: Lab };

/** One stretch. Processor times in ms per second of one turn; NaN where the system does not tell threads apart. */
type Stretch = {
  readonly tickP50Ms: number;
  readonly tickP99Ms: number;
  readonly frameP50Ms: number;
  readonly frameP99Ms: number;
  readonly underruns: number;
  readonly dryFrames: number;
  readonly frames: number;
  readonly errors: number;
  readonly words: number;
  readonly foundWords: number;
  readonly program: number;
  readonly timer: number;
  readonly main: number;
  readonly otherThreads: number;
  readonly waitedMsPerSecond: number;
};

/** Told for each variant in the line of JSON, as medians. */
const FIGURES = [
  ...(['tickP50Ms', 'tickP99Ms', 'frameP50Ms', 'frameP99Ms', 'waitedMsPerSecond'] as const),
  ...(['main', 'otherThreads', 'timer', 'program'] as const),
];

async function measure(
  variant: Variant,
  labs: Labs,
  lines: readonly SpokenLine[],
  warmUpMs: number,
  { numbers: { streams, seconds, seed }, signal }: BenchRun,
): Promise<Stretch> {
  const lab = variant === 'never' ? labs.never : labs.always;
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: streams,
    seed,
    signal,
    textFor: (length, random) => turnOf(lines, length, random),
    ...(variant === 'captions' && { captions: 'words' }),
  });
  try {
    await pause(warmUpMs, undefined, { signal });
    const stretch = await measureStretch(lab, [listeners], seconds, signal);
    const { before, after, tickP50Ms, tickP99Ms, frameLatenessMs, tallies } = stretch;
    const tally = tallies[0]!;
    return {
      tickP50Ms,
      tickP99Ms,
      frameP50Ms: frameLatenessMs.p50,
      frameP99Ms: frameLatenessMs.p99,
      underruns: tally.underruns,
      dryFrames: tally.dryFrames,
      frames: tally.frames,
      errors: tally.errors,
      words: tally.words,
      foundWords: tally.foundWords,
      ...costBetween(before, after, (tally.frames * FRAME_MS) / 1000),
      waitedMsPerSecond: (orNaN(after.waitedMs) - orNaN(before.waitedMs)) / seconds,
    };
  } finally {
    await listeners.stop();
  }
}

async function measureRounds(lines: readonly SpokenLine[], bench: BenchRun) {
  const { streams, rounds, seed } = bench.numbers;
  const open = (wordTimes: 'never' | 'always') =>
    openLab({
      seed,
      upstream: { lines },
      // A turn whose last words are still looked for has a place beside the one that follows it.
      flags: ['--word-times', wordTimes, '--timed-turns', String(4 * streams)],
    });
  const stretches: Record<Variant, Stretch[]> = { never: [], always: [], captions: [] };
  const never = await open('never');
  try {
    const always = await open('always');
    const labs = { never, always };
    try {
      for (let round = 1; round <= rounds; round++)
        for (const variant of VARIANTS) {
          bench.progress(`captions: round ${round} of ${rounds}, ${HEADINGS[variant]}`);
          const warmUpMs = round === 1 ? FIRST_WARM_UP_MS : WARM_UP_MS;
          stretches[variant].push(await measure(variant, labs, lines, warmUpMs, bench));
        }
    } finally {
      await always.close();
    }
  } finally {
    await never.close();
  }
  return stretches;
}

const cell = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const CORE_PERCENT_PER_MS = 0.1; // a millisecond in each second

function resultOf(
  { numbers: { streams, seconds, rounds } }: BenchRun,
  stretches: Readonly<Record<Variant, readonly Stretch[]>>,
  steps: WordTimingSteps,
): BenchResult {
  const all = (variant: Variant, name: keyof Stretch) => stretches[variant].map((stretch) => stretch[name]);
  const median = (variant: Variant, name: keyof Stretch) => medianOf(all(variant, name));
  const total = (variant: Variant, name: keyof Stretch) =>
    all(variant, name).reduce((sum, value) => sum + value, 0);
  const row = (title: string, of: (variant: Variant) => string) => [title, ...VARIANTS.map(of)];
  const medians = (title: string, name: keyof Stretch, digits: number) =>
    row(title, (variant) => cell(median(variant, name), digits));
  const spans = (name: keyof Stretch) =>
    row('  of the rounds', (variant) => {
      const values = all(variant, name);
      return `${cell(Math.min(...values), 1)}–${cell(Math.max(...values), 1)}`;
    });
  const more = (variant: Variant, name: keyof Stretch) => median(variant, name) - median('never', name);
  const aligner = (variant: Variant) => median(variant, 'program') + median(variant, 'timer');
  const whole = (variant: Variant) =>
    aligner(variant) + more(variant, 'main') + more(variant, 'otherThreads');
  const dearer = (title: string, of: (variant: Variant) => number, unit: number, digits: number) =>
    row(title, (variant) => (variant === 'never' ? '' : cell(of(variant) * unit, digits)));
  const later = (name: keyof Stretch) => (variant: Variant) =>
    median(variant, name) / median('never', name) - 1;
  const step = (title: string, ms: number | null) => [title, '', '', cell(orNaN(ms), 2)];
  const together = Object.values(steps).reduce<number>((sum, ms) => sum + orNaN(ms), 0);

  const errors = VARIANTS.reduce((sum, variant) => sum + total(variant, 'errors'), 0);
  const figure = (name: keyof Stretch) =>
    VARIANTS.map((variant) => [`${variant}_${name}`, median(variant, name)] as const);
  return {
    title: `captions: ${streams} live µ-law turns of spoken sentences, ${rounds} × ${seconds} s each`,
    columns: ['', ...VARIANTS.map((variant) => HEADINGS[variant])],
    rows: [
      medians('tick lateness p50, ms', 'tickP50Ms', 2),
      medians('tick lateness p99, ms', 'tickP99Ms', 2),
      spans('tickP99Ms'),
      dearer('  more than without, %', later('tickP99Ms'), 100, 1),
      medians('frame lateness at the client p50, ms', 'frameP50Ms', 2),
      medians('frame lateness at the client p99, ms', 'frameP99Ms', 2),
      spans('frameP99Ms'),
      dearer('  more than without, %', later('frameP99Ms'), 100, 1),
      row(
        'underruns / frames too late to play',
        (variant) => `${total(variant, 'underruns')} / ${total(variant, 'dryFrames')}`,
      ),
      row('words told / of these heard before', (variant) =>
        variant === 'captions' ? `${total(variant, 'words')} / ${total(variant, 'foundWords')}` : '',
      ),
      medians('main thread ready but not run, ms per second', 'waitedMsPerSecond', 1),
      medians('main thread, CPU ms per turn-second', 'main', 2),
      medians('other threads (compiler, collector)', 'otherThreads', 2),
      medians('word timer', 'timer', 2),
      medians('speech program', 'program', 2),
      dearer('word timer and speech program, % of a core per turn', aligner, CORE_PERCENT_PER_MS, 2),
      dearer('  with what main and other threads take more', whole, CORE_PERCENT_PER_MS, 2),
      ['Alone, one turn after another, CPU ms per second of it:', '', '', ''],
      step('  decoding it', steps.decode),
      step('  its features', steps.features),
      step('  holding it against the reference', steps.hold),
      step('  reference: reading its samples', steps.referenceRead),
      step('  reference: its features and the like', steps.referenceFeatures),
      step('  reference: speech program', steps.referenceProgram),
      step('  all together', together),
    ],
    notes: [
      'Medians of the rounds; underruns, frames too late and words are sums. 1 ms per second is 0.1 % of a core.',
      'The word timer and its program run by the idle policy (sched(7)), when nobody else wants to; real-time scheduling of the bench (chrt --rr) hides that: without it, please.',
      "The turns are the embedded engine's, spoken beforehand; the reference is the same engine's in another manner.",
      'Words that were told before they were heard show that the search is behind; its cost is then not all there.',
      'Processes are told apart by /proc, so on Linux only; elsewhere their rows are empty.',
      'Aim: p99 lateness at most 10 % more than without; word timer and speech program at most 0.7 % of a core per turn.',
    ],
    figures: Object.fromEntries([
      ...FIGURES.flatMap(figure),
      ...VARIANTS.map((variant) => [`${variant}_underruns`, total(variant, 'underruns')]),
      ...(['always', 'captions'] as const).flatMap((variant) => [
        [`${variant}_alignerCoreShare`, aligner(variant) / 1000],
        [`${variant}_wholeCoreShare`, whole(variant) / 1000],
      ]),
      ['words', total('captions', 'words')],
      ['foundWords', total('captions', 'foundWords')],
      ...Object.entries(steps).map(([name, ms]) => [`alone_${name}`, orNaN(ms)]),
    ]),
    faults: [
      ...(errors > 0 ? [`${errors} errors were told`] : []),
      ...(VARIANTS.some((variant) => total(variant, 'frames') === 0) ? ['nothing was heard'] : []),
      ...(total('captions', 'foundWords') === 0 ? ['no word was found in the audio'] : []),
    ],
  };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  bench.progress('captions: the sentences are being spoken');
  const lines = await speakLines(bench.numbers.seed, bench.signal);
  bench.progress('captions: each step by itself');
  const steps = await measureWordTiming(lines, bench.numbers.seed, bench.signal);
  return resultOf(bench, await measureRounds(lines, bench), steps);
}

export const captions: Bench = {
  summary: 'live turns with and without their words looked for: lateness, and what the search costs',
  defaults: { streams: 100, seconds: 20, rounds: 3, seed: 1 },
  run,
};
