// Finished files by ffmpeg, where the machine has one: its own encoders and resampler, in a process of its own. What it
// cannot do, or fails at, is done by `otherwise`; callers see no difference.

import { rm, writeFile } from 'node:fs/promises';
import { cleanTags } from '../../audio/containers/tag-text.ts';
import { levelling, MAX_TRIALS, nextLevelling } from '../../audio/dsp/loudness-rule.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createStallWatch } from '../../pipeline/whole-body/stall-watch.ts';
import type { AudioFinisher, FinishRequest } from '../audio-finisher.ts';
import { examinePart, type PartFacts } from './examine-part.ts';
import {
  bitrateOf,
  encoderCompensation,
  type FfmpegBuild,
  ffmpegInputOptions,
  ffmpegOutputOptions,
  ffmpegTags,
  hasEncoderFor,
} from './ffmpeg-build.ts';
import { type FfmpegRun, runFfmpeg } from './ffmpeg-command.ts';
import {
  FFMPEG_OUT,
  HEARING_GRAPH,
  levellingGraph,
  measuringGraph,
  readEbur128Summary,
  readLoudnessReport,
  readTruePeak,
  soundOf,
  tryingGraph,
} from './ffmpeg-graph.ts';
import { type FinishedSound, toFinished } from './finished-sound.ts';
import { finishingRate, noSound } from './finishing-rate.ts';
import { createOpenFinishing } from './open-finishing.ts';
import { firstCeilingDbtp, MAX_WRITES, nextCeilingDbtp } from './peak-ceiling.ts';
import { writeWholeFile } from './whole-file.ts';

export type ProcessFfmpegFinisherOptions = {
  readonly build: FfmpegBuild;
  readonly otherwise: AudioFinisher;
  readonly clock: Clock;
  readonly log: Log;
  /** Without a sign of life for so long ffmpeg is killed. */
  readonly stallMs?: number;
  readonly env?: FfmpegRun['env'];
};

const STALL_MS = 60_000;
/** ffmpeg opens all of its inputs at once, with a thread or two each. An hour of speech is some 30 parts. */
const MAX_PARTS = 128;
/** Of the time that is left when a measuring pass begins. */
const MEASURING_SHARE = 0.5;
/** Of the time that is left when a file is written: it is heard afterwards. */
const WRITING_SHARE = 0.8;
/** Told what the parts are, ffmpeg guesses no format that reads further files; and it skips nothing of them. */
const PART_OPTIONS = ['-f', 'mp3', '-flags2', '+skip_manual'] as const;

const NO_OUTPUT = { output: '-', outputOptions: ['-f', 'null'], tagsPath: undefined } as const;

export function createProcessFfmpegFinisher(options: ProcessFfmpegFinisherOptions): AudioFinisher {
  const { build, otherwise, clock, log, stallMs = STALL_MS } = options;
  const open = createOpenFinishing();

  /** Undefined when ffmpeg would cut one of them at another place than we do. */
  const examine = async (parts: FinishRequest['parts']): Promise<readonly PartFacts[] | undefined> => {
    const all: PartFacts[] = [];
    for (const [index, { path }] of parts.entries()) {
      const facts = await examinePart(path);
      if (facts === 'empty') throw noSound(index + 1, parts.length);
      if (facts === 'irregular') return undefined;
      all.push(facts);
    }
    return all;
  };

  const run = async (
    request: FinishRequest,
    facts: readonly PartFacts[],
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ) => {
    const sound = soundOf(request.parts, facts, await finishingRate(request));
    const inputs = request.parts.map(({ path }) => path);
    const stalled = new AbortController();
    const watch = createStallWatch(clock, () => stalled.abort(new Error('ffmpeg shows no sign of life')));
    let done = 0;
    /** It takes `share` of what is left to do. */
    const pass = (
      share: number,
      graph: string,
      { output, outputOptions, tagsPath }: Pick<FfmpegRun, 'output' | 'outputOptions' | 'tagsPath'>,
      read: Pick<FfmpegRun, 'inputs' | 'inputOptions'> = { inputs, inputOptions: PART_OPTIONS },
    ) => {
      const from = done;
      const order = { path: build.path, env: options.env, ...read };
      return runFfmpeg(
        { ...order, graph, pad: FFMPEG_OUT, output, outputOptions, tagsPath },
        (seconds) => {
          watch.within(stallMs);
          if (seconds === undefined) return;
          done = from + (1 - from) * share * Math.min(1, (seconds * sound.sampleRate) / sound.samples);
          onProgress(done);
        },
        AbortSignal.any([signal, stalled.signal]),
      );
    };
    const measure = async <T>(graph: string, read: (stderr: string) => T | undefined): Promise<T> => {
      const measured = read(await pass(MEASURING_SHARE, graph, NO_OUTPUT));
      if (measured === undefined)
        throw new AppError('internal', 'ffmpeg has not told how loud the parts are.');
      return measured;
    };
    try {
      watch.within(stallMs);
      const written = { ...request, ...cleanTags(request), ...lengthOf(sound) };
      let ceilingDbtp = firstCeilingDbtp(written.format, sound.sampleRate, bitrateOf(written));
      let level = levelling(await measure(measuringGraph(facts, sound), readLoudnessReport), ceilingDbtp);
      for (let trial = 0; level.peaks === 'limit' && trial < MAX_TRIALS; trial++) {
        const next = nextLevelling(
          level,
          await measure(tryingGraph(facts, sound, level, ceilingDbtp), readEbur128Summary),
        );
        if (next === undefined) break;
        level = next;
      }
      const outputOptions = ffmpegOutputOptions(written);
      const write = async (path: string) => {
        const graph = levellingGraph(facts, sound, level, encoderCompensation(written), ceilingDbtp);
        const tags = ffmpegTags(written);
        const tagsPath = tags === undefined ? undefined : `${path}.tags`;
        try {
          if (tagsPath !== undefined) await writeFile(tagsPath, tags!, { mode: 0o600 });
          await pass(WRITING_SHARE, graph, { output: path, outputOptions, tagsPath });
        } finally {
          if (tagsPath !== undefined) await rm(tagsPath, { force: true });
        }
      };
      const hear = async (path: string) => {
        const read = { inputs: [path], inputOptions: ffmpegInputOptions(written) };
        return readTruePeak(await pass(MEASURING_SHARE, HEARING_GRAPH, NO_OUTPUT, read));
      };
      return await writeWholeFile(request.outPath, async (path) => {
        for (let writes = 1; ; writes++) {
          await write(path);
          if (level.peaks === 'keep' || writes === MAX_WRITES) return sound;
          const lower = nextCeilingDbtp(ceilingDbtp, (await hear(path)) ?? Number.NEGATIVE_INFINITY);
          if (lower === undefined) return sound;
          ceilingDbtp = lower;
          await rm(path, { force: true });
        }
      });
    } finally {
      watch.rest();
    }
  };

  const finish: AudioFinisher['finish'] = async (request, onProgress, callerSignal) => {
    const signal = AbortSignal.any([callerSignal, open.closing]);
    let told = 0;
    // The other finisher begins again; the progress that a caller sees does not.
    const onward = (done: number) => {
      if (done <= told) return;
      told = done;
      onProgress(done);
    };
    if (!hasEncoderFor(build, request.format) || request.parts.length > MAX_PARTS)
      return otherwise.finish(request, onward, signal);
    const facts = await examine(request.parts);
    if (facts === undefined) return otherwise.finish(request, onward, signal);
    try {
      const sound = await run(request, facts, onward, signal);
      onward(1);
      return toFinished(sound, sound.bytes);
    } catch (fault) {
      if (signal.aborted || (fault instanceof AppError && fault.code !== 'internal')) throw fault;
      log.warn('ffmpeg_failed', { format: request.format, cause: String((fault as Error).cause ?? fault) });
      return otherwise.finish(request, onward, signal);
    }
  };

  return {
    async finish(request, onProgress, signal) {
      if (open.closing.aborted) throw new AppError('shutting_down', 'Voxgate is stopping.');
      return open.follow(finish(request, onProgress, signal));
    },
    async close() {
      await open.close();
      await otherwise.close();
    },
  };
}

const lengthOf = ({ sampleRate, samples }: FinishedSound) => ({
  sampleRate,
  durationMs: (samples * 1000) / sampleRate,
});
