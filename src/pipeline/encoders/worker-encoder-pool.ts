// CPU-heavy encoders in worker threads: a bounded number of threads, and as many jobs as a thread can do in time by the cost of
// their formats. A job is the encoder of one turn and stays in its thread. A thread that dies takes only its own jobs with it
// and is replaced.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MAX_OPUS_ENCODERS } from '../../audio/containers/opus-encoder.ts';
import {
  ENCODER_WEIGHTS,
  type HeavyEncoder,
  type HeavyEncoderEvents,
  type HeavyEncoders,
  type HeavyFormat,
  type HeavyOutput,
} from '../../audio/heavy-encoders.ts';
import { AppError } from '../../base/app-error.ts';
import type { Log } from '../../base/log.ts';
import { isSampleRateOf } from '../../speech/audio-format.ts';
import { type EncoderAnswer, type EncoderOrder, unpackFrames } from './encoder-messages.ts';

export type WorkerEncoderPool = HeavyEncoders & {
  /** Jobs that are open. */
  openJobs(): number;
  /** Fails what is open and ends the threads. */
  close(): Promise<void>;
};

export type WorkerEncoderPoolOptions = {
  readonly log: Log;
  /** Default: one or two, leaving a core to playback. */
  readonly threads?: number;
  /**
   * Of one thread, by `ENCODER_WEIGHTS`; default and maximum: the 64 Opus encoders that fit into its memory, which is also
   * about what a core encodes in real time.
   */
  readonly mostWeight?: number;
  /** The thread's program. */
  readonly program?: URL;
};

type Job = {
  readonly weight: number;
  readonly events: HeavyEncoderEvents;
  pendingSamples: number;
  /** Samples that wait to go to the thread together. */
  held: Float32Array[];
  heldSamples: number;
  /** Orders to push that have not been answered. */
  unanswered: number;
  failure: AppError | undefined;
  /** Settle the releases and the flush that have not been answered. */
  readonly waiting: (() => void)[];
};

type Thread = {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  /** It has answered once: its program runs. */
  isProven: boolean;
};

/** While a thread works on a turn's samples, up to this much more is gathered. */
const GATHER_MS = 100;
const MAX_WEIGHT = MAX_OPUS_ENCODERS * ENCODER_WEIGHTS.ogg;
const PROGRAM = new URL('./encoder-worker.js', import.meta.url);
const usualThreads = () => Math.max(1, Math.min(2, availableParallelism() - 1));

const broken = (cause: unknown) =>
  new AppError('internal', 'The encoder of this turn has broken down.', { cause });

export function createWorkerEncoderPool(options: WorkerEncoderPoolOptions): WorkerEncoderPool {
  const { log, threads: mostThreads = usualThreads(), program = PROGRAM } = options;
  const mostWeight = Math.min(options.mostWeight ?? MAX_WEIGHT, MAX_WEIGHT);
  let threads: Thread[] = [];
  let lastJob = 0;
  let isClosed = false;

  const openJobs = () => threads.reduce((sum, thread) => sum + thread.jobs.size, 0);

  const start = (): Thread => {
    const worker = new Worker(program, { name: 'encoder' });
    const thread: Thread = { worker, jobs: new Map(), isProven: false };
    worker.on('message', (answer: EncoderAnswer) => take(thread, answer));
    worker.on('error', (cause) => bury(thread, cause));
    worker.on('exit', (code) => bury(thread, new Error(`the thread has ended with code ${code}`)));
    worker.unref(); // last: a listener for messages refs it again
    threads.push(thread);
    return thread;
  };

  /** A thread that died before its first answer is started again only for the next turn. */
  const bury = (thread: Thread, cause: unknown): void => {
    if (!threads.includes(thread)) return;
    threads = threads.filter((other) => other !== thread);
    log.error('encoder_thread_died', { jobs: thread.jobs.size, cause: String(cause) });
    failAll(thread, broken(cause));
    if (!thread.isProven) return;
    try {
      start();
    } catch (fault) {
      log.error('encoder_thread_not_started', { cause: String(fault) });
    }
  };

  const failAll = ({ jobs }: Thread, failure: AppError): void => {
    const failed = [...jobs.values()];
    jobs.clear();
    for (const job of failed) {
      job.failure = failure;
      job.pendingSamples = 0;
      for (const settle of job.waiting.splice(0)) settle();
      guard(() => job.events.onProgress());
    }
  };

  /** A fault of one turn must not end the thread of others; undefined when `tell` threw. */
  const guard = (tell: () => void): 'told' | undefined => {
    try {
      tell();
      return 'told';
    } catch (fault) {
      log.error('encoder_client_failed', { cause: String(fault) });
      return undefined;
    }
  };

  const take = (thread: Thread, { kind, job: id, takenSamples, frames }: EncoderAnswer): void => {
    thread.isProven = true;
    const job = thread.jobs.get(id);
    if (job === undefined) return;
    for (const frame of unpackFrames(frames)) {
      // A frame's receiver may close the job.
      if (thread.jobs.has(id) && guard(() => job.events.onFrame(frame)) === undefined)
        giveUp(thread, id, job);
    }
    if (!thread.jobs.has(id)) return;
    job.pendingSamples -= takenSamples;
    if (kind === 'flush') leave(thread, id);
    if (kind === 'push') {
      job.unanswered -= 1;
      if (job.unanswered === 0) sendHeld(thread, id, job);
      guard(() => job.events.onProgress());
    } else job.waiting.shift()?.();
  };

  /** One message for many frames: a message costs this thread as much as encoding a frame. */
  const sendHeld = ({ worker }: Thread, id: number, job: Job): void => {
    if (job.heldSamples === 0) return;
    const samples = new Float32Array(job.heldSamples);
    let at = 0;
    for (const piece of job.held) {
      samples.set(piece, at);
      at += piece.length;
    }
    job.held = [];
    job.heldSamples = 0;
    job.unanswered += 1;
    worker.postMessage({ kind: 'push', job: id, samples } satisfies EncoderOrder, [samples.buffer]);
  };

  const giveUp = (thread: Thread, id: number, job: Job): void => {
    job.failure = broken('its frames were not taken');
    job.pendingSamples = 0;
    thread.worker.postMessage({ kind: 'close', job: id } satisfies EncoderOrder);
    leave(thread, id);
    for (const settle of job.waiting.splice(0)) settle();
  };

  const leave = ({ jobs, worker }: Thread, id: number): void => {
    jobs.delete(id);
    if (jobs.size === 0) worker.unref();
  };

  const weightOf = ({ jobs }: Thread) => [...jobs.values()].reduce((sum, { weight }) => sum + weight, 0);
  /** The thread with the least to do; undefined: start a new one before any gets a second job. */
  const leastBusy = (): Thread | undefined => {
    const [least] = threads.toSorted((a, b) => weightOf(a) - weightOf(b));
    return least !== undefined && least.jobs.size > 0 && threads.length < mostThreads ? undefined : least;
  };
  const isFull = (format: HeavyFormat): boolean => {
    const thread = leastBusy();
    return isClosed || (thread !== undefined && weightOf(thread) + ENCODER_WEIGHTS[format] > mostWeight);
  };

  const open = (output: HeavyOutput, events: HeavyEncoderEvents): HeavyEncoder | 'busy' => {
    if (!isSampleRateOf(output.format, output.sampleRate))
      throw new RangeError(`${output.format} has no sample rate ${output.sampleRate}`);
    if (isFull(output.format)) return 'busy';
    const thread = leastBusy() ?? start();
    const id = ++lastJob;
    const job: Job = {
      weight: ENCODER_WEIGHTS[output.format],
      events,
      pendingSamples: 0,
      held: [],
      heldSamples: 0,
      unanswered: 0,
      failure: undefined,
      waiting: [],
    };
    const order = (message: EncoderOrder, moved: ArrayBuffer[] = []) =>
      thread.worker.postMessage(message, moved);
    thread.jobs.set(id, job);
    // A turn that is being spoken keeps the program alive, an idle thread does not.
    thread.worker.ref();
    order({ kind: 'open', job: id, output });

    const untilDone = (kind: 'release' | 'flush') =>
      new Promise<void>((resolve, reject) => {
        const settle = () => (job.failure === undefined ? resolve() : reject(job.failure));
        if (!thread.jobs.has(id)) return settle();
        job.waiting.push(settle);
        sendHeld(thread, id, job);
        order({ kind, job: id });
      });

    return {
      push(samples) {
        if (job.failure !== undefined) throw job.failure;
        if (samples.length === 0 || !thread.jobs.has(id)) return;
        job.pendingSamples += samples.length;
        job.heldSamples += samples.length;
        job.held.push(samples.slice());
        if (job.unanswered === 0 || job.heldSamples >= (output.sampleRate * GATHER_MS) / 1000)
          sendHeld(thread, id, job);
      },
      release: () => untilDone('release'),
      flush: () => untilDone('flush'),
      close() {
        if (!thread.jobs.has(id)) return;
        job.pendingSamples = 0;
        order({ kind: 'close', job: id });
        leave(thread, id);
        for (const settle of job.waiting.splice(0)) settle();
      },
      pendingSamples: () => job.pendingSamples,
    };
  };

  for (let i = 0; i < mostThreads; i++) start();
  return {
    open,
    isFull,
    openJobs,
    async close() {
      isClosed = true;
      const ending = threads;
      threads = [];
      for (const thread of ending) failAll(thread, new AppError('shutting_down', 'Voxgate is stopping.'));
      await Promise.all(ending.map(({ worker }) => worker.terminate()));
    },
  };
}
