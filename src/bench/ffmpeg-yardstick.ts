// What the usual way costs on the same machine: ffmpeg over one long file, and ffmpeg started anew for each stream.
// Only a yardstick: nothing of the gateway starts it, and without it the bench goes on.

import { spawn, spawnSync } from 'node:child_process';
import { monotonicMs } from './monotonic.ts';

export const hasFfmpeg = (): boolean => spawnSync('ffmpeg', ['-version'], { stdio: 'ignore' }).status === 0;

export type FfmpegRun = {
  /** User and system time of the process, as ffmpeg tells. */
  readonly cpuMs: number;
  /** From spawn to the first byte that came out. */
  readonly firstOutputMs: number;
};

const DEADLINE_MS = 60_000;
/** The first two: without them nothing comes out of a live stream for one or two seconds. */
const INPUT = ['-probesize', '32', '-analyzeduration', '0', '-f', 'mp3', '-i', 'pipe:0'];
const OUTPUT = ['-ar', '8000', '-ac', '1', '-f', 'mulaw', 'pipe:1'];

/** MP3 through a new process to µ-law at 8 kHz. */
export function runFfmpeg(mp3: Uint8Array): Promise<FfmpegRun> {
  return new Promise((resolve, reject) => {
    const startedAtMs = monotonicMs();
    const child = spawn(
      'ffmpeg',
      ['-nostdin', '-hide_banner', '-benchmark', '-threads', '1', ...INPUT, '-flush_packets', '1', ...OUTPUT],
      { timeout: DEADLINE_MS },
    );
    let firstOutputMs: number | undefined;
    let messages = '';
    child.stdout.on('data', () => {
      firstOutputMs ??= monotonicMs() - startedAtMs;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      messages = (messages + chunk.toString('utf8')).slice(-4000);
    });
    child.once('error', reject);
    child.once('close', () => {
      const [, user, system] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(messages) ?? [];
      if (firstOutputMs === undefined || user === undefined || system === undefined)
        reject(new Error('ffmpeg gave no audio'));
      else resolve({ cpuMs: (Number(user) + Number(system)) * 1000, firstOutputMs });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(mp3);
  });
}
