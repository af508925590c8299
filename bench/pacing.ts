// What live turns cost and how well they are paced: lateness of the clock's ticks and of frames at the clients,
// gaps, and the gateway's processor time and memory per stream.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { FRAME_MS } from './lab/frame-schedule.ts';
import { openEngineLab, openLab } from './lab/lab.ts';
import { startListeners } from './lab/listeners.ts';
import { measureStretch, WARM_UP_MS } from './lab/measured-stretch.ts';

const SOURCES = { fake: '24 kHz MP3 in', engine: 'spoken by the embedded engine' } as const;
const KIB = 1024;
const MIB = 1024 * KIB;

async function run({ numbers, upstream, signal, progress }: BenchRun): Promise<BenchResult> {
  const { streams, seconds, blockMs, seed } = numbers;
  const lab = await (upstream === 'engine' ? openEngineLab : openLab)({
    seed,
    blockMs: [blockMs, blockMs],
  });
  try {
    const idle = await lab.usage();
    const listeners = await startListeners({ sessionUrl: lab.sessionUrl, count: streams, seed, signal });
    progress(`pacing: ${streams} streams, ${seconds} s`);
    await pause(WARM_UP_MS, undefined, { signal });

    const stretch = await measureStretch(lab, [listeners], seconds, signal);
    await listeners.stop();
    const { before, after, frameLatenessMs: lateness } = stretch;
    const tally = stretch.tallies[0]!;

    const streamSeconds = (tally.frames * FRAME_MS) / 1000;
    const cpuMs = after.cpuMs - before.cpuMs;
    const figures = {
      tickLatenessP50Ms: stretch.tickP50Ms,
      tickLatenessP99Ms: stretch.tickP99Ms,
      frameLatenessP50Ms: lateness.p50,
      frameLatenessP99Ms: lateness.p99,
      frameLatenessMaxMs: lateness.max,
      underruns: tally.underruns,
      dryFrames: tally.dryFrames,
      frames: tally.frames,
      cpuMsPerStreamSecond: cpuMs / streamSeconds,
      coreShare: cpuMs / (seconds * 1000),
      waitedMsPerSecond: ((after.waitedMs ?? 0) - (before.waitedMs ?? 0)) / seconds,
      residentMiB: after.residentBytes / MIB,
      residentKiBPerStream: (after.residentBytes - idle.residentBytes) / KIB / streams,
    };
    const blocked = blockMs > 0 ? `, event loop held for ${blockMs} ms twice a second` : '';
    return {
      title: `pacing: ${streams} live µ-law turns for ${seconds} s, ${SOURCES[upstream]}, 20 ms frames out${blocked}`,
      columns: ['', 'p50', 'p99', 'max'],
      rows: [
        ['tick lateness, ms', figures.tickLatenessP50Ms.toFixed(1), figures.tickLatenessP99Ms.toFixed(1), ''],
        [
          'frame lateness at the client, ms',
          lateness.p50.toFixed(1),
          lateness.p99.toFixed(1),
          lateness.max.toFixed(1),
        ],
        ['underruns told / frames too late to play', `${tally.underruns} / ${tally.dryFrames}`, '', ''],
        ['frames delivered', String(tally.frames), '', ''],
        ['CPU ms per stream-second', figures.cpuMsPerStreamSecond.toFixed(2), '', ''],
        ['CPU, % of a core', (figures.coreShare * 100).toFixed(1), '', ''],
        ['ready but not run, ms per second', figures.waitedMsPerSecond.toFixed(1), '', ''],
        ['resident memory, MiB', figures.residentMiB.toFixed(0), '', ''],
        ['more than idle, KiB per stream', figures.residentKiBPerStream.toFixed(0), '', ''],
      ],
      notes: [
        'Ticks are 5 ms apart, so a frame is up to 5 ms behind its schedule when nothing is late.',
        'Ready but not run: what other programs on this machine took from the gateway; 0 where it is not told.',
        ...(upstream === 'engine'
          ? [
              'The engine and its speech program are processes of their own, whose work is not in the figures.',
            ]
          : []),
        'Tick lateness is read from the histogram in /metrics, linearly within its buckets.',
      ],
      figures,
      faults: [
        ...(tally.errors > 0 ? [`${tally.errors} errors were told`] : []),
        ...(tally.frames === 0 ? ['no frame came'] : []),
      ],
    };
  } finally {
    await lab.close();
  }
}

export const pacing: Bench = {
  summary: 'tick and frame lateness, gaps, processor time and memory of live paced turns',
  defaults: { streams: 50, seconds: 20, blockMs: 0, seed: 1 },
  engineDefaults: { streams: 10 },
  run,
};
