// What happens when more is asked for than can be played in time: callers are added until some are refused, and when it is
// known how many are taken, three in ten more than that call, and come back as they are told. The same number again with a gateway that refuses nobody.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type Lab, type LabOptions, openLab } from './lab/lab.ts';
import { LOOKED_AT_MS } from './lab/measured-stretch.ts';
import { type CallerTally, type OverloadCallers, startOverloadCallers } from './lab/overload-callers.ts';
import { quantileBetween } from './lab/scraped-metrics.ts';
import { medianOf, type Spread, spreadOf } from './lab/spread.ts';

/** The first make the code run fast that all others need; then the limit is looked for. */
const FIRST_CALLERS = 20;
const FIRST_MS = 4000;
/** So slowly that nobody is refused for those who have just come; and what is known to be wanted, quickly. */
const JOINING = { part: 0.15, perSecond: 25 } as const;
/** Some more have to be refused for a while before it is known how many are taken. */
const PRESSING = 1.15;
const SETTLING_MS = 4000;
/** One refusal may be chance. */
const FIRST_REFUSALS = 5;
const BEYOND = 1.3;
const WARM_UP_MS = 2000;
const TICKS = 'voxgate_tick_lateness_seconds';
/** More join in rounds until they are three in ten more than are taken: the limit that was found while the code was new is too low. */
const MOST_ROUNDS = 6;
const LOOKS = 9;
/** A machine that refuses nobody before this is not measured by callers in one process. */
const MOST_CALLERS = 1500;
const AIM_MS = { lateness: 20, refusal: 50 } as const;

type Outcome = {
  readonly callers: number;
  readonly connected: number;
  readonly tickP50Ms: number;
  readonly tickP99Ms: number;
  readonly frames: Spread;
  readonly refusals: Spread;
  readonly coreShare: number;
  readonly usedShare: number;
  readonly tally: CallerTally;
};

/** Callers join one after another until `enough`, so many a second. */
async function join(
  callers: OverloadCallers,
  enough: () => boolean,
  perSecond: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!enough()) {
    callers.add();
    await pause(1000 / perSecond(), undefined, { signal });
  }
}

/** As many as are wanted, quickly. */
const joinUpTo = (callers: OverloadCallers, wanted: number, signal: AbortSignal): Promise<void> =>
  join(
    callers,
    () => callers.count() >= wanted,
    () => JOINING.perSecond,
    signal,
  );

async function measure(
  lab: Lab,
  callers: OverloadCallers,
  seconds: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const earlier = await lab.metrics();
  await pause(LOOKED_AT_MS, undefined, { signal });
  const before = await lab.usage();
  const tally = callers.tally();
  await pause(seconds * 1000, undefined, { signal });
  callers.tally();
  const [after, later] = [await lab.usage(), await lab.metrics()];
  return {
    callers: callers.count(),
    connected: callers.connected(),
    tickP50Ms: 1000 * quantileBetween(earlier, later, TICKS, 0.5),
    tickP99Ms: 1000 * quantileBetween(earlier, later, TICKS, 0.99),
    frames: spreadOf(tally.latenessMs),
    refusals: spreadOf([...tally.sessionRefusalsMs, ...tally.turnRefusalsMs]),
    coreShare: (after.cpuMs - before.cpuMs) / (seconds * 1000),
    usedShare: later.value('voxgate_thread_used_ratio'),
    tally,
  };
}

/** How many have a session, in the median of the time that it takes to settle. */
async function settled(callers: OverloadCallers, signal: AbortSignal): Promise<number> {
  const connected: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(SETTLING_MS / LOOKS, undefined, { signal });
    connected.push(callers.connected());
  }
  return medianOf(connected);
}

/** Answers how many are taken while three in ten more call; fewer more only where that is beyond what is measured here. */
async function pressUpTo(callers: OverloadCallers, { signal, progress }: BenchRun): Promise<number> {
  const first = callers.tally();
  const isRefused = () =>
    first.sessionRefusalsMs.length + first.turnRefusalsMs.length >= FIRST_REFUSALS ||
    callers.count() >= MOST_CALLERS;
  await join(callers, isRefused, () => callers.count() * JOINING.part, signal);
  await joinUpTo(callers, callers.count() * PRESSING, signal);
  let limit = await settled(callers, signal);
  for (let round = 0; round < MOST_ROUNDS && callers.count() < wantedOf(limit); round += 1) {
    progress(`overload: ${limit} are taken, ${wantedOf(limit)} call`);
    await joinUpTo(callers, wantedOf(limit), signal);
    limit = await settled(callers, signal);
  }
  return limit;
}

/** Measured once all have been gathered who are to call. */
async function overloaded(
  { numbers: { seconds, seed }, signal, progress }: BenchRun,
  admission: LabOptions['admission'],
  gather: (callers: OverloadCallers) => Promise<void>,
): Promise<Outcome> {
  const lab = await openLab({ seed, ...(admission && { admission }) });
  const callers = startOverloadCallers({ sessionUrl: lab.sessionUrl, seed, signal });
  try {
    await joinUpTo(callers, FIRST_CALLERS, signal);
    await pause(FIRST_MS, undefined, { signal });
    await gather(callers);
    progress(`overload: ${callers.count()} call for ${seconds} s`);
    await pause(WARM_UP_MS, undefined, { signal });
    return await measure(lab, callers, seconds, signal);
  } finally {
    await callers.stop();
    await lab.close();
  }
}

const wantedOf = (limit: number) => Math.min(MOST_CALLERS, Math.ceil(limit * BEYOND));
const ms = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(1));

const rowOf = (
  name: string,
  { callers, connected, tickP50Ms, tickP99Ms, frames, refusals, coreShare, tally }: Outcome,
) => [
  name,
  `${connected} of ${callers}`,
  `${ms(tickP50Ms)} / ${ms(tickP99Ms)}`,
  `${ms(frames.p50)} / ${ms(frames.p99)} / ${ms(frames.max)}`,
  `${tally.underruns} / ${tally.dryFrames}`,
  String(refusals.count),
  `${ms(refusals.p50)} / ${ms(refusals.p99)} / ${ms(refusals.max)}`,
  (coreShare * 100).toFixed(0),
];

async function run(bench: BenchRun): Promise<BenchResult> {
  let limit = Number.NaN;
  const kept = await overloaded(bench, 'on', async (callers) => {
    limit = await pressUpTo(callers, bench);
  });
  const open = await overloaded(bench, undefined, (callers) => joinUpTo(callers, kept.callers, bench.signal));
  const { seconds } = bench.numbers;
  const figuresOf = (name: string, { tickP99Ms, frames, tally, refusals }: Outcome) => ({
    [`${name}TickLatenessP99Ms`]: tickP99Ms,
    [`${name}FrameLatenessP50Ms`]: frames.p50,
    [`${name}FrameLatenessP99Ms`]: frames.p99,
    [`${name}Underruns`]: tally.underruns,
    [`${name}DryFrames`]: tally.dryFrames,
    [`${name}Turns`]: tally.turns,
    [`${name}Refusals`]: refusals.count,
  });
  return {
    title: `overload: of those who call ${limit} are taken; ${kept.callers} call for ${seconds} s, µ-law, 24 kHz MP3 in`,
    columns: [
      '',
      'with a session',
      'tick p50 / p99, ms',
      'frame p50 / p99 / max, ms',
      'underruns / dry frames',
      'refusals',
      'refused in p50 / p99 / max, ms',
      'CPU, %',
    ],
    rows: [rowOf('admission', kept), rowOf('nobody refused', open)],
    notes: [
      `Aims: frames of admitted turns p99 at most ${AIM_MS.lateness} ms late, refusals answered within ${AIM_MS.refusal} ms.`,
      `Who call are ${Math.round(100 * (kept.callers / limit - 1))} % more than are taken, in the median of ${SETTLING_MS / 1000} s before.`,
      'A call is two turns of 6 to 14 s, then the caller hangs up and calls again; who is refused comes back when told.',
      `Of the refusals ${kept.tally.sessionRefusalsMs.length} were of sessions, by 503, and ${kept.tally.turnRefusalsMs.length} of turns; the time of a 503 includes its connection.`,
      'Callers and upstream share what the gateway leaves of the machine, so frames come later than they were sent.',
    ],
    figures: {
      limit,
      ...figuresOf('kept', kept),
      ...figuresOf('open', open),
      keptRefusalP99Ms: kept.refusals.p99,
      keptRefusalMaxMs: kept.refusals.max,
      keptUsedShare: kept.usedShare,
      keptCoreShare: kept.coreShare,
      openCoreShare: open.coreShare,
    },
    faults: [
      ...[kept, open].flatMap(({ tally }) => (tally.errors > 0 ? [`${tally.errors} errors were told`] : [])),
      ...(kept.tally.frames === 0 ? ['no frame came'] : []),
    ],
  };
}

export const overload: Bench = {
  summary: 'three in ten callers more than are taken: how the taken hear it, how fast the others are refused',
  defaults: { seconds: 15, seed: 1 },
  run,
};
