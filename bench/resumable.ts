// What it costs that a session outlives its connection: memory of idle sessions, what is kept of audio that is not proven
// received, and processor time of playing, each beside plain sessions in turn.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type ActorProcess, startActor } from './lab/actor.ts';
import type { IdleSessionsPlan, IdleSessionsReport } from './lab/idle-sessions-process.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';

const WAYS = { plain: '', resumable: '&resumable=1' } as const;
type Way = keyof typeof WAYS;

const WARM_UP_MS = 4000;
/** The pings that prove a greeting received are answered by then. */
const PROVEN_MS = 5000;
const LOOKS = 5;
const KIB = 1024;
const MAX_KIB_BESIDE_AUDIO = 5;
const MAX_UNPROVEN_KIB = 32;

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
};

/** What the collector leaves of each idle session, bytes. */
async function idleBytes(lab: Lab, way: Way, { numbers, signal }: BenchRun): Promise<number> {
  const kept = async () => {
    const { heapBytes, externalBytes } = (await lab.usage()).kept!;
    return heapBytes + externalBytes;
  };
  const before = await kept();
  const plan: IdleSessionsPlan = {
    sessionUrl: `${lab.sessionUrl}?captions=off${WAYS[way]}`,
    sessions: numbers.sessions,
    localAddress: '127.0.0.1',
  };
  const crowd: ActorProcess<object, IdleSessionsReport> = await startActor('idle-sessions-process', plan);
  while ((await crowd.report()).connected < numbers.sessions) await pause(250, undefined, { signal });
  await pause(PROVEN_MS, undefined, { signal });
  const bytes = ((await kept()) - before) / numbers.sessions;
  await crowd.close();
  await pause(WARM_UP_MS, undefined, { signal });
  return bytes;
}

type Played = { readonly msPerSecond: number; readonly bufferedBytes: number; readonly underruns: number };

/** Processor time of the gateway for each second of a stream, and what is buffered for it. */
async function play(lab: Lab, way: Way, { numbers, signal }: BenchRun): Promise<Played> {
  const { streams, seconds, seed } = numbers;
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: streams,
    more: WAYS[way],
    seed,
    signal,
  });
  await pause(WARM_UP_MS, undefined, { signal });
  const before = await lab.usage();
  const tally = listeners.count();
  await pause(seconds * 1000, undefined, { signal });
  const after = await lab.usage();
  listeners.count();
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    looks.push((await lab.metrics()).value('voxgate_buffered_bytes') / streams);
    await pause(300, undefined, { signal });
  }
  await listeners.stop();
  await pause(500, undefined, { signal });
  return {
    msPerSecond: (after.cpuMs - before.cpuMs) / (streams * seconds),
    bufferedBytes: median(looks),
    underruns: tally.underruns,
  };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, progress } = bench;
  const { rounds, streams, sessions, seconds, seed } = numbers;
  const idle: Record<Way, number[]> = { plain: [], resumable: [] };
  // Those whose clients have gone are to be gone before the next are counted.
  const quiet = await openLab({ seed, collects: 'each-report', flags: ['--resume-ms', '1000'] });
  try {
    await idleBytes(quiet, 'plain', bench); // what is compiled and remembered once is no session's
    for (let round = 1; round <= rounds; round += 1)
      for (const way of ['plain', 'resumable'] as const) {
        progress(`resumable: round ${round} of ${rounds}, ${sessions} idle sessions, ${way}`);
        idle[way].push(await idleBytes(quiet, way, bench));
      }
  } finally {
    await quiet.close();
  }
  const played: Record<'first' | 'resumable' | 'second', Played[]> = { first: [], resumable: [], second: [] };
  const lab = await openLab({ seed });
  try {
    await play(lab, 'plain', bench);
    for (let round = 1; round <= rounds; round += 1)
      for (const [name, way] of [
        ['first', 'plain'],
        ['resumable', 'resumable'],
        ['second', 'plain'],
      ] as const) {
        progress(`resumable: round ${round} of ${rounds}, ${streams} streams, ${way}`);
        played[name].push(await play(lab, way, bench));
      }
  } finally {
    await lab.close();
  }
  const perStream = (name: keyof typeof played) => median(played[name].map((each) => each.msPerSecond));
  const ratios = played.resumable.map(
    (each, round) =>
      (2 * each.msPerSecond) / (played.first[round]!.msPerSecond + played.second[round]!.msPerSecond),
  );
  const baseRatios = played.second.map((each, round) => each.msPerSecond / played.first[round]!.msPerSecond);
  const buffered = (name: keyof typeof played) =>
    median(played[name].map((each) => each.bufferedBytes)) / KIB;
  const idleKib = { plain: median(idle.plain) / KIB, resumable: median(idle.resumable) / KIB };
  const besideKib = idleKib.resumable - idleKib.plain;
  const unprovenKib = buffered('resumable') - (buffered('first') + buffered('second')) / 2;
  const underruns = Object.values(played)
    .flat()
    .reduce((sum, each) => sum + each.underruns, 0);
  const row = (name: string, kib: number, stream: keyof typeof played) => [
    name,
    kib.toFixed(2),
    buffered(stream).toFixed(1),
    perStream(stream).toFixed(3),
  ];
  return {
    title: `resumable: ${sessions} idle sessions and ${streams} \u00b5-law streams for ${seconds} s, plain and resumable in turn, ${rounds} rounds`,
    columns: ['', 'KiB an idle session', 'KiB buffered a stream', 'CPU, ms for each second of a stream'],
    rows: [row('plain', idleKib.plain, 'first'), row('resumable', idleKib.resumable, 'resumable')],
    notes: [
      `Processor, resumable against the plain ones before and behind it: ${ratios.map((each) => each.toFixed(3)).join(', ')}; plain against plain: ${baseRatios.map((each) => each.toFixed(3)).join(', ')}.`,
      `${underruns} underruns. Idle memory is what the collector leaves of heap and buffers.`,
    ],
    figures: {
      plainIdleKiB: idleKib.plain,
      resumableIdleKiB: idleKib.resumable,
      besideAudioKiB: besideKib,
      unprovenKiB: unprovenKib,
      plainMsPerSecond: perStream('first'),
      resumableMsPerSecond: perStream('resumable'),
      ratio: median(ratios),
      baseRatio: median(baseRatios),
      underruns,
    },
    faults: [
      ...(besideKib > MAX_KIB_BESIDE_AUDIO ? [`${besideKib.toFixed(2)} KiB more for an idle session`] : []),
      ...(unprovenKib > MAX_UNPROVEN_KIB ? [`${unprovenKib.toFixed(1)} KiB of unproven audio a stream`] : []),
    ],
  };
}

export const resumable: Bench = {
  summary: 'memory and processor time of sessions that outlive their connections, beside plain ones in turn',
  defaults: { sessions: 500, streams: 60, seconds: 6, rounds: 3, seed: 1 },
  run,
};
