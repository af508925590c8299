// One hostile user beside callers of another: whether a listener with 60 ms in hand hears it, how long the gateway's thread is
// held in one piece, and how the hostile one is answered. Each kind with and without, in turns.

import { setTimeout as pause } from 'node:timers/promises';
import { connectSession } from '../src/client/voxgate-client.ts';
import { freePort } from '../testkit/carriers/free-port.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { startActor } from './lab/actor.ts';
import { HOSTILE_KINDS } from './lab/hostile-kinds.ts';
import type { HostilePlan, HostileReport } from './lab/hostile-process.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { type Listeners, startListeners } from './lab/listeners.ts';
import { medianOf } from './lab/spread.ts';

const KEYS = { callers: 'key-of-the-callers', hostile: 'key-of-the-hostile-one' } as const;
const IN_HAND_MS = 60;
const WARM_UP_MS = 5000;
/** What it did is over by then. */
const REST_MS = 1000;
const LOOK_MS = 1000;
/** Beyond this a piece of work is too long. */
const AIM_MS = 10;

type Stretch = {
  /** Frames that came after a listener with 60 ms in hand needed them, and what the gateway told. */
  readonly dryFrames: number;
  readonly underruns: number;
  readonly longestMs: readonly number[];
  readonly collectionsMs: readonly number[];
};
type Pair = { readonly without: Stretch; readonly beside: Stretch; readonly report: HostileReport };
type Scene = { readonly lab: Lab; readonly listeners: Listeners; readonly plan: Omit<HostilePlan, 'kind'> };

async function measure({ lab, listeners }: Scene, seconds: number, signal: AbortSignal): Promise<Stretch> {
  await lab.usage(); // begins a new look
  const tally = listeners.count();
  const longestMs: number[] = [];
  const collectionsMs: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await pause(LOOK_MS, undefined, { signal });
    const { held } = await lab.usage();
    longestMs.push(held?.longestMs ?? Number.NaN);
    collectionsMs.push(held?.longestCollectionMs ?? Number.NaN);
  }
  listeners.count();
  return { dryFrames: tally.dryFrames, underruns: tally.underruns, longestMs, collectionsMs };
}

async function pairOf(kind: string, scene: Scene, { numbers, signal }: BenchRun): Promise<Pair> {
  const without = await measure(scene, numbers.seconds, signal);
  const hostile = await startActor<unknown, HostileReport>('hostile-process', { ...scene.plan, kind });
  try {
    const beside = await measure(scene, numbers.seconds, signal);
    return { without, beside, report: await hostile.report() };
  } finally {
    await hostile.close();
    await pause(REST_MS, undefined, { signal });
  }
}

async function openScene({ numbers, signal }: BenchRun): Promise<Scene> {
  const audiosocketPort = await freePort();
  const lab = await openLab({
    seed: numbers.seed,
    watchesLoop: 'on',
    flags: [
      ...['--api-keys', `callers:${KEYS.callers},hostile:${KEYS.hostile}`],
      ...['--audiosocket-port', String(audiosocketPort)],
    ],
  });
  try {
    const hostile = await connectSession({
      url: lab.sessionUrl,
      headers: { Authorization: `Bearer ${KEYS.hostile}` },
    });
    const { attachToken } = hostile.ready;
    hostile.close();
    const listeners = await startListeners({
      sessionUrl: lab.sessionUrl,
      headers: { Authorization: `Bearer ${KEYS.callers}` },
      count: numbers.streams,
      seed: numbers.seed,
      signal,
      leadMs: IN_HAND_MS,
    });
    const gatewayUrl = lab.url.replace(/^http/, 'ws');
    return {
      lab,
      listeners,
      plan: { gatewayUrl, audiosocketPort, key: KEYS.hostile, token: attachToken },
    };
  } catch (error) {
    await lab.close();
    throw error;
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const toldAs = (reports: readonly HostileReport[]): string => {
  const all: Record<string, number> = {};
  for (const { answers } of reports)
    for (const [code, times] of Object.entries(answers)) all[code] = (all[code] ?? 0) + times;
  const listed = Object.entries(all).toSorted(([, a], [, b]) => b - a);
  return listed.map(([code, times]) => `${code} × ${times}`).join(', ') || 'served';
};

async function run(bench: BenchRun): Promise<BenchResult> {
  const { numbers, only, progress } = bench;
  const kinds = Object.keys(HOSTILE_KINDS).filter((kind) => only === undefined || kind === only);
  const pairs = new Map<string, Pair[]>(kinds.map((kind) => [kind, []]));
  const scene = await openScene(bench);
  try {
    await pause(WARM_UP_MS, undefined, { signal: bench.signal });
    for (let round = 1; round <= numbers.rounds; round += 1)
      for (const kind of kinds) {
        progress(`hostile: ${kind}, round ${round} of ${numbers.rounds}`);
        pairs.get(kind)!.push(await pairOf(kind, scene, bench));
      }
  } finally {
    await scene.listeners.stop();
    await scene.lab.close();
  }
  const results = [...pairs].map(([kind, all]) => {
    const held = all.flatMap(({ beside }) => beside.longestMs);
    return {
      kind,
      messages: sum(all.map(({ report }) => report.messages)),
      megabytes: sum(all.map(({ report }) => report.bytes)) / 1e6,
      dry: [sum(all.map((p) => p.without.dryFrames)), sum(all.map((p) => p.beside.dryFrames))] as const,
      underruns: [sum(all.map((p) => p.without.underruns)), sum(all.map((p) => p.beside.underruns))] as const,
      usualMs: medianOf(all.flatMap(({ without }) => without.longestMs)),
      medianMs: medianOf(held),
      longestMs: Math.max(...held),
      collectionMs: Math.max(...all.flatMap(({ beside }) => beside.collectionsMs)),
      told: toldAs(all.map(({ report }) => report)),
    };
  });
  return {
    title: `hostile: one hostile user beside ${numbers.streams} calls, ${numbers.rounds} × ${numbers.seconds} s without and with, listeners with ${IN_HAND_MS} ms in hand`,
    columns: [
      'sends',
      'messages',
      'MB',
      'dry frames without / with',
      'underruns told without / with',
      'loop held in a second, median without / with, ms',
      'longest / longest collection, ms',
      'told',
    ],
    rows: results.map((row) => [
      row.kind,
      String(row.messages),
      row.megabytes.toFixed(0),
      row.dry.join(' / '),
      row.underruns.join(' / '),
      `${row.usualMs.toFixed(1)} / ${row.medianMs.toFixed(1)}`,
      `${row.longestMs.toFixed(1)} / ${row.collectionMs.toFixed(1)}`,
      row.told,
    ]),
    notes: [
      `Aims: no dry frame with that there is not without; the loop held for at most ${AIM_MS} ms, as the median over the seconds.`,
      'Held: the longest in each second, turns of the loop with many short pieces of work included; collections of garbage are part of it and told apart.',
      'Callers, upstream and gateway share the machine, and the hostile one has what they leave of it: where cores are fewer than these processes, frames are late for that alone.',
    ],
    figures: {
      dryFramesWithout: sum(results.map(({ dry }) => dry[0])),
      dryFramesWith: sum(results.map(({ dry }) => dry[1])),
      worstMedianHeldMs: Math.max(...results.map(({ medianMs }) => medianMs)),
      longestHeldMs: Math.max(...results.map(({ longestMs }) => longestMs)),
      longestCollectionMs: Math.max(...results.map(({ collectionMs }) => collectionMs)),
    },
    faults: [],
  };
}

export const hostile: Bench = {
  summary:
    'one hostile user beside calls, each kind of message, dialect and leg: who hears it, how it is answered',
  defaults: { streams: 20, seconds: 2, rounds: 3, seed: 1 },
  parts: Object.keys(HOSTILE_KINDS),
  needs: 'minutes',
  run,
};
