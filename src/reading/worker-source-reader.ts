// Reading in threads, one for each file: a bound on its memory, a deadline, and an end that nothing in the file can put
// off. A few files at a time, a few more waiting, by turns of their users; others are refused as `busy`.

import { Worker } from 'node:worker_threads';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { threadTimeMs } from '../base/processes/thread-time.ts';
import type { SourceDocument } from '../script/source-document.ts';
import { damagedFile, invalidSource } from './invalid-source.ts';
import { READING_LIMITS, type ReadingLimits } from './reading-limits.ts';
import type { ReadingAnswer, ReadingOrder, ReadingStep } from './reading-messages.ts';
import { ReadingSlots } from './reading-slots.ts';
import type { SourceFile, SourceReader } from './source-reader.ts';

export type WorkerSourceReaderOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: ReadingLimits;
  /** For one file, from when its thread starts. */
  readonly deadlineMs?: number;
  readonly mostAtOnce?: number;
  readonly mostWaiting?: number;
  readonly maxWaitingPerUser?: number;
  /** The thread's program. */
  readonly program?: URL;
};

const PROGRAM = new URL('./reading-worker.js', import.meta.url);
/** A novel takes about 100 MB, most of it the libraries and the data of language detection. */
const MAX_MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

const tooLong = (deadlineMs: number) =>
  invalidSource(
    `The file could not be read within ${Math.round(deadlineMs / 1000)} seconds; try again where the machine was busy with other things, else split it or save it as plain text.`,
  );
const endlessPage = () =>
  invalidSource('A page of the file takes too long to read; print it to a new PDF and try again.');
const endlessBeginning = () =>
  invalidSource(
    'It takes too long to tell what the file holds; save it again from the program that made it.',
  );
const tooHeavy = () =>
  invalidSource(
    'Reading the file takes more memory than one document may have; split it, or save it as plain text.',
  );

export function createWorkerSourceReader(options: WorkerSourceReaderOptions): SourceReader {
  const { clock, log, limits = READING_LIMITS, deadlineMs = 20_000, program = PROGRAM } = options;
  const { mostAtOnce = 2, mostWaiting = 16, maxWaitingPerUser = 4 } = options;
  const running = new Set<() => void>();
  const closing = new AbortController();
  const slots = new ReadingSlots({ maxAtOnce: mostAtOnce, maxWaiting: mostWaiting, maxWaitingPerUser });

  const run = (source: SourceFile, signal: AbortSignal): Promise<SourceDocument> =>
    new Promise((resolve, reject) => {
      const order: ReadingOrder = { source, limits };
      // Libraries write warnings, which may quote the text: they are read from the thread and forgotten. It gets none
      // of the environment, where credentials are.
      const worker = new Worker(program, {
        name: 'reading',
        workerData: order,
        resourceLimits: MAX_MEMORY,
        env: {},
        stdout: true,
        stderr: true,
      });
      worker.stdout.resume();
      worker.stderr.resume();
      let isSettled = false;
      const settle = (tell: () => void) => {
        if (isSettled) return;
        isSettled = true;
        disarm();
        disarmStep();
        signal.removeEventListener('abort', stop);
        // The slot is given to the next file only when the thread has ended and its memory is free.
        void worker.terminate().then(() => {
          running.delete(stop);
          tell();
        });
      };
      const stop = () => settle(() => reject(signal.reason as Error));
      let disarmStep = () => {};
      /** Time that the thread works, where that can be told: a busy machine makes no page endless. */
      const allow = (withinMs: number, { part, thread }: ReadingStep) => {
        const beganMs = threadTimeMs(thread);
        const look = () => {
          const spentMs = (threadTimeMs(thread) ?? Number.NaN) - (beganMs ?? Number.NaN);
          if (spentMs < withinMs) disarmStep = clock.after(withinMs - spentMs, look);
          else settle(() => reject(part === 'gate' ? endlessBeginning() : endlessPage()));
        };
        disarmStep = clock.after(withinMs, look);
      };
      const disarm = clock.after(deadlineMs, () => {
        log.warn('reading_over_deadline', { deadlineMs });
        settle(() => reject(tooLong(deadlineMs)));
      });
      running.add(stop);
      signal.addEventListener('abort', stop, { once: true });
      worker.on('message', (answer: ReadingAnswer) => {
        disarmStep();
        if (answer.kind === 'step') {
          if (answer.withinMs !== undefined && !isSettled) allow(answer.withinMs, answer);
          return;
        }
        settle(() => {
          if (answer.kind === 'read') return resolve(answer.document);
          if (answer.kind === 'refused') return reject(invalidSource(answer.message));
          log.warn('reading_broke', { cause: answer.cause });
          reject(damagedFile());
        });
      });
      worker.on('error', (cause) => {
        const code = (cause as NodeJS.ErrnoException).code ?? cause.name;
        log.warn('reading_thread_died', { cause: code });
        settle(() => reject(code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooHeavy() : damagedFile()));
      });
      worker.on('exit', () => settle(() => reject(damagedFile())));
    });

  return {
    async read(source, userId, callerSignal) {
      const signal = AbortSignal.any([callerSignal, closing.signal]);
      signal.throwIfAborted();
      await slots.enter(userId, signal);
      try {
        signal.throwIfAborted();
        return await run(source, signal);
      } finally {
        slots.leave(userId);
      }
    },
    async close() {
      closing.abort(new AppError('shutting_down', 'Voxgate is stopping.'));
      while (running.size > 0) await new Promise<void>((resolve) => clock.soon(resolve));
    },
  };
}
