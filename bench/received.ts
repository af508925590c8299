// How many live turns of phones a core holds by what the speech service sends: MP3, which is decoded and made into µ-law here, and
// µ-law, which is sent on as it comes. Real speech, and every body is held against its text, as by default. Both gateways are
// measured in turn, so that whatever else happens to the machine happens to both.

import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { cell, measureRounds, type Stretch } from './endings.ts';
import { speakLines } from './lab/spoken-lines.ts';
import { medianOf } from './lab/spread.ts';

const VARIANTS = {
  mp3: ['--endings', 'words', '--upstream-sound', 'mp3'],
  mulaw: ['--endings', 'words', '--upstream-sound', 'listener'],
} as const;
type Variant = keyof typeof VARIANTS;
const NAMES = Object.keys(VARIANTS) as readonly Variant[];
/** A core that is busier than this is late for everyone. */
const FULL_SHARE = 0.8;

const ROWS = [
  ['main thread, CPU ms per turn-second', 'main', 2],
  ['other threads (compiler, collector)', 'otherThreads', 2],
  ['word timer, in spare time', 'timer', 2],
  ['resident memory of the gateway, KiB per turn', 'residentKib', 0],
  ['tick lateness p99, ms', 'tickP99Ms', 2],
  ['frame lateness at the client p99, ms', 'frameP99Ms', 2],
] as const satisfies readonly (readonly [string, keyof Stretch, number])[];

async function run(bench: BenchRun): Promise<BenchResult> {
  const { streams, seconds, rounds, seed } = bench.numbers;
  bench.progress('received: the sentences are being spoken');
  const lines = await speakLines(seed, bench.signal);
  const stretches = await measureRounds(lines, bench, VARIANTS);
  const all = (variant: Variant, name: keyof Stretch) => stretches[variant].map((stretch) => stretch[name]);
  const median = (variant: Variant, name: keyof Stretch) => medianOf(all(variant, name));
  const total = (variant: Variant, name: keyof Stretch) =>
    all(variant, name).reduce((sum, value) => sum + value, 0);
  const perCore = (variant: Variant) => (FULL_SHARE * 1000) / median(variant, 'main');
  const ratios = stretches.mp3.map(({ main }, round) => main / stretches.mulaw[round]!.main);
  const errors = NAMES.reduce((sum, name) => sum + total(name, 'errors'), 0);
  const totals = (title: string, name: keyof Stretch) => [
    title,
    ...NAMES.map((variant) => String(total(variant, name))),
  ];
  return {
    title: `received: ${streams} live µ-law turns, ${rounds} × ${seconds} s each, every body held against its text`,
    columns: ['', 'MP3 comes in', 'µ-law comes in'],
    rows: [
      ...ROWS.map(([title, name, digits]) => [
        title,
        ...NAMES.map((variant) => cell(median(variant, name), digits)),
      ]),
      [`turns at ${FULL_SHARE * 100} % of a core`, ...NAMES.map((variant) => cell(perCore(variant), 0))],
      ['times as many, round by round', '1', ratios.map((ratio) => ratio.toFixed(2)).join(', ')],
      totals('underruns', 'underruns'),
      totals('bodies proved whole by their words', 'heard'),
      totals('bodies with nothing against them', 'unproved'),
      totals('bodies doubted', 'doubted'),
    ],
    notes: [
      'Medians of the rounds; underruns and bodies are sums. Turns of a core by the main thread alone.',
      'The same speech by the embedded engine: 24 kHz and 64 kbit/s as MP3, 8 kHz as µ-law, 8 kB a second each.',
    ],
    figures: {
      ratio: medianOf(ratios),
      ...Object.fromEntries(
        NAMES.flatMap((name) => [
          [`${name}_turnsPerCore`, perCore(name)],
          ...ROWS.map(([, figure]) => [`${name}_${figure}`, median(name, figure)]),
        ]),
      ),
    },
    faults: [
      ...(errors > 0 ? [`${errors} errors were told`] : []),
      ...NAMES.filter((name) => total(name, 'heard') === 0).map(
        (name) => `no body of ${name} was proved by its words`,
      ),
    ],
  };
}

export const received: Bench = {
  summary: 'live turns of phones on a core: MP3 from the service beside µ-law that is sent on as it comes',
  defaults: { streams: 200, seconds: 15, rounds: 3, seed: 1 },
  run,
};
