// What the usual way costs on the same machine: ffmpeg over one long file, and ffmpeg started anew for each stream.
// Only a yardstick: nothing of the gateway starts it, and without it the bench goes on.

import { spawn, spawnSync } from 'node:child_process';
import { monotonicMs } from './monotonic.ts';

const PROGRAM = 'ffmpeg';

export const hasFfmpeg = (): boolean => spawnSync(PROGRAM, ['-version'], { stdio: 'ignore' }).status === 0;

export type FfmpegRun = {
  /** User and system time of the process from its birth, as the shell around it counts (in steps of 10 ms). */
  readonly cpuMs: number;
  /** From spawn to the first byte that came out. */
  readonly firstOutputMs: number;
};

const DEADLINE_MS = 60_000;
/** The shell waits for what it is given and then tells the time that its children took, on the last line. */
const TIMED = ['-c', '"$@"; times >&2', 'sh'];
const CHILDREN_TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/;
/** The first two: without them nothing comes out of a live stream for one or two seconds. */
const INPUT = ['-probesize', '32', '-analyzeduration', '0', '-f', 'mp3', '-i', 'pipe:0'];
const OUTPUT = ['-flush_packets', '1', '-ar', '8000', '-ac', '1', '-f', 'mulaw', 'pipe:1'];

/** MP3 through a new process to µ-law at 8 kHz. */
export function runFfmpeg(mp3: Uint8Array): Promise<FfmpegRun> {
  return new Promise((resolve, reject) => {
    const startedAtMs = monotonicMs();
    const command = [PROGRAM, '-nostdin', '-loglevel', 'error', '-threads', '1', ...INPUT, ...OUTPUT];
    const child = spawn('sh', [...TIMED, ...command], { timeout: DEADLINE_MS });
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
      const times = CHILDREN_TIMES.exec(messages)?.slice(1).map(Number);
      if (firstOutputMs === undefined || times === undefined)
        return reject(new Error('ffmpeg gave no audio'));
      const [userMinutes, user, systemMinutes, system] = times as [number, number, number, number];
      resolve({ cpuMs: ((userMinutes + systemMinutes) * 60 + user + system) * 1000, firstOutputMs });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(mp3);
  });
}
