// Asks the machine once, at start, whether it has an ffmpeg and what that can do.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type FfmpegBuild, NEEDED_FILTERS } from './ffmpeg-build.ts';

const run = promisify(execFile);
const DEADLINE_MS = 5000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Undefined when there is none, when it lacks a filter that is needed, or when it does not answer in time. */
export async function probeFfmpeg({
  path = 'ffmpeg',
  env,
  deadlineMs = DEADLINE_MS,
}: {
  readonly path?: string;
  /** What it gets of an environment; unset: ours. */
  readonly env?: NodeJS.ProcessEnv;
  readonly deadlineMs?: number;
} = {}): Promise<FfmpegBuild | undefined> {
  const list = async (what: '-encoders' | '-filters') => {
    const limits = { timeout: deadlineMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const { stdout } = await run(path, ['-hide_banner', what], { ...limits, ...(env && { env }) });
    return namesIn(stdout);
  };
  try {
    const [encoders, filters] = await Promise.all([list('-encoders'), list('-filters')]);
    return NEEDED_FILTERS.every((name) => filters.has(name)) ? { path, encoders } : undefined;
  } catch {
    return undefined;
  }
}

/** Each line of these tables is some flags and a name; what else matches is no name that anyone asks for. */
const namesIn = (table: string): ReadonlySet<string> =>
  new Set([...table.matchAll(/^ ?[A-Z.|]{2,7} ([\w-]+)/gm)].map(([, name]) => name!));
