// The only file that knows the package `fluent-ffmpeg`: one run of ffmpeg, from its start to its end. The package is
// no longer developed, so what it does wrong is made good here.

import createCommand, { type FfmpegCommand, type LinesRing } from 'fluent-ffmpeg';
import { AppError } from '../../base/app-error.ts';
import { BACKGROUND_NICENESS } from '../../base/processes/yield-to-playback.ts';

export type FfmpegRun = {
  /** The program, by name or path. */
  readonly path: string;
  /** What its process gets of an environment; undefined: ours. */
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly inputs: readonly string[];
  /** Of every input; at least two arguments. */
  readonly inputOptions: readonly string[];
  readonly graph: string;
  /** The pad of the graph that is written. */
  readonly pad: string;
  readonly output: string;
  /** At least two arguments. */
  readonly outputOptions: readonly string[];
  /** A file of tags in ffmpeg's own form; undefined: the output gets none. Arguments are read by every user of a machine. */
  readonly tagsPath: string | undefined;
};

/** Lines of its report that are kept; the last ones tell what went wrong. */
const REPORT_LINES = 100;
const NO_LINES: LinesRing = { get: () => '' };

/**
 * Resolves with the end of what it wrote about itself; rejects when it fails. `onSeconds` gets how much of the output
 * is done and is called at every sign of life. It is killed on abort, and settles when it is gone.
 */
export function runFfmpeg(
  run: FfmpegRun,
  onSeconds: (seconds: number | undefined) => void,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const command = createCommand({ niceness: BACKGROUND_NICENESS, stdoutLines: REPORT_LINES });
    command.setFfmpegPath(run.path);
    guardSpawn(command, run.env);
    let isRunning = false;
    const fail = (cause: unknown) => {
      signal.removeEventListener('abort', stop);
      reject(new AppError('internal', 'ffmpeg has not made the file.', { cause }));
    };
    const stop = () => {
      // While the package still asks what ffmpeg can do, there is nothing to kill; `start` sees to it.
      if (isRunning) command.kill('SIGKILL');
      else fail(signal.reason);
    };
    command
      .on('start', () => {
        isRunning = true;
        if (signal.aborted) command.kill('SIGKILL');
      })
      .on('stderr', (line) => onSeconds(secondsIn(line)))
      .on('error', fail)
      .on('end', (_stdout, stderr) => {
        signal.removeEventListener('abort', stop);
        resolve(stderr ?? '');
      });

    // Options are given one by one: of a list, the package splits what has exactly one space in it, so that a title
    // of two words would become a title and the name of a further output.
    for (const path of run.inputs) command.input(path).inputOptions(...run.inputOptions);
    if (run.tagsPath !== undefined) command.input(run.tagsPath).inputOptions('-f', 'ffmetadata');
    const tagsFrom = run.tagsPath === undefined ? '-1' : String(run.inputs.length);
    command
      .complexFilter(run.graph, run.pad)
      .output(run.output)
      .outputOptions('-nostdin', '-map_metadata', tagsFrom, ...run.outputOptions);
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    command.run();
  });
}

/** From `time=00:01:02.34` in the line that ffmpeg writes twice a second. */
function secondsIn(line: string): number | undefined {
  const [, hours, minutes, seconds] = /\btime=(\d+):(\d\d):(\d\d\.\d+)/.exec(line) ?? [];
  return seconds === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/**
 * When the system refuses a process (too many, no memory), the package reads the lines of a program that never was,
 * and that would end ours. It also passes on the whole environment, in which keys may be.
 */
function guardSpawn(command: FfmpegCommand, env: FfmpegRun['env']): void {
  const spawn = command._spawnFfmpeg.bind(command);
  command._spawnFfmpeg = (args, options, onProcess, onEnd) => {
    const guarded = env === undefined ? options : { ...options, env };
    // Called with three arguments it asks for capabilities, and takes a failure as it is.
    if (onEnd === undefined) return spawn(args, guarded, onProcess);
    const end: typeof onEnd = (error, stdout = NO_LINES, stderr = NO_LINES) => onEnd(error, stdout, stderr);
    try {
      spawn(args, guarded, onProcess, end);
    } catch (cause) {
      end(cause instanceof Error ? cause : new Error(String(cause)));
    }
  };
}
