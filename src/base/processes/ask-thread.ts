// One question to a thread that is started for it alone: it has bounds on its memory and on its time, and gets nothing of
// the environment, where credentials are.

import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';

export type ThreadQuestion = {
  readonly program: URL;
  /** Shown in process listings. */
  readonly name: string;
  /** Copied into the thread. */
  readonly question: unknown;
  readonly memory: ResourceLimits;
  readonly deadlineMs: number;
  readonly clock: Clock;
};

/**
 * The thread's first message. Settles when the thread is gone, and its memory with it. Rejects with the signal's reason,
 * or with an `Error` that tells why there was no answer.
 */
export function askThread<Answer>(
  { program, name, question, memory, deadlineMs, clock }: ThreadQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const worker = new Worker(program, { name, workerData: question, resourceLimits: memory, env: {} });
    let isSettled = false;
    const settle = (tell: () => void) => {
      if (isSettled) return;
      isSettled = true;
      disarm();
      signal.removeEventListener('abort', stop);
      void worker.terminate().then(tell);
    };
    const fail = (cause: Error) => settle(() => reject(cause));
    const stop = () => fail(signal.reason as Error);
    const disarm = clock.after(deadlineMs, () => fail(new Error('the thread has not answered in time')));
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (answer: Answer) => settle(() => resolve(answer)));
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('the thread has ended')));
  });
}
