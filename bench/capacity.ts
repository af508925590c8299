// How many live turns a core holds, by what comes in and what goes out: the processor time of a stream in each, with a
// gateway of its own, and how late its frames are.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { LEAD_MS } from './lab/frame-schedule.ts';
import { openLab } from './lab/lab.ts';
import { type ListenerWire, startListeners } from './lab/listeners.ts';
import { measureStretch, WARM_UP_MS } from './lab/measured-stretch.ts';
import { SOURCE_RATES, type SourceRate } from './lab/voice-like-mp3.ts';

const [AT_24K, AT_44K, AT_48K] = SOURCE_RATES;
type Case = { readonly key: string; readonly source: SourceRate; readonly wire: ListenerWire };
const CASES: readonly Case[] = [
  { key: 'at24k', source: AT_24K, wire: 'mulaw' },
  { key: 'at44k', source: AT_44K, wire: 'mulaw' },
  { key: 'at48k', source: AT_48K, wire: 'mulaw' },
  { key: 'json', source: AT_24K, wire: 'mulaw in JSON' },
  { key: 'frames40', source: AT_24K, wire: 'mulaw 40 ms' },
  { key: 'raw16k', source: AT_24K, wire: 'raw 16 kHz' },
  { key: 'raw24k', source: AT_24K, wire: 'raw 24 kHz' },
];
const KIB = 1024;
/** A core that is busier than this is late for everyone. */
const FULL_SHARE = 0.8;

async function measure({ source, wire }: Case, { numbers, signal }: BenchRun) {
  const { streams, seconds, seed } = numbers;
  const lab = await openLab({ seed, upstream: { source } });
  try {
    const idle = await lab.usage();
    const listeners = await startListeners({
      sessionUrl: lab.sessionUrl,
      count: streams,
      seed,
      signal,
      wire,
    });
    await pause(WARM_UP_MS, undefined, { signal });
    const stretch = await measureStretch(lab, [listeners], seconds, signal);
    await listeners.stop();
    const { before, after, frameLatenessMs } = stretch;
    const streamSeconds = stretch.tallies[0]!.heardMs / 1000;
    const cpuMs = (after.cpuMs - before.cpuMs) / streamSeconds;
    const mainMs = ((after.mainCpuMs ?? after.cpuMs) - (before.mainCpuMs ?? before.cpuMs)) / streamSeconds;
    return {
      cpuMsPerStreamSecond: cpuMs,
      mainMsPerStreamSecond: mainMs,
      streamsPerCore: (FULL_SHARE * 1000) / mainMs,
      tickLatenessP99Ms: stretch.tickP99Ms,
      frameLatenessP99Ms: frameLatenessMs.p99,
      underruns: stretch.tallies[0]!.underruns,
      errors: stretch.tallies[0]!.errors,
      residentKiBPerStream: (after.residentBytes - idle.residentBytes) / KIB / streams,
    };
  } finally {
    await lab.close();
  }
}

async function run(bench: BenchRun): Promise<BenchResult> {
  const { streams, seconds } = bench.numbers;
  const rows: string[][] = [];
  const figures: Record<string, number> = {};
  const faults: string[] = [];
  for (const each of CASES) {
    const name = `${each.source.sampleRate / 1000} kHz → ${each.wire}`;
    bench.progress(`capacity: ${name}, ${streams} streams, ${seconds} s`);
    const told = await measure(each, bench);
    for (const [figure, value] of Object.entries(told)) figures[`${each.key}_${figure}`] = value;
    if (told.errors > 0) faults.push(`${name}: ${told.errors} errors were told`);
    rows.push([
      name,
      told.cpuMsPerStreamSecond.toFixed(2),
      told.mainMsPerStreamSecond.toFixed(2),
      told.streamsPerCore.toFixed(0),
      told.tickLatenessP99Ms.toFixed(1),
      told.frameLatenessP99Ms.toFixed(1),
      String(told.underruns),
      told.residentKiBPerStream.toFixed(0),
    ]);
  }
  return {
    title: `capacity: ${streams} live turns for ${seconds} s, a gateway of its own for each row, ${LEAD_MS} ms of lead`,
    columns: [
      '',
      'CPU ms per stream-second',
      'of it the main thread',
      `streams at ${FULL_SHARE * 100} % of a core`,
      'tick p99, ms',
      'frame p99, ms',
      'underruns',
      'KiB per stream',
    ],
    rows,
    notes: [
      "Streams at 80 %: by the main thread's processor time at this load; the other threads are the collector and the compiler.",
      'KiB: resident over the idle process, divided by the streams.',
    ],
    figures,
    faults,
  };
}

export const capacity: Bench = {
  summary: 'what a live turn costs by source rate and by what goes out: streams per core',
  defaults: { streams: 100, seconds: 10, seed: 1 },
  run,
};
