// Finished files by our own codecs, each in a thread of its own that lives as long as its file is made. The thread
// that plays calls is asked for nothing but to pass a few messages on.

import { Worker } from 'node:worker_threads';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { createStallWatch } from '../../pipeline/whole-body/stall-watch.ts';
import type { AudioFinisher, FinishRequest } from '../audio-finisher.ts';
import { type FinishedSound, toFinished } from './finished-sound.ts';
import type { FinishingAnswer } from './finishing-messages.ts';
import { createOpenFinishing } from './open-finishing.ts';
import { writeWholeFile } from './whole-file.ts';

export type WorkerGainFinisherOptions = {
  readonly clock: Clock;
  /** Without progress for so long a file is given up. */
  readonly stallMs?: number;
  /** The thread's program. */
  readonly program?: URL;
};

const STALL_MS = 60_000;
const PROGRAM = new URL('./finishing-worker.js', import.meta.url);
/** It needs about 10 MB beside what is WASM's; a leak ends the thread instead of the process. */
const HEAP = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 2 } as const;

export function createWorkerGainFinisher(options: WorkerGainFinisherOptions): AudioFinisher {
  const { clock, stallMs = STALL_MS, program = PROGRAM } = options;
  const open = createOpenFinishing();

  /** Settles when the thread is gone, so that it writes no more. */
  const inThread = (request: FinishRequest, onProgress: (done: number) => void, signal: AbortSignal) =>
    new Promise<FinishedSound>((resolve, reject) => {
      const worker = new Worker(program, { name: 'finisher', workerData: request, resourceLimits: HEAP });
      let outcome: FinishedSound | AppError | undefined;
      const settle = (how: FinishedSound | AppError) => {
        outcome ??= how;
        watch.rest();
        void worker.terminate(); // 'exit' follows, whatever comes of it
      };
      const watch = createStallWatch(clock, () =>
        settle(new AppError('internal', 'Making the file has come to a standstill.')),
      );
      const abandon = () => settle(new AppError('internal', 'The file is no longer wanted.'));
      signal.addEventListener('abort', abandon, { once: true });
      worker.on('message', (answer: FinishingAnswer) => {
        if (outcome !== undefined) return;
        watch.within(stallMs);
        if (answer.kind === 'progress') onProgress(answer.done);
        else if (answer.kind === 'refused') settle(new AppError(answer.code, answer.message));
        else settle(answer.sound);
      });
      worker.on('error', (cause) =>
        settle(new AppError('internal', 'The thread that made the file has failed.', { cause })),
      );
      worker.on('exit', () => {
        signal.removeEventListener('abort', abandon);
        watch.rest();
        outcome ??= new AppError('internal', 'The thread that made the file has ended too early.');
        if (outcome instanceof AppError) reject(outcome);
        else resolve(outcome);
      });
      watch.within(stallMs);
      if (signal.aborted) abandon();
    });

  return {
    async finish(request, onProgress, callerSignal) {
      const signal = AbortSignal.any([callerSignal, open.closing]);
      const sound = await open.follow(
        writeWholeFile(request.outPath, async (outPath) => {
          signal.throwIfAborted();
          return inThread({ ...request, outPath }, onProgress, signal);
        }),
      );
      onProgress(1);
      return toFinished(sound, sound.bytes);
    },
    close: () => open.close(),
  };
}
