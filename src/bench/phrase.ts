// How soon a phrase that has been kept is heard: from the client's `speak` to its first frame, with nothing else going
// on and while other turns play. Each is paired with one that the upstream has to speak, and the upstream itself
// tells whether it was asked for what was kept.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../cli/session-client.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './fake-upstream.ts';
import { type Lab, openLab } from './lab.ts';
import { startListeners } from './listeners.ts';
import { monotonicMs } from './monotonic.ts';
import { createSeededRandom } from './seeded-random.ts';
import { SPREAD_COLUMNS, spreadOf, spreadRow } from './spread.ts';

const PHRASE_SECONDS = 2;
const TURN_EVERY_MS = 50;
const WARM_UP_MS = 3000;
const WARM_UP_TURNS = 20;
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

type Pairs = { readonly kept: number[]; readonly spoken: number[] };

async function measurePairs(lab: Lab, firstSeed: number, bench: BenchRun): Promise<Pairs> {
  const { numbers, signal, progress } = bench;
  const random = createSeededRandom(firstSeed);
  const caller = await openCaller(lab.sessionUrl);
  const pairs: Pairs = { kept: [], spoken: [] };
  for (let n = -WARM_UP_TURNS; n < numbers.samples; n++) {
    await pause(random.gapMs(TURN_EVERY_MS), undefined, { signal });
    const keptMs = await caller.firstFrame(KEPT_SEED);
    await pause(random.gapMs(TURN_EVERY_MS), undefined, { signal });
    const spokenMs = await caller.firstFrame(firstSeed + WARM_UP_TURNS + n);
    if (n < 0) continue;
    pairs.kept.push(keptMs);
    pairs.spoken.push(spokenMs);
    progress(`phrase: ${n + 1} of ${numbers.samples} pairs`);
  }
  caller.close();
  return pairs;
}

async function measure(lab: Lab, bench: BenchRun) {
  const { numbers, signal } = bench;
  const keeper = await openCaller(lab.sessionUrl);
  await keeper.whole(KEPT_SEED);
  keeper.close();
  await lab.upstreamReport();
  const idle = await measurePairs(lab, FIRST_NEW_SEED, bench);
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: numbers.streams,
    seed: numbers.seed,
    signal,
  });
  await pause(WARM_UP_MS, undefined, { signal });
  const busy = await measurePairs(lab, 2 * FIRST_NEW_SEED, bench);
  await listeners.stop();
  const { heads } = await lab.upstreamReport();
  return { idle, busy, asked: heads.filter(([seed]) => seed === KEPT_SEED).length };
}

/** NaN is a turn without a frame, and told as a fault. */
const spreadOfHeard = (times: readonly number[]) => spreadOf(times.filter((time) => !Number.isNaN(time)));

async function run(bench: BenchRun): Promise<BenchResult> {
  const lab = await openLab({ seed: bench.numbers.seed });
  try {
    const { idle, busy, asked } = await measure(lab, bench);
    const [keptIdle, keptBusy] = [spreadOfHeard(idle.kept), spreadOfHeard(busy.kept)];
    const [spokenIdle, spokenBusy] = [spreadOfHeard(idle.spoken), spreadOfHeard(busy.spoken)];
    const heard = keptIdle.count + keptBusy.count + spokenIdle.count + spokenBusy.count;
    const lost = 4 * bench.numbers.samples - heard;
    return {
      title: `phrase: \`speak\` at the client → first frame there, alone and beside ${bench.numbers.streams} paced µ-law turns`,
      columns: SPREAD_COLUMNS,
      rows: [
        spreadRow('kept, nothing else playing', keptIdle),
        spreadRow('spoken by the upstream, nothing else playing', spokenIdle),
        spreadRow(`kept, ${bench.numbers.streams} turns playing`, keptBusy),
        spreadRow(`spoken by the upstream, ${bench.numbers.streams} turns playing`, spokenBusy),
      ],
      notes: [
        'Loopback and the client, whose event loop has the other listeners too, are included: an upper bound.',
        'The upstream takes 30 to 120 ms to begin. Aim for what is kept: 3 ms, and no upstream request at all.',
      ],
      figures: {
        keptIdleP50Ms: keptIdle.p50,
        keptIdleP99Ms: keptIdle.p99,
        keptBusyP50Ms: keptBusy.p50,
        keptBusyP99Ms: keptBusy.p99,
        spokenIdleP50Ms: spokenIdle.p50,
        spokenBusyP50Ms: spokenBusy.p50,
        upstreamRequestsForKept: asked,
      },
      faults: [
        ...(asked > 0 ? [`the upstream was asked ${asked} times for what was kept`] : []),
        ...(lost > 0 ? [`${lost} turns had no first frame`] : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const phrase: Bench = {
  summary: 'how soon a phrase that was kept is heard, beside one that has to be spoken',
  defaults: { streams: 50, samples: 200, seed: 1 },
  run,
};
