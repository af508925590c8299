// What live turns cost beside a bare relay of as many, in turns: a small server that passes on what comes, frame by frame by one
// clock, decodes nothing and can be asked nothing. A machine that is slow today is slow for both, so the ratio can be held against
// that of another day or another machine, where milliseconds cannot.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { type CandidateName, openCandidate, spentMs, VOXGATE } from './candidate.ts';
import { startActor } from './lab/actor.ts';
import type { FakeUpstreamReady, FakeUpstreamReport } from './lab/fake-upstream.ts';
import { USUAL_UPSTREAM } from './lab/lab.ts';
import { type ListenerWire, startListeners } from './lab/listeners.ts';
import { WARM_UP_MS } from './lab/measured-stretch.ts';
import { medianOf } from './lab/spread.ts';
import { SOURCE_RATES, type SourceRate } from './lab/voice-like-mp3.ts';

const [AT_24K, AT_44K, AT_48K] = SOURCE_RATES;

type Way = {
  readonly candidate: CandidateName;
  readonly name: string;
  readonly key: string;
  readonly source: SourceRate;
  readonly wire: ListenerWire;
};
const WAYS: readonly Way[] = [
  { candidate: 'relay, no transcoding', name: 'a bare relay', key: 'relay', source: AT_24K, wire: 'mulaw' },
  { candidate: VOXGATE, name: '24 kHz → µ-law', key: 'at24k', source: AT_24K, wire: 'mulaw' },
  { candidate: VOXGATE, name: '44.1 kHz → µ-law', key: 'at44k', source: AT_44K, wire: 'mulaw' },
  { candidate: VOXGATE, name: '48 kHz → µ-law', key: 'at48k', source: AT_48K, wire: 'mulaw' },
  { candidate: VOXGATE, name: '24 kHz → µ-law in JSON', key: 'json', source: AT_24K, wire: 'mulaw in JSON' },
];

type Outcome = {
  readonly cpuMs: number;
  readonly coreShare: number;
  /** Of the time that all streams would fill without a pause: turns are some 2 % of it apart. */
  readonly heardShare: number;
  /** Frames that came too late to be played. */
  readonly dryFrames: number;
  readonly failed: number;
};

/** Who hears less has not been served, and what is left of the cost says nothing. */
const LEAST_HEARD_SHARE = 0.9;

async function measure(way: Way, { numbers, signal }: BenchRun): Promise<Outcome> {
  const { streams, seconds, seed } = numbers;
  const upstream = await startActor<FakeUpstreamReady, FakeUpstreamReport>('upstream-process', {
    ...USUAL_UPSTREAM,
    source: way.source,
    seed,
  });
  try {
    const candidate = await openCandidate(way.candidate, upstream.ready.url, seed);
    try {
      const { sessionUrl } = candidate;
      const listeners = await startListeners({ sessionUrl, count: streams, seed, signal, wire: way.wire });
      await pause(WARM_UP_MS, undefined, { signal });
      const before = await candidate.usage();
      const tally = listeners.count();
      await pause(seconds * 1000, undefined, { signal });
      listeners.count();
      const after = await candidate.usage();
      await listeners.stop();
      const ownMs = spentMs(after) - spentMs(before);
      return {
        cpuMs: ownMs / (tally.heardMs / 1000),
        coreShare: ownMs / (seconds * 1000),
        heardShare: tally.heardMs / (streams * seconds * 1000),
        dryFrames: tally.dryFrames,
        failed: tally.errors + (after.failed ?? 0),
      };
    } finally {
      await candidate.close();
    }
  } finally {
    await upstream.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { streams, seconds, rounds } = bench.numbers;
  const ways = WAYS.filter(
    ({ candidate, key }) => candidate !== VOXGATE || bench.only === undefined || key === bench.only,
  );
  const outcomes = new Map<Way, Outcome[]>(ways.map((way) => [way, []]));
  for (let round = 1; round <= rounds; round++) {
    // There and back again: what the machine does to the end of a round it does to all of them in turn.
    for (const way of round % 2 === 1 ? ways : [...ways].reverse()) {
      bench.progress(`beside-relay: ${way.name}, ${streams} streams, round ${round} of ${rounds}`);
      outcomes.get(way)!.push(await measure(way, bench));
    }
  }
  const relay = outcomes.get(ways[0]!)!;
  const figures: Record<string, number> = {};
  const rows = ways.map((way) => {
    const own = outcomes.get(way)!;
    const ratios = own.map(({ cpuMs }, round) => cpuMs / relay[round]!.cpuMs);
    const told = {
      cpuMsPerStreamSecond: medianOf(own.map(({ cpuMs }) => cpuMs)),
      coreShare: medianOf(own.map(({ coreShare }) => coreShare)),
      timesTheRelay: medianOf(ratios),
      dryFrames: own.reduce((sum, { dryFrames }) => sum + dryFrames, 0),
    };
    for (const [figure, value] of Object.entries(told)) figures[`${way.key}_${figure}`] = value;
    const isRelay = way.candidate !== VOXGATE;
    const span = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    return [
      way.name,
      told.cpuMsPerStreamSecond.toFixed(2),
      (told.coreShare * 100).toFixed(0),
      isRelay ? '' : told.timesTheRelay.toFixed(2),
      isRelay ? '' : span,
      String(told.dryFrames),
    ];
  });
  return {
    title: `beside-relay: ${streams} live turns for ${seconds} s and as many through a bare relay, ${rounds} rounds in turns, the middle ones`,
    columns: [
      '',
      'CPU ms per stream-second',
      '% of a core',
      'times the relay',
      'from … to',
      'frames too late',
    ],
    rows,
    notes: [
      'The relay: undici, ws, one clock of 20 ms, the bytes as they come in frames of 20 ms. All threads of a process count.',
    ],
    figures,
    faults: [...outcomes].flatMap(([{ name }, own]) => [
      ...(own.some(({ failed }) => failed > 0) ? [`${name}: turns failed`] : []),
      ...(own.some(({ heardShare }) => heardShare < LEAST_HEARD_SHARE)
        ? [`${name}: not all was heard, so what it cost says nothing`]
        : []),
    ]),
  };
}

export const besideRelay: Bench = {
  summary: 'what live turns cost beside a bare relay of as many, in turns: a ratio that a slow machine keeps',
  defaults: { streams: 300, seconds: 10, rounds: 3, seed: 1 },
  parts: ['at24k', 'at44k', 'at48k', 'json'],
  needs: 'minutes',
  run,
};
