// A client that stops reading while it is being spoken to: how long until the gateway lets it go, what it holds for
// it meanwhile, and whether its neighbours notice. All settings are the defaults.

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { textOf } from './lab/fake-upstream.ts';
import { type Lab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { type Spread, spreadOf } from './lab/spread.ts';

/** The kernel swallows megabytes before the gateway sees anything, so one client asks for more than that at once. */
const CLIENTS = [
  { name: 'phone (µ-law, paced)', preset: 'format=mulaw&sampleRate=8000', turnSeconds: 120 },
  {
    name: 'download (raw 48 kHz, burst)',
    preset: 'format=raw&sampleRate=48000&pace=burst',
    turnSeconds: 240,
  },
] as const;
type StalledClient = (typeof CLIENTS)[number];

const READ_FOR_MS = 2000;
const LOOK_EVERY_MS = 200;
/** Of no other turn: the background listeners hold a little each, and it comes and goes. */
const NOTICEABLE_BYTES = 64 * 1024;
const KIB = 1024;

type Finding = {
  readonly client: StalledClient;
  /** From the last read; undefined when it was never closed. */
  readonly closedAfterS: number | undefined;
  readonly freedAfterS: number;
  readonly heldBytes: number;
  readonly residentBytes: number;
  readonly neighbours: Spread;
  readonly underruns: number;
};

async function stallOne(lab: Lab, client: StalledClient, { numbers, signal }: BenchRun): Promise<Finding> {
  const listeners = await startListeners({
    sessionUrl: lab.sessionUrl,
    count: numbers.streams,
    seed: numbers.seed,
    signal,
  });
  await pause(READ_FOR_MS, undefined, { signal });
  const before = { metrics: await lab.metrics(), usage: await lab.usage() };

  const socket = new WebSocket(`${lab.sessionUrl}?${client.preset}`, 'voxgate.v1', {
    perMessageDeflate: false,
  });
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send(
    JSON.stringify({ type: 'speak', turn: 'stalled', text: textOf(client.turnSeconds), seed: 999_999 }),
  );
  await pause(READ_FOR_MS / 4, undefined, { signal });
  socket.pause();
  const stalledAtMs = monotonicMs();
  const tally = listeners.count();

  const bufferedBefore = before.metrics.value('voxgate_buffered_bytes');
  let heldBytes = 0;
  let residentBytes = 0;
  let freedAfterS = 0;
  let closedAfterS: number | undefined;
  while (closedAfterS === undefined && monotonicMs() - stalledAtMs < numbers.seconds * 1000) {
    await pause(LOOK_EVERY_MS, undefined, { signal });
    const [metrics, usage] = await Promise.all([lab.metrics(), lab.usage()]);
    const atS = (monotonicMs() - stalledAtMs) / 1000;
    const held = metrics.value('voxgate_buffered_bytes') - bufferedBefore;
    heldBytes = Math.max(heldBytes, held);
    residentBytes = Math.max(residentBytes, usage.residentBytes - before.usage.residentBytes);
    if (held > NOTICEABLE_BYTES) freedAfterS = atS;
    if (metrics.value('voxgate_sessions') <= numbers.streams) closedAfterS = atS;
  }
  socket.terminate();
  await listeners.stop();
  return {
    client,
    closedAfterS,
    freedAfterS,
    heldBytes,
    residentBytes,
    neighbours: spreadOf(tally.latenessMs),
    underruns: tally.underruns,
  };
}

async function stall(client: StalledClient, bench: BenchRun): Promise<Finding> {
  const lab = await openLab({ seed: bench.numbers.seed, upstream: { speed: 20 } });
  try {
    return await stallOne(lab, client, bench);
  } finally {
    await lab.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  bench.progress('stalled-reader: up to a minute');
  const findings = await Promise.all(CLIENTS.map((client) => stall(client, bench)));
  const [phone, download] = findings as [Finding, Finding];
  const figuresOf = (prefix: string, finding: Finding) => ({
    [`${prefix}ClosedAfterS`]: finding.closedAfterS ?? -1,
    [`${prefix}FreedAfterS`]: finding.freedAfterS,
    [`${prefix}HeldKiB`]: finding.heldBytes / KIB,
    [`${prefix}ResidentMoreKiB`]: finding.residentBytes / KIB,
    [`${prefix}NeighbourLatenessP99Ms`]: finding.neighbours.p99,
    [`${prefix}NeighbourUnderruns`]: finding.underruns,
  });
  return {
    title: `stalled-reader: a client that stops reading, ${bench.numbers.streams} neighbours playing, default settings`,
    columns: [
      '',
      'closed after, s',
      'memory back, s',
      'held, KiB',
      'RSS more, KiB',
      'neighbours p99, ms',
      'underruns',
    ],
    rows: findings.map((finding) => [
      finding.client.name,
      finding.closedAfterS?.toFixed(1) ?? 'never',
      finding.freedAfterS.toFixed(1),
      (finding.heldBytes / KIB).toFixed(0),
      (finding.residentBytes / KIB).toFixed(0),
      finding.neighbours.p99.toFixed(1),
      String(finding.underruns),
    ]),
    notes: [
      'Held: audio and messages that wait in the gateway beyond what the neighbours hold; the kernel holds more.',
      `Memory back: the last look at which more than ${NOTICEABLE_BYTES / KIB} KiB were held.`,
    ],
    figures: { ...figuresOf('phone', phone), ...figuresOf('download', download) },
    faults: findings
      .filter((finding) => finding.closedAfterS === undefined)
      .map((finding) => `${finding.client.name}: not closed within ${bench.numbers.seconds} s`),
  };
}

export const stalledReader: Bench = {
  summary:
    'a client that stops reading: when it is let go, what is held for it, and what its neighbours notice',
  defaults: { streams: 10, seconds: 60, seed: 1 },
  run,
};
