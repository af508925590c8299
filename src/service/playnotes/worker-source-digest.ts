// What a language model is given of a source, made in a thread of its own: a fifth of a second for 30 pages, seconds for
// a book, in which no call may stall.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { askThread } from '../../base/processes/ask-thread.ts';
import type { SourceSentence } from '../../script/source-sentence.ts';
import type { DigestSource, DigestWish } from './digest-source.ts';

export type WorkerSourceDigestOptions = {
  readonly clock: Clock;
  /** The thread's program. */
  readonly program?: URL;
};

const PROGRAM = new URL('./source-digest-worker.js', import.meta.url);
/** Ten times what the largest source takes. */
const DEADLINE_MS = 60_000;
/** Two million characters take about 300 MB. */
const MAX_MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64 } as const;

export function createWorkerSourceDigest({
  clock,
  program = PROGRAM,
}: WorkerSourceDigestOptions): DigestSource {
  return async (wish: DigestWish, signal) => {
    const question = {
      program,
      name: 'digest',
      question: wish,
      memory: MAX_MEMORY,
      deadlineMs: DEADLINE_MS,
    };
    try {
      return await askThread<readonly SourceSentence[]>({ ...question, clock }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError('script_failed', 'The source could not be prepared; a shorter one may do.', {
        cause,
      });
    }
  };
}
