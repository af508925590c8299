// Whether a listener notices those who look on: the lateness of his frames without any and with many, in words and in every
// kind of sound, in turn; and whether the speech service is asked once for all of them.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type ActorProcess, startActor } from './lab/actor.ts';
import type { CrowdPlan, CrowdReport } from './lab/crowd-process.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { measureStretch } from './lab/measured-stretch.ts';
import { type Spread, spreadOf } from './lab/spread.ts';

const WARM_UP_MS = 3000;
/** Resolves when all of them look on. */
async function gather(lab: Lab, onlookers: number): Promise<ActorProcess<unknown, CrowdReport>> {
  const { sessions } = (await (await fetch(`${lab.url}/v1/sessions`)).json()) as {
    readonly sessions: readonly { readonly id: string }[];
  };
  const plan: CrowdPlan = { sessionUrl: `${lab.url}/v1/sessions/${sessions[0]!.id}`, onlookers };
  return startActor<unknown, CrowdReport>('crowd-process', plan);
}

type Stretch = {
  readonly latenessMs: readonly number[];
  readonly cpuMs: number;
  readonly tickP99Ms: number;
  readonly requests: number;
  readonly underruns: number;
  readonly errors: number;
};

async function measure(lab: Lab, listeners: Listeners, run: BenchRun): Promise<Stretch> {
  await lab.upstreamReport(); // each tells what came since the one before
  const stretch = await measureStretch(lab, [listeners], run.numbers.seconds, run.signal);
  const { latenessMs, underruns, errors } = stretch.tallies[0]!;
  return {
    latenessMs,
    underruns,
    errors,
    cpuMs: stretch.after.cpuMs - stretch.before.cpuMs,
    tickP99Ms: stretch.tickP99Ms,
    requests: (await lab.upstreamReport()).heads.length,
  };
}

/** By how much the distances of neighbouring frames are off (RFC 3550, 6.4.1), whatever the phase of the ticks. */
const jitterMs = ({ latenessMs }: Stretch): readonly number[] =>
  latenessMs.slice(1).map((ms, index) => Math.abs(ms - latenessMs[index]!));

const sum = (stretches: readonly Stretch[], of: (one: Stretch) => number): number =>
  stretches.reduce((total, one) => total + of(one), 0);

async function run(bench: BenchRun): Promise<BenchResult> {
  const { onlookers, seconds, rounds, seed } = bench.numbers;
  const { signal } = bench;
  const lab = await openLab({ seed });
  try {
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: 1, seed, signal });
    await pause(WARM_UP_MS, undefined, { signal });
    const alone: Stretch[] = [];
    const watched: Stretch[] = [];
    let [bytes, lost] = [0, 0];
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`onlookers: round ${round} of ${rounds}, alone`);
      alone.push(await measure(lab, listeners, bench));
      bench.progress(`onlookers: round ${round} of ${rounds}, with ${onlookers}`);
      const crowd = await gather(lab, onlookers);
      await pause(WARM_UP_MS, undefined, { signal });
      watched.push(await measure(lab, listeners, bench));
      const taken = await crowd.report();
      bytes += taken.bytes;
      lost += taken.lost;
      await crowd.close();
      await pause(500, undefined, { signal });
    }
    await listeners.stop();
    const lateness = (stretches: readonly Stretch[]): Spread =>
      spreadOf(stretches.flatMap(({ latenessMs }) => latenessMs));
    const share = (stretches: readonly Stretch[]) =>
      sum(stretches, ({ cpuMs }) => cpuMs) / (rounds * seconds * 1000);
    const [without, beside] = [lateness(alone), lateness(watched)];
    const jitter = (stretches: readonly Stretch[]): Spread => spreadOf(stretches.flatMap(jitterMs));
    const [steady, steadyBeside] = [jitter(alone), jitter(watched)];
    const row = (name: string, stretches: readonly Stretch[], late: Spread, off: Spread) => [
      name,
      String(late.count),
      ...[off.p50, off.p99, off.max, late.p50, late.p99, late.max].map((ms) => ms.toFixed(2)),
      String(sum(stretches, ({ underruns }) => underruns)),
      String(sum(stretches, ({ requests }) => requests)),
      (share(stretches) * 100).toFixed(1),
    ];
    const requests = [alone, watched].map((stretches) => sum(stretches, (one) => one.requests)) as [
      number,
      number,
    ];
    // A turn lasts six seconds at least, so one stretch has a few, whoever looks on.
    const mostRequests = rounds * (Math.ceil(seconds / 6) + 2);
    return {
      title: `onlookers: one live µ-law session for ${rounds} × ${seconds} s, without and with ${onlookers} onlookers (words, µ-law, mp3, wav, ogg)`,
      columns: [
        '',
        'frames',
        'jitter p50, ms',
        'p99',
        'max',
        'late p50, ms',
        'p99',
        'max',
        'underruns',
        'upstream requests',
        'CPU, %',
      ],
      rows: [row('alone', alone, without, steady), row(`with ${onlookers}`, watched, beside, steadyBeside)],
      notes: [
        `The onlookers took ${(bytes / 1024 / 1024).toFixed(1)} MiB.`,
        'Jitter: what the distances of neighbouring frames are off. Ticks are 5 ms apart, so a frame is up to 5 ms behind its schedule when nothing is late, by the phase of each turn.',
      ],
      figures: {
        aloneJitterP50Ms: steady.p50,
        aloneJitterP99Ms: steady.p99,
        watchedJitterP50Ms: steadyBeside.p50,
        watchedJitterP99Ms: steadyBeside.p99,
        aloneLatenessP50Ms: without.p50,
        aloneLatenessP99Ms: without.p99,
        watchedLatenessP50Ms: beside.p50,
        watchedLatenessP99Ms: beside.p99,
        aloneRequests: requests[0],
        watchedRequests: requests[1],
        aloneCoreShare: share(alone),
        watchedCoreShare: share(watched),
        onlookerBytes: bytes,
        lostOnlookers: lost,
      },
      faults: [
        ...(lost > 0 ? [`${lost} onlookers were let go`] : []),
        ...(bytes === 0 ? ['nothing came to the onlookers'] : []),
        ...(requests[1] > mostRequests ? [`${requests[1]} requests for one session`] : []),
        ...(sum([...alone, ...watched], ({ errors }) => errors) > 0 ? ['errors were told'] : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const onlookers: Bench = {
  summary:
    'jitter and lateness of the frames of a live session without and with those who look on, and upstream requests',
  defaults: { onlookers: 50, seconds: 10, rounds: 4, seed: 1 },
  run,
};
