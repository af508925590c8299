// One speech program, kept running: sentences wait in a queue for it, each has a deadline; a program that dies is started
// again and the sentence that it left open is spoken once more. First come, first served.

import type { PcmBlock } from '../audio/stage.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import { type SpeechChild, startSpeechChild, type Utterance, type WordEvent } from './speech-child.ts';

type OnWords = (words: readonly WordEvent[]) => void;

export type SpeechProcess = {
  /**
   * Speaks one sentence; `onBlock` gets its samples in order, before the promise resolves. Rejects with
   * `engine_unavailable`, `busy` (queue full) or `internal` (not speakable), or with the signal's own reason.
   * With `onWords` the program is asked for its words; it gets them once, behind the last sample.
   */
  speak(
    utterance: Utterance,
    onBlock: (block: PcmBlock) => void,
    signal: AbortSignal,
    onWords?: OnWords,
  ): Promise<void>;
  /** Resolves when the first start has come to an end, good or bad; a request may come before that. */
  readonly started: Promise<void>;
  /** A request is about to come: starts a program that is not running. */
  wake(): void;
  /** The program has started and is there. */
  isReady(): boolean;
  /** Sentences waiting or being spoken. */
  pending(): number;
  /** Ends the program; what was pending is rejected. */
  close(): Promise<void>;
};

export type SpeechProcessOptions = {
  /** Program and arguments; anything that keeps to docs/engine.md. */
  readonly command: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Longest queue of waiting sentences; one more is `busy`. */
  readonly mostWaiting?: number;
  /** From handing a sentence over to its last sample; the longest sentences take well under a second. */
  readonly sentenceDeadlineMs?: number;
  /** When the program is started: before the first request, or with the first sentence. Default `at-once`. */
  readonly startsWith?: 'at-once' | 'first-sentence';
  /** Ends a program that has had nothing to say for so long; the next sentence starts it again. Default: it stays. */
  readonly maxIdleMs?: number;
  /** It is ready and has nothing to say. */
  readonly onFree?: () => void;
};

type Job = {
  readonly utterance: Utterance;
  readonly onBlock: (block: PcmBlock) => void;
  readonly onWords: OnWords | undefined;
  readonly settle: (error?: unknown) => void;
  /** Samples that the caller already has: the same sentence gives the same samples, so a second try skips them. */
  delivered: number;
  tries: number;
  dropped: boolean;
};

type State =
  /** Not started: no request has come yet, or not for a long time. */
  | { readonly kind: 'asleep' }
  | { readonly kind: 'starting'; readonly child: SpeechChild }
  | { readonly kind: 'ready'; readonly child: SpeechChild; readonly sampleRate: number }
  | { readonly kind: 'resting'; readonly untilMs: number }
  /** It was idle for too long and is being ended. */
  | { readonly kind: 'leaving'; readonly child: SpeechChild }
  | { readonly kind: 'missing' }
  | { readonly kind: 'closed' };

const START_DEADLINE_MS = 20_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 10_000;
/** Deaths without one spoken sentence in between after which waiting callers are told instead of kept. */
const HOPELESS_DEATHS = 4;
const MAX_TRIES = 2;

const missing = () =>
  new AppError(
    'engine_unavailable',
    'The embedded speech engine is not installed: run "npm install --include=optional" so that ' +
      '@echogarden/espeak-ng-emscripten is there, or set an upstream speech service.',
  );
const closed = () => new AppError('shutting_down', 'The speech engine is shutting down.');

export function createSpeechProcess(options: SpeechProcessOptions): SpeechProcess {
  const { command, clock, log, mostWaiting = 256, sentenceDeadlineMs = 30_000 } = options;
  const { startsWith = 'at-once', maxIdleMs } = options;
  const line: Job[] = [];
  let running: { readonly job: Job; readonly id: number; skip: number } | undefined;
  let state: State;
  let lastId = 0;
  let deaths = 0;
  let cancelTimer = () => {};
  let onceClosed = () => {};
  let onceStarted = () => {};
  const started = new Promise<void>((resolve) => {
    onceStarted = resolve;
  });

  const dying = () =>
    new AppError('engine_unavailable', 'The speech program keeps stopping; its own message is in the log.', {
      retryAfterMs: state.kind === 'resting' ? Math.max(0, state.untilMs - clock.now()) : MAX_BACKOFF_MS,
    });

  const failAll = (error: () => AppError) => {
    for (const job of line.splice(0)) job.settle(error());
  };

  const watch = (child: SpeechChild, delayMs: number, event: LogEvent) => {
    cancelTimer();
    cancelTimer = clock.after(delayMs, () => {
      log.warn(event, { delayMs });
      child.kill();
    });
  };

  const sayNext = () => {
    if (state.kind === 'asleep' && line.length > 0) start();
    if (state.kind !== 'ready' || running !== undefined) return;
    const job = line.shift();
    if (job === undefined) {
      sleepLater(state.child);
      options.onFree?.();
      return;
    }
    running = { job, id: ++lastId, skip: job.delivered };
    watch(state.child, sentenceDeadlineMs, 'engine_sentence_overdue');
    state.child.say(lastId, job.utterance, job.onWords === undefined ? 'sound' : 'sound-and-words');
  };

  const sleepLater = (child: SpeechChild) => {
    cancelTimer();
    if (maxIdleMs === undefined) return;
    cancelTimer = clock.after(maxIdleMs, () => {
      state = { kind: 'leaving', child };
      child.kill();
    });
  };

  const finish = (id: number, words: readonly WordEvent[], error?: AppError) => {
    if (running?.id !== id) return;
    const { job } = running;
    running = undefined;
    deaths = 0;
    cancelTimer();
    try {
      if (error === undefined && !job.dropped) job.onWords?.(words);
      job.settle(error);
    } catch (thrown) {
      job.settle(thrown);
    }
    sayNext();
  };

  const deliver = (id: number, samples: Float32Array) => {
    if (running?.id !== id || running.job.dropped || state.kind !== 'ready') return;
    const skipped = Math.min(running.skip, samples.length);
    running.skip -= skipped;
    if (skipped === samples.length) return;
    const { job } = running;
    job.delivered += samples.length - skipped;
    try {
      job.onBlock({ samples: samples.subarray(skipped), sampleRate: state.sampleRate });
    } catch (thrown) {
      job.dropped = true;
      job.settle(thrown);
    }
  };

  const onGone = (why: 'missing' | 'died', detail: string) => {
    cancelTimer();
    onceStarted();
    const interrupted = running?.job;
    running = undefined;
    if (state.kind === 'closed') {
      interrupted?.settle(closed());
      onceClosed();
      return;
    }
    if (state.kind === 'leaving') {
      state = { kind: 'asleep' };
      sayNext();
      return;
    }
    if (interrupted !== undefined && !interrupted.dropped) line.unshift(interrupted);
    if (why === 'missing') {
      log.error('engine_program_missing', { detail });
      state = { kind: 'missing' };
      failAll(missing);
      return;
    }
    deaths += 1;
    const restMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (deaths - 1));
    log.error('engine_program_died', { detail, deaths, restMs });
    state = { kind: 'resting', untilMs: clock.now() + restMs };
    cancelTimer = clock.after(restMs, start);
    if (interrupted !== undefined && ++interrupted.tries >= MAX_TRIES && line[0] === interrupted) {
      line.shift();
      interrupted.settle(dying());
    }
    if (deaths >= HOPELESS_DEATHS) failAll(dying);
  };

  const start = () => {
    const child = startSpeechChild(command, {
      ready(sampleRate) {
        if (state.kind !== 'starting') return;
        cancelTimer();
        state = { kind: 'ready', child, sampleRate };
        onceStarted();
        sayNext();
      },
      audio: deliver,
      done: finish,
      refused(id, reason) {
        log.warn('engine_sentence_refused', { reason });
        finish(
          id,
          [],
          new AppError('internal', 'The speech program could not speak a sentence of this text.'),
        );
      },
      gone: onGone,
    });
    state = { kind: 'starting', child };
    watch(child, START_DEADLINE_MS, 'engine_start_overdue');
  };

  state = { kind: 'asleep' };
  if (startsWith === 'at-once') start();

  const refusal = (): AppError | undefined => {
    if (state.kind === 'missing') return missing();
    if (state.kind === 'closed') return closed();
    if (state.kind === 'resting' && deaths >= HOPELESS_DEATHS) return dying();
    if (line.length < mostWaiting) return undefined;
    return new AppError('busy', `The speech engine already has ${mostWaiting} sentences waiting.`, {
      retryAfterMs: 1000,
    });
  };

  return {
    speak(utterance, onBlock, signal, onWords) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const refused = refusal();
      if (refused !== undefined) return Promise.reject(refused);
      return new Promise((resolve, reject) => {
        const job: Job = {
          utterance,
          onBlock,
          onWords,
          delivered: 0,
          tries: 0,
          dropped: false,
          settle(error) {
            signal.removeEventListener('abort', drop);
            if (error === undefined) resolve();
            else reject(error as Error);
          },
        };
        // A sentence that is being spoken is allowed to end unheard: that takes less time than a new program.
        const drop = () => {
          job.dropped = true;
          const waiting = line.indexOf(job);
          if (waiting >= 0) line.splice(waiting, 1);
          job.settle(signal.reason);
        };
        signal.addEventListener('abort', drop, { once: true });
        line.push(job);
        sayNext();
      });
    },
    started,
    wake() {
      if (state.kind === 'asleep') start();
    },
    isReady: () => state.kind === 'ready',
    pending: () => line.length + (running === undefined ? 0 : 1),
    close() {
      const child = 'child' in state ? state.child : undefined;
      state = { kind: 'closed' };
      cancelTimer();
      failAll(closed);
      if (child === undefined) return Promise.resolve();
      const gone = new Promise<void>((resolve) => {
        onceClosed = resolve;
      });
      child.kill();
      return gone;
    },
  };
}
