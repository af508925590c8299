// The embedded writer in a thread of its own: a book takes it seconds, in which no call may stall.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { askThread } from '../../base/processes/ask-thread.ts';
import type { WritingAnswer, WritingOrder } from './script-worker.ts';
import type { ScriptWriter } from './script-writer.ts';

export type WorkerScriptWriterOptions = {
  readonly clock: Clock;
  /** The thread's program. */
  readonly program?: URL;
};

const PROGRAM = new URL('./script-worker.js', import.meta.url);
/** Twenty times what the largest source takes. */
const DEADLINE_MS = 60_000;
/** Two million characters take about 300 MB. */
const MAX_MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64 } as const;

export function createWorkerScriptWriter({
  clock,
  program = PROGRAM,
}: WorkerScriptWriterOptions): ScriptWriter {
  const ask = async (order: WritingOrder, signal: AbortSignal): Promise<WritingAnswer> => {
    const question = {
      program,
      name: 'writing',
      question: order,
      memory: MAX_MEMORY,
      deadlineMs: DEADLINE_MS,
    };
    try {
      return await askThread({ ...question, clock }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError('script_failed', 'The script could not be written; a shorter source may do.', {
        cause,
      });
    }
  };
  return {
    async write(document, wish, signal) {
      const answer = await ask({ document, wish }, signal);
      if (answer.kind === 'refused') throw new AppError(answer.code, answer.message);
      return answer.script;
    },
  };
}
