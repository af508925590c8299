// Callers who interrupt all the time, with the embedded engine and with a service elsewhere: how many turns are refused and how
// many frames come late. What is interrupted has been spoken for nobody, so the engine works harder than for those who listen.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { startInterruptingCallers } from './lab/interrupting-callers.ts';
import { type GatewayLab, openEngineLab, openLab } from './lab/lab.ts';
import { spreadOf } from './lab/spread.ts';

const INTERRUPTED_EVERY_MS = 700;
const WARM_UP_MS = 5000;
const LATE_MS = 20;
const AIM = { refusedPercent: 3, latePercent: 1 } as const;
/** Some 9 s of speech, of which a caller hears half a second. */
const TEXT =
  'Good morning, this is the harbour office. The next ferry to Bergen leaves at a quarter to ten from pier three. ' +
  'Shall I keep two seats for you, or would you rather wait for the evening boat?';

const KINDS = {
  engine: { name: 'embedded engine', open: openEngineLab },
  elsewhere: { name: 'a service elsewhere', open: openLab },
} as const;
type Kind = keyof typeof KINDS;

type Outcome = {
  turns: number;
  refused: number;
  readonly codes: Map<string, number>;
  frames: number;
  late: number;
  scheduled: number;
  readonly firstAudioMs: number[];
  usedShare: number;
  errors: number;
};

const newOutcome = (): Outcome => ({
  turns: 0,
  refused: 0,
  codes: new Map(),
  frames: 0,
  late: 0,
  scheduled: 0,
  firstAudioMs: [],
  usedShare: 0,
  errors: 0,
});

async function measure(kind: Kind, outcome: Outcome, { numbers, signal, progress }: BenchRun): Promise<void> {
  const { streams, seconds, seed } = numbers;
  const lab: GatewayLab = await KINDS[kind].open({ seed, admission: 'on' });
  try {
    const callers = await startInterruptingCallers({
      sessionUrl: lab.sessionUrl,
      count: streams,
      everyMs: INTERRUPTED_EVERY_MS,
      text: TEXT,
      seed,
      signal,
    });
    progress(`interruptions: ${KINDS[kind].name}, ${seconds} s`);
    await pause(WARM_UP_MS, undefined, { signal });
    const tally = callers.count();
    await pause(seconds * 1000, undefined, { signal });
    callers.count();
    const metrics = await lab.metrics();
    await callers.stop();
    outcome.turns += tally.turns;
    for (const [code, count] of tally.refused) {
      outcome.refused += count;
      outcome.codes.set(code, (outcome.codes.get(code) ?? 0) + count);
    }
    outcome.frames += tally.frames;
    outcome.scheduled += tally.latenessMs.length;
    outcome.late += tally.latenessMs.filter((ms) => ms > LATE_MS).length;
    outcome.firstAudioMs.push(...tally.firstAudioMs);
    outcome.usedShare = Math.max(outcome.usedShare, metrics.value('voxgate_thread_used_ratio'));
    outcome.errors += tally.errors;
  } finally {
    await lab.close();
  }
}

const percent = (part: number, whole: number): number => (whole === 0 ? Number.NaN : (100 * part) / whole);

async function run(bench: BenchRun): Promise<BenchResult> {
  const { streams, seconds, rounds } = bench.numbers;
  const outcomes: Readonly<Record<Kind, Outcome>> = { engine: newOutcome(), elsewhere: newOutcome() };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['engine', 'elsewhere'] as const) await measure(kind, outcomes[kind], bench);
  }
  const kinds = ['engine', 'elsewhere'] as const;
  const figuresOf = (kind: Kind) => {
    const { turns, refused, late, scheduled, firstAudioMs, usedShare } = outcomes[kind];
    const first = spreadOf(firstAudioMs);
    return {
      [`${kind}Turns`]: turns,
      [`${kind}RefusedPercent`]: percent(refused, turns),
      [`${kind}BegunPercent`]: percent(firstAudioMs.length, turns),
      [`${kind}LatePercent`]: percent(late, scheduled),
      [`${kind}FirstAudioP50Ms`]: first.p50,
      [`${kind}FirstAudioP99Ms`]: first.p99,
      [`${kind}UsedShare`]: usedShare,
    };
  };
  return {
    title: `interruptions: ${streams} callers who interrupt every ${INTERRUPTED_EVERY_MS} ms, ${rounds} × ${seconds} s, µ-law`,
    columns: [
      '',
      'turns',
      'refused, %',
      'begun, %',
      'first audio p50 / p99, ms',
      `frames > ${LATE_MS} ms late, %`,
      'thread used, %',
    ],
    rows: kinds.map((kind) => {
      const { turns, refused, late, scheduled, firstAudioMs, usedShare } = outcomes[kind];
      const first = spreadOf(firstAudioMs);
      return [
        KINDS[kind].name,
        String(turns),
        percent(refused, turns).toFixed(1),
        percent(firstAudioMs.length, turns).toFixed(1),
        `${first.p50.toFixed(0)} / ${first.p99.toFixed(0)}`,
        percent(late, scheduled).toFixed(2),
        (100 * usedShare).toFixed(0),
      ];
    }),
    notes: [
      `Aims with the engine on two cores: at most ${AIM.refusedPercent} % refused, at most ${AIM.latePercent} % of frames more than ${LATE_MS} ms late.`,
      'Begun: first audio before the caller interrupted. The service elsewhere is the fake one, which costs next to nothing.',
      ...kinds.flatMap((kind) => {
        const told = [...outcomes[kind].codes].map(([code, count]) => `${code} ${count}`);
        return told.length === 0 ? [] : [`Refused with ${KINDS[kind].name}: ${told.join(', ')}.`];
      }),
    ],
    figures: { ...figuresOf('engine'), ...figuresOf('elsewhere') },
    faults: kinds.flatMap((kind) => [
      ...(outcomes[kind].errors > 0 ? [`${outcomes[kind].errors} connections were lost`] : []),
      ...(outcomes[kind].frames === 0 ? [`no frame came with ${KINDS[kind].name}`] : []),
    ]),
  };
}

export const interruptions: Bench = {
  summary:
    'callers who interrupt all the time, with the embedded engine and a service elsewhere: refusals, late frames',
  defaults: { streams: 12, seconds: 15, rounds: 2, seed: 1 },
  run,
};
