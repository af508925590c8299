// Barge-in: how soon a cancel is answered by `ended`, how soon the upstream is let go, and whether one byte of the
// turn comes after its `ended` (it must not).

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../src/client/voxgate-client.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './lab/fake-upstream.ts';
import { openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { createSeededRandom } from './lab/seeded-random.ts';
import { SPREAD_COLUMNS, spreadOf, spreadRow } from './lab/spread.ts';

const CALLERS = 8;
const TURN_SECONDS = 8;
const LATEST_CANCEL_MS = 1500;
/** How long stale audio is listened for before the next turn begins. */
const LISTEN_ON_MS = 60;
const FIRST_SEED = 1_000_000;

type Cancels = {
  readonly sentAtMs: Map<number, number>;
  readonly endedAfterMs: number[];
  staleBytes: number;
  beforeAudio: number;
  notCancelled: number;
};

async function cancelTurns(
  sessionUrl: string,
  seeds: readonly number[],
  cancels: Cancels,
  { numbers, signal }: BenchRun,
) {
  const random = createSeededRandom(numbers.seed + seeds[0]!);
  let state: 'silent' | 'playing' = 'silent';
  const client = await connectSession({
    url: `${sessionUrl}?format=mulaw&sampleRate=8000`,
    onEvent(event) {
      if (event.type === 'started') state = 'playing';
      if (event.type === 'ended') state = 'silent';
    },
    onAudio(bytes) {
      if (state === 'silent') cancels.staleBytes += bytes.length;
    },
  });
  for (const seed of seeds) {
    const turn = `turn-${seed}`;
    const ended = client.next('ended', (event) => event.turn === turn);
    client.send({ type: 'speak', turn, text: textOf(TURN_SECONDS), seed });
    await pause(random.between(0, LATEST_CANCEL_MS), undefined, { signal });
    if ((state as string) === 'silent') cancels.beforeAudio += 1;
    const sentAtMs = monotonicMs();
    cancels.sentAtMs.set(seed, sentAtMs);
    client.send({ type: 'cancel', turn });
    const { outcome } = await ended;
    cancels.endedAfterMs.push(monotonicMs() - sentAtMs);
    if (outcome !== 'cancelled') cancels.notCancelled += 1;
    await pause(LISTEN_ON_MS, undefined, { signal });
  }
  client.close();
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, signal, progress } = bench;
  // Not much faster than real time, so that the upstream is still speaking when the cancel comes.
  const lab = await openLab({ seed: numbers.seed, upstream: { speed: 1.2 } });
  try {
    const listeners = await startListeners({
      sessionUrl: lab.sessionUrl,
      count: numbers.streams,
      seed: numbers.seed,
      signal,
    });
    const cancels: Cancels = {
      sentAtMs: new Map(),
      endedAfterMs: [],
      staleBytes: 0,
      beforeAudio: 0,
      notCancelled: 0,
    };
    progress(`cancel: ${numbers.samples} turns`);
    const seedsOf = (caller: number) =>
      Array.from({ length: numbers.samples }, (_, i) => FIRST_SEED + i).filter(
        (seed) => seed % CALLERS === caller,
      );
    await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) => seedsOf(caller))
        .filter((seeds) => seeds.length > 0)
        .map((seeds) => cancelTurns(lab.sessionUrl, seeds, cancels, bench)),
    );
    const { cuts } = await lab.upstreamReport();
    await listeners.stop();

    const ended = spreadOf(cancels.endedAfterMs);
    const closed = spreadOf(
      cuts
        .filter(([seed]) => cancels.sentAtMs.has(seed))
        .map(([seed, atMs]) => atMs - cancels.sentAtMs.get(seed)!),
    );
    return {
      title: `cancel: ${numbers.samples} turns cut at random moments, ${numbers.streams} others playing`,
      columns: SPREAD_COLUMNS,
      rows: [
        spreadRow('cancel → `ended` at the client', ended),
        spreadRow('cancel → upstream connection closed', closed),
        ['bytes of audio after `ended`', String(cancels.staleBytes), '', '', '', ''],
      ],
      notes: [
        `${cancels.beforeAudio} were cut before their first audio; a turn whose request had not gone out has no connection to close.`,
      ],
      figures: {
        endedP50Ms: ended.p50,
        endedP99Ms: ended.p99,
        endedMaxMs: ended.max,
        upstreamClosedP50Ms: closed.p50,
        upstreamClosedP99Ms: closed.p99,
        upstreamClosedMaxMs: closed.max,
        upstreamClosed: closed.count,
        staleBytes: cancels.staleBytes,
      },
      faults: [
        ...(cancels.staleBytes > 0 ? [`${cancels.staleBytes} bytes of audio came after \`ended\``] : []),
        ...(cancels.notCancelled > 0 ? [`${cancels.notCancelled} turns did not end as cancelled`] : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const cancel: Bench = {
  summary: 'barge-in: time to `ended` and to the upstream connection closed, and bytes after `ended`',
  defaults: { streams: 20, samples: 200, seed: 1 },
  run,
};
