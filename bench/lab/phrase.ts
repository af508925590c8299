// How soon a phrase that has been kept is heard: from the client's `speak` to its first frame, with nothing else going
// on and while other turns play. Each is paired with the same passage without a gateway, every few with one that the
// upstream has to speak, and the upstream itself tells whether it was asked for what was kept.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../../src/client/voxgate-client.ts';
import type { Bench, BenchResult, BenchRun } from '../bench.ts';
import { startActor } from './actor.ts';
import type { BareSessionReady } from './bare-session.ts';
import { textOf } from './fake-upstream.ts';
import { type Lab, openLab } from './lab.ts';
import { startListeners } from './listeners.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom } from './seeded-random.ts';
import { SPREAD_COLUMNS, spreadOf, spreadRow } from './spread.ts';

const PHRASE_SECONDS = 2;
const TURN_EVERY_MS = 50;
const WARM_UP_MS = 3000;
/** Compilation settles in the meantime: the gateway is one that has been in service, not one that has just been started. */
const WARM_UP_TURNS = 500;
const SPOKEN_EVERY = 4;
/** Seeds number the turns; those of the listeners in the background are far below. */
const KEPT_SEED = 1_000_000;
const FIRST_NEW_SEED = 2_000_000;

type Caller = {
  /** Speaks the phrase, cuts it once its first frame is there, and tells how long that took, ms. */
  firstFrame(seed: number): Promise<number>;
  /** Speaks it to the end. */
  whole(seed: number): Promise<void>;
  close(): void;
};

async function openCaller(sessionUrl: string): Promise<Caller> {
  let turns = 0;
  let onFrame = () => {};
  const client = await connectSession({
    url: `${sessionUrl}?format=mulaw&sampleRate=8000&cache=on`,
    onAudio: () => onFrame(),
  });
  const speak = (seed: number) => {
    turns += 1;
    const turn = `turn-${turns}`;
    const ended = client.next('ended', (event) => event.turn === turn);
    const spokenAtMs = monotonicMs();
    client.send({ type: 'speak', turn, text: textOf(PHRASE_SECONDS), seed });
    return { turn, ended, spokenAtMs };
  };
  return {
    async firstFrame(seed) {
      const arrived = new Promise<number>((resolve) => {
        onFrame = () => resolve(monotonicMs());
      });
      const { turn, ended, spokenAtMs } = speak(seed);
      const first = await Promise.race([arrived, ended.then(() => Number.NaN)]);
      client.send({ type: 'cancel', turn });
      await ended;
      onFrame = () => {};
      return first - spokenAtMs;
    },
    async whole(seed) {
      await speak(seed).ended;
    },
    close: () => client.close(),
  };
}

type Times = {
  readonly kept: number[];
  /** The same passage without a gateway. */
  readonly bare: number[];
  readonly spoken: number[];
};
type Passages = { readonly lab: Lab; readonly bareUrl: string };

async function measureTimes(
  { lab, bareUrl }: Passages,
  firstSeed: number,
  { numbers, signal, progress }: BenchRun,
): Promise<Times> {
  const random = createSeededRandom(firstSeed);
  const caller = await openCaller(lab.sessionUrl);
  const bareCaller = await openCaller(bareUrl);
  const rest = () => pause(random.gapMs(TURN_EVERY_MS), undefined, { signal });
  for (let n = 0; n < WARM_UP_TURNS; n++) {
    await caller.firstFrame(KEPT_SEED);
    await bareCaller.firstFrame(KEPT_SEED);
  }
  const times: Times = { kept: [], bare: [], spoken: [] };
  for (let n = 0; n < numbers.samples; n++) {
    await rest();
    times.kept.push(await caller.firstFrame(KEPT_SEED));
    await rest();
    times.bare.push(await bareCaller.firstFrame(KEPT_SEED));
    progress(`phrase: ${n + 1} of ${numbers.samples} turns`);
    if (n % SPOKEN_EVERY > 0) continue;
    await rest();
    times.spoken.push(await caller.firstFrame(firstSeed + n));
  }
  caller.close();
  bareCaller.close();
  return times;
}

async function measure(passages: Passages, bench: BenchRun) {
  const { lab } = passages;
  const { numbers, signal } = bench;
  const keeper = await openCaller(lab.sessionUrl);
  await keeper.whole(KEPT_SEED);
  keeper.close();
  await lab.upstreamReport();
  const idle = await measureTimes(passages, FIRST_NEW_SEED, bench);
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: numbers.streams,
    seed: numbers.seed,
    signal,
  });
  await pause(WARM_UP_MS, undefined, { signal });
  const busy = await measureTimes(passages, 2 * FIRST_NEW_SEED, bench);
  await listeners.stop();
  const { heads } = await lab.upstreamReport();
  return { idle, busy, asked: heads.filter(([seed]) => seed === KEPT_SEED).length };
}

/** NaN is a turn without a frame, and told as a fault. */
const isHeard = (time: number) => !Number.isNaN(time);
const spreadsOf = ({ kept, bare, spoken }: Times) => ({
  kept: spreadOf(kept.filter(isHeard)),
  bare: spreadOf(bare),
  spoken: spreadOf(spoken.filter(isHeard)),
});
const lostOf = ({ kept, spoken }: Times) => [...kept, ...spoken].filter((time) => !isHeard(time)).length;

async function run(bench: BenchRun): Promise<BenchResult> {
  const lab = await openLab({ seed: bench.numbers.seed });
  try {
    const bareSession = await startActor<BareSessionReady, unknown>('bare-session', {});
    try {
      const { sessionUrl: bareUrl } = bareSession.ready;
      return resultOf(bench, await measure({ lab, bareUrl }, bench));
    } finally {
      await bareSession.close();
    }
  } finally {
    await lab.close();
  }
}

function resultOf(
  { numbers: { streams } }: BenchRun,
  { idle, busy, asked }: Awaited<ReturnType<typeof measure>>,
): BenchResult {
  const [alone, beside] = [spreadsOf(idle), spreadsOf(busy)];
  const lost = lostOf(idle) + lostOf(busy);
  return {
    title: `phrase: \`speak\` at the client → first frame there, alone and beside ${streams} paced µ-law turns`,
    columns: SPREAD_COLUMNS,
    rows: [
      spreadRow('kept, nothing else playing', alone.kept),
      spreadRow('the same without a gateway', alone.bare),
      spreadRow('spoken by the upstream, nothing else playing', alone.spoken),
      spreadRow(`kept, ${streams} turns playing`, beside.kept),
      spreadRow('the same without a gateway', beside.bare),
      spreadRow(`spoken by the upstream, ${streams} turns playing`, beside.spoken),
    ],
    notes: [
      'Loopback and the client, whose event loop has the other listeners too, are included: an upper bound.',
      'Without a gateway a bare WebSocket answers at once; what a kept phrase takes longer is the gateway.',
      'The upstream takes 30 to 120 ms to begin. Aim for what is kept: 3 ms, and no upstream request at all.',
    ],
    figures: {
      keptIdleP50Ms: alone.kept.p50,
      keptIdleP99Ms: alone.kept.p99,
      bareIdleP50Ms: alone.bare.p50,
      bareIdleP99Ms: alone.bare.p99,
      keptBusyP50Ms: beside.kept.p50,
      keptBusyP99Ms: beside.kept.p99,
      bareBusyP50Ms: beside.bare.p50,
      bareBusyP99Ms: beside.bare.p99,
      spokenIdleP50Ms: alone.spoken.p50,
      spokenBusyP50Ms: beside.spoken.p50,
      upstreamRequestsForKept: asked,
    },
    faults: [
      ...(asked > 0 ? [`the upstream was asked ${asked} times for what was kept`] : []),
      ...(lost > 0 ? [`${lost} turns had no first frame`] : []),
    ],
  };
}

export const phrase: Bench = {
  summary: 'how soon a phrase that was kept is heard, beside one that has to be spoken',
  defaults: { streams: 50, samples: 300, seed: 1 },
  run,
};
