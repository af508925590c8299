// The gateway's own share of the time to first audio: from the upstream's write of the audio that a first frame
// needs to the arrival of that frame at the client, while other turns play. Both ends are outside the gateway, so
// two passages through the loopback and the two event loops there are in it: an upper bound. The same passage
// without a gateway is measured beside it.

import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../src/client/voxgate-client.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './lab/fake-upstream.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { createSeededRandom } from './lab/seeded-random.ts';
import { speakUntilHeard } from './lab/speak-until-heard.ts';
import { SPREAD_COLUMNS, spreadOf, spreadRow } from './lab/spread.ts';

const CALLERS = 24;
const TURN_SECONDS = 0.8;
const TURN_EVERY_MS = 70;
const WARM_UP_MS = 3000;
/** Seeds number the turns; those of the listeners in the background are far below. */
const FIRST_SEED = 1_000_000;
const FIRST_DIRECT_SEED = 2_000_000;
const DIRECT_EVERY = 3;

type Arrivals = {
  /** When the first audio of each seed's turn came, by `monotonicMs`. */
  readonly atMs: Map<number, number>;
  /** Of each turn, as the gateway tells in `started`: all of the time to first audio but the upstream's. */
  readonly ownMs: number[];
};

type Caller = {
  /** Speaks one short turn; resolves once it has been heard. */
  speak(seed: number): Promise<void>;
  close(): void;
};

async function openCaller(sessionUrl: string, arrivals: Arrivals): Promise<Caller> {
  let seed = 0;
  let isFirst = false;
  const client = await connectSession({
    url: `${sessionUrl}?format=mulaw&sampleRate=8000`,
    onEvent(event) {
      if (event.type !== 'started') return;
      isFirst = true;
      arrivals.ownMs.push(event.timings.firstAudioMs - event.timings.upstreamTtfbMs);
    },
    onAudio() {
      if (isFirst) arrivals.atMs.set(seed, monotonicMs());
      isFirst = false;
    },
  });
  return {
    speak(next) {
      seed = next;
      return speakUntilHeard(client, { turn: `turn-${seed}`, text: textOf(TURN_SECONDS), seed });
    },
    close: () => client.close(),
  };
}

/** The same audio without a gateway: from the fake upstream straight to this process. */
function fetchDirectly(upstreamUrl: string, agent: Agent, seed: number, arrivals: Arrivals) {
  return new Promise<void>((resolve, reject) => {
    const asking = request(`${upstreamUrl}/api/v1/tts/stream`, { method: 'POST', agent }, (response) => {
      response.once('data', () => arrivals.atMs.set(seed, monotonicMs()));
      response.resume().once('end', resolve);
    });
    asking.once('error', reject);
    asking.end(JSON.stringify({ text: textOf(TURN_SECONDS), seed }));
  });
}

async function measure(lab: Lab, { numbers, signal, progress }: BenchRun) {
  const random = createSeededRandom(numbers.seed);
  const arrivals: Arrivals = { atMs: new Map(), ownMs: [] };
  const agent = new Agent({ keepAlive: true });
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: numbers.streams,
    seed: numbers.seed,
    signal,
  });
  const callers: Caller[] = [];
  for (let i = 0; i < CALLERS; i++) callers.push(await openCaller(lab.sessionUrl, arrivals));
  await pause(WARM_UP_MS, undefined, { signal });
  await lab.upstreamReport();
  const playing = await lab.metrics();

  const idle = [...callers];
  const running: Promise<void>[] = [];
  for (let sample = 0; sample < numbers.samples; sample++) {
    await pause(random.gapMs(TURN_EVERY_MS), undefined, { signal });
    while (idle.length === 0) await pause(5, undefined, { signal });
    const caller = idle.splice(Math.floor(random.share() * idle.length), 1)[0]!;
    const turn = caller.speak(FIRST_SEED + sample).then(() => void idle.push(caller));
    running.push(turn.catch(() => {})); // a turn that is lost is missed below
    if (sample % DIRECT_EVERY === 0)
      running.push(
        fetchDirectly(lab.upstreamUrl, agent, FIRST_DIRECT_SEED + sample, arrivals).catch(() => {}),
      );
    progress(`first-frame: ${sample + 1} of ${numbers.samples} turns`);
  }
  await Promise.all(running);
  const { heads } = await lab.upstreamReport();
  await listeners.stop();
  for (const caller of callers) caller.close();
  agent.destroy();

  const taken = heads
    .filter(([seed]) => arrivals.atMs.has(seed))
    .map(([seed, atMs]) => [seed, arrivals.atMs.get(seed)! - atMs] as const);
  return {
    throughGateway: spreadOf(taken.filter(([seed]) => seed < FIRST_DIRECT_SEED).map(([, ms]) => ms)),
    direct: spreadOf(taken.filter(([seed]) => seed >= FIRST_DIRECT_SEED).map(([, ms]) => ms)),
    own: spreadOf(arrivals.ownMs),
    turnsPlaying: playing.value('voxgate_turns'),
  };
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const lab = await openLab({ seed: bench.numbers.seed });
  try {
    const { throughGateway, direct, own, turnsPlaying } = await measure(lab, bench);
    const lost = bench.numbers.samples - throughGateway.count;
    return {
      title: `first-frame: upstream audio written → first frame at the client, ${bench.numbers.streams} paced µ-law turns playing`,
      columns: SPREAD_COLUMNS,
      rows: [
        spreadRow('through the gateway', throughGateway),
        spreadRow('straight from the upstream', direct),
        spreadRow('first audio − upstream, as `started` tells', own),
      ],
      notes: [
        'Upstream: 24 kHz, 64 kbit/s, 400 ms at once. Loopback and the client are included: an upper bound.',
        'The second row is the same passage without a gateway; the third also has the way of the request in it.',
        'Aim for the first row: p50 ≤ 5, p99 ≤ 20.',
      ],
      figures: {
        throughP50Ms: throughGateway.p50,
        throughP99Ms: throughGateway.p99,
        throughMaxMs: throughGateway.max,
        directP50Ms: direct.p50,
        directP99Ms: direct.p99,
        ownP50Ms: own.p50,
        ownP99Ms: own.p99,
        turns: throughGateway.count,
        turnsPlaying,
      },
      faults: lost > 0 ? [`${lost} turns had no first frame`] : [],
    };
  } finally {
    await lab.close();
  }
}

export const firstFrame: Bench = {
  summary: "the gateway's own share of the time to first audio, while other turns play",
  defaults: { streams: 50, samples: 400, seed: 1 },
  run,
};
