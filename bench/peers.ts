// Voxgate beside what people use otherwise, in the same run: utterances of five seconds one after another, as a bot on the phone
// says them, with the same clients and the same speech service. What counts is the processor time of the gateway and of every
// program that it starts, and how soon a sentence is heard.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type Candidate, type CandidateName, openCandidate, spentMs, VOXGATE } from './candidate.ts';
import { startActor } from './lab/actor.ts';
import type { FakeUpstreamReady, FakeUpstreamReport } from './lab/fake-upstream.ts';
import { hasFfmpeg } from './lab/ffmpeg-yardstick.ts';
import { USUAL_UPSTREAM } from './lab/lab.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { PEER_WAYS, type PeerName } from './lab/peer-ways.ts';
import { type Spread, spreadOf } from './lab/spread.ts';

const UTTERANCE_SECONDS = 5;
const WARM_UP_MS = 6000;
const LOOK_MS = 4000;
/** More are added until so much of the wanted load is there, a few times as many at a time. */
const NEARLY = 0.85;
const MOST_STEPS = 4;
const MOST_TIMES = 4;
const MOST_STREAMS = 800;
const FREE_OF_FFMPEG: readonly PeerName[] = ['relay, no transcoding', 'mpg123-decoder'];

type Outcome = {
  readonly streams: number;
  readonly coreShare: number;
  readonly cpuMsPerStreamSecond: number;
  readonly firstSample: Spread;
  readonly frameLatenessMs: Spread;
  readonly underruns: number;
  readonly dryFrames: number;
  readonly frames: number;
  readonly failed: number;
};

/** Processor time that is taken in `ms`, as a part of a core. */
async function shareIn(candidate: Candidate, ms: number, signal: AbortSignal): Promise<number> {
  const before = await candidate.usage();
  await pause(ms, undefined, { signal });
  return (spentMs(await candidate.usage()) - spentMs(before)) / ms;
}

async function measure(name: CandidateName, { numbers, signal, progress }: BenchRun): Promise<Outcome> {
  const { seconds, seed, loadPercent } = numbers;
  const upstream = await startActor<FakeUpstreamReady, FakeUpstreamReport>('upstream-process', {
    ...USUAL_UPSTREAM,
    seed,
  });
  const candidate = await openCandidate(name, upstream.ready.url, seed);
  try {
    const arrivals = new Map<number, number>();
    const groups: Listeners[] = [];
    let streams = 0;
    const add = async (count: number) => {
      const first = streams;
      groups.push(
        await startListeners({
          sessionUrl: candidate.sessionUrl,
          count,
          seed,
          signal,
          first,
          turnSeconds: [UTTERANCE_SECONDS, UTTERANCE_SECONDS],
          onFirstFrame: (turnSeed, atMs) => arrivals.set(turnSeed, atMs),
        }),
      );
      streams += count;
    };
    await add(numbers.streams);
    // Each at the same load: what costs the same for one stream and for hundreds would hide what a stream costs.
    for (let step = 0; step < MOST_STEPS; step++) {
      await pause(WARM_UP_MS, undefined, { signal });
      const share = (await shareIn(candidate, LOOK_MS, signal)) / (loadPercent / 100);
      progress(`peers: ${name}, ${streams} streams, ${(share * 100).toFixed(0)} % of the load`);
      const wanted = Math.min(MOST_STREAMS, Math.round(streams * Math.min(MOST_TIMES, 1 / share)));
      if (share >= NEARLY || wanted <= streams) break;
      await add(wanted - streams);
    }
    await pause(WARM_UP_MS, undefined, { signal });
    await upstream.report();
    const before = await candidate.usage();
    const tallies = groups.map((group) => group.count());
    await pause(seconds * 1000, undefined, { signal });
    for (const group of groups) group.count();
    const after = await candidate.usage();
    const { heads } = await upstream.report();
    for (const group of groups) await group.stop();
    const waits = heads.flatMap(([turnSeed, atMs]) => {
      const heardMs = arrivals.get(turnSeed);
      return heardMs === undefined ? [] : [heardMs - atMs];
    });
    const total = (name: 'heardMs' | 'frames' | 'underruns' | 'dryFrames' | 'errors') =>
      tallies.reduce((sum, tally) => sum + tally[name], 0);
    const spent = spentMs(after) - spentMs(before);
    return {
      streams,
      coreShare: spent / (seconds * 1000),
      cpuMsPerStreamSecond: spent / (total('heardMs') / 1000),
      firstSample: spreadOf(waits),
      frameLatenessMs: spreadOf(tallies.flatMap(({ latenessMs }) => latenessMs)),
      underruns: total('underruns'),
      dryFrames: total('dryFrames'),
      frames: total('frames'),
      failed: after.failed ?? total('errors'),
    };
  } finally {
    await candidate.close();
    await upstream.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { seconds, loadPercent } = bench.numbers;
  const ffmpeg = hasFfmpeg();
  const peers = (Object.keys(PEER_WAYS) as PeerName[]).filter(
    (name) => ffmpeg || FREE_OF_FFMPEG.includes(name),
  );
  const outcomes = new Map<CandidateName, Outcome>();
  for (const name of [VOXGATE, ...peers] as const) {
    outcomes.set(name, await measure(name, bench));
  }
  const ours = outcomes.get(VOXGATE)!;
  const figures: Record<string, number> = {};
  const rows = [...outcomes].map(([name, outcome]) => {
    const key = name.replace(/[^a-zA-Z0-9]+/g, '_').toLowerCase();
    const perCore = 1000 / outcome.cpuMsPerStreamSecond;
    const cheaper = outcome.cpuMsPerStreamSecond / ours.cpuMsPerStreamSecond;
    const sooner = outcome.firstSample.p50 / ours.firstSample.p50;
    Object.assign(figures, {
      [`${key}_cpuMsPerStreamSecond`]: outcome.cpuMsPerStreamSecond,
      [`${key}_streams`]: outcome.streams,
      [`${key}_streamsPerCore`]: perCore,
      [`${key}_firstSampleP50Ms`]: outcome.firstSample.p50,
      [`${key}_firstSampleP99Ms`]: outcome.firstSample.p99,
      [`${key}_frameLatenessP99Ms`]: outcome.frameLatenessMs.p99,
      ...(name === VOXGATE ? {} : { [`${key}_costs`]: cheaper, [`${key}_later`]: sooner }),
    });
    return [
      name,
      String(outcome.streams),
      (outcome.coreShare * 100).toFixed(0),
      outcome.cpuMsPerStreamSecond.toFixed(1),
      perCore.toFixed(0),
      name === VOXGATE ? '' : `${cheaper.toFixed(1)} ×`,
      outcome.firstSample.p50.toFixed(1),
      outcome.firstSample.p99.toFixed(1),
      name === VOXGATE ? '' : `${sooner.toFixed(0)} ×`,
      outcome.frameLatenessMs.p99.toFixed(0),
      String(outcome.dryFrames),
    ];
  });
  return {
    title: `peers: callers who hear ${UTTERANCE_SECONDS} s one after another, as many as take ${loadPercent} % of a core, for ${seconds} s each way; 24 kHz MP3 → µ-law, 20 ms frames`,
    columns: [
      '',
      'streams',
      '% of a core',
      'CPU ms per stream-second',
      'streams per core',
      'costs',
      'first sample p50, ms',
      'p99',
      'later',
      'frame p99, ms',
      'frames too late',
    ],
    rows,
    notes: [
      'CPU: of the gateway and of every program that it starts, by the system’s accounts; streams per core follow from it.',
      'First sample: from the service’s first audio to the first frame at the client.',
      'The other ways are a small server of our own around each, with the same clock, lead and clients.',
      ...(ffmpeg ? [] : ['ffmpeg is not installed here, so its ways are left out (apt-get install ffmpeg).']),
    ],
    figures,
    faults: [...outcomes].flatMap(([name, { frames, failed }]) => [
      ...(frames === 0 ? [`${name}: no frame came`] : []),
      ...(failed > 0 ? [`${name}: ${failed} utterances failed`] : []),
    ]),
  };
}

export const peers: Bench = {
  summary: 'beside an ffmpeg process or a decoder for each utterance: streams per core, first sample',
  defaults: { streams: 8, seconds: 12, loadPercent: 50, seed: 1 },
  needs: 'minutes',
  run,
};
