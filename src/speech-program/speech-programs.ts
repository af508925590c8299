// The speech programs of an engine behind one queue. The first one is started at once; another when a sentence has to wait, and
// ended after a long time without work. The request whose listener has the least audio ahead goes first. A request hands in its
// next sentence only when the one before is done, so among equals it is round robin.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createSpeechProcess, type SpeechProcess } from './speech-process.ts';

export type SpeechPrograms = {
  /**
   * Speaks one sentence as `SpeechProcess.speak` does. `aheadMs`: how much audio of the request is made and not yet due to be
   * heard, ms; asked whenever a sentence is chosen, 0 unless given.
   */
  speak(...wanted: [...Parameters<SpeechProcess['speak']>, aheadMs?: () => number]): Promise<void>;
  /** Resolves when the first start has come to an end, good or bad; a request may come before that. */
  readonly started: Promise<void>;
  /** Ends the programs; what was pending is rejected. */
  close(): Promise<void>;
};

export type SpeechProgramsOptions = {
  /** Program and arguments; anything that keeps to docs/engine.md. */
  readonly command: readonly string[];
  /** At most so many programs. */
  readonly count: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Longest queue of waiting sentences; one more is `busy`. */
  readonly maxWaiting?: number;
};

type Waiting = {
  readonly aheadMs: () => number;
  readonly askedAtMs: number;
  readonly begin: (program: number) => void;
};

/** Audio ahead beyond this does not make a request wait longer. */
const MAX_AHEAD_MS = 2000;
/** Of a program beside the first, whose memory is wasted while it is idle. */
const MAX_IDLE_MS = 600_000;

/**
 * Removes the first of the requests that are least ahead: one without any audio yet does not wait for others' next sentences.
 * The time that a request has waited counts against its lead, so that a reader that takes audio as fast as it can is served as
 * well.
 */
function takeNext(line: Waiting[], nowMs: number): Waiting | undefined {
  let [next, leastMs] = [0, Number.POSITIVE_INFINITY];
  for (const [index, { aheadMs, askedAtMs }] of line.entries()) {
    const ms = Math.max(0, Math.min(aheadMs(), MAX_AHEAD_MS) - (nowMs - askedAtMs));
    if (ms < leastMs) [next, leastMs] = [index, ms];
  }
  return line.splice(next, 1)[0];
}

export function createSpeechPrograms(options: SpeechProgramsOptions): SpeechPrograms {
  const { command, count, clock, log, maxWaiting = 256 } = options;
  const line: Waiting[] = [];
  const beyondFirst = { startsWith: 'first-sentence', maxIdleMs: MAX_IDLE_MS } as const;
  const programs = Array.from({ length: count }, (_, index) =>
    createSpeechProcess({
      command,
      clock,
      log,
      onFree: () => serve(),
      ...(index === 0 ? {} : beyondFirst),
    }),
  );

  /** A sentence waits for a starting program only where there is no other: the first one will be free sooner. */
  const free = (): number => {
    const ready = programs.findIndex((program) => program.isReady() && program.pending() === 0);
    if (ready !== -1) return ready;
    return programs[0]!.isReady() || programs[0]!.pending() > 0 ? -1 : 0;
  };
  const serve = () => {
    for (let program = free(); program !== -1 && line.length > 0; program = free())
      takeNext(line, clock.now())?.begin(program);
    if (line.length > 0) programs.find((program) => !program.isReady())?.wake();
  };

  return {
    speak(utterance, onBlock, signal, onWords, aheadMs = () => 0) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (line.length >= maxWaiting)
        return Promise.reject(
          new AppError('busy', `The speech engine already has ${maxWaiting} sentences waiting.`, {
            retryAfterMs: 1000,
          }),
        );
      return new Promise((resolve, reject) => {
        const leave = () => {
          line.splice(line.indexOf(waiting), 1);
          reject(signal.reason as Error);
        };
        const waiting: Waiting = {
          aheadMs,
          askedAtMs: clock.now(),
          begin(program) {
            signal.removeEventListener('abort', leave);
            const spoken = programs[program]!.speak(utterance, onBlock, signal, onWords);
            spoken.then(resolve, reject);
            // A program that speaks may continue unheard: it counts as free when it ends, not when its caller is gone.
            spoken.then(serve, serve);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        line.push(waiting);
        serve();
      });
    },
    started: programs[0]!.started,
    async close() {
      await Promise.all(programs.map((program) => program.close()));
      serve(); // rejects those that wait
    },
  };
}
