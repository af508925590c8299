// Words are timed in one thread, which is started when the first speech wants it. Here is its other end: what a spool
// gets is gathered and sent in few messages, none of them while another is under way but at the end of a request, so that
// timing never delays a frame; a thread that is behind is left more to catch up with, and a speech that it cannot follow
// is given up.

import { Worker } from 'node:worker_threads';
import type { TranscoderItem } from '../audio/transcoder.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { SpoolItem } from './mp3-spool.ts';
import type { TimedSpeech, WordTimer, WordTiming } from './word-timer.ts';
import { packItems, type WordTimerAnswer, type WordTimerOrder } from './word-timer-messages.ts';
import type { WordTimerThreadData } from './word-timer-thread.ts';

export type WorkerWordTimer = WordTimer & {
  /** Speeches that are being timed. */
  readonly openSpeeches: number;
  /** Starts the thread, so that no speech waits for it. */
  warm(): void;
  close(): Promise<void>;
};

export type WorkerWordTimerOptions = {
  readonly log: Log;
  readonly clock: Clock;
  /** Starts the local engine's speech program; undefined: pauses and weights must do. */
  readonly command: readonly string[] | undefined;
  /** Which speeches are timed. */
  readonly when: 'never' | 'captions' | 'always';
  /** Speeches timed at once; those without captions get the first half of the places. */
  readonly most: number;
  readonly program?: URL;
};

const PROGRAM = new URL('./word-timer-thread.js', import.meta.url);
/** In the first second of a request the next word is close behind; later a few messages a second do. */
const FIRST_MS = 1000;
const FIRST_GATHER_MS = 50;
const GATHER_MS = 250;
/** A thread that is so far behind is of no use to this speech any more: longer than what a live turn's spool holds. */
const MOST_HELD_MS = 600_000;
/** Who waits for the last words of a file waits so long at most. */
const SETTLE_DEADLINE_MS = 20_000;
/** A thread that is told to stop has so long to end its speech program. */
const STOP_DEADLINE_MS = 2000;

type Speech = {
  readonly timed: TimedSpeech;
  onTaken(): void;
  onSettled(): void;
};

const frameMs = (item: TranscoderItem): number =>
  item.kind === 'frame' ? (item.frame.header.samplesPerFrame * 1000) / item.frame.header.sampleRate : 0;

export function createWorkerWordTimer(options: WorkerWordTimerOptions): WorkerWordTimer {
  const { log, clock, command, when, most, program = PROGRAM } = options;
  const speeches = new Map<number, Speech>();
  let worker: Worker | undefined;
  let isProven = false;
  let isUseless = false;
  let last = 0;

  const start = (): Worker => {
    const workerData: WordTimerThreadData = { command };
    const thread = new Worker(program, { name: 'word-timer', workerData });
    thread.on('message', (answer: WordTimerAnswer) => take(answer));
    thread.on('error', (cause) => bury(thread, cause.name));
    thread.on('exit', (code) => bury(thread, `exit ${code}`));
    return thread;
  };

  /** One that dies before it has done anything would only die again. */
  const bury = (thread: Worker, cause: string) => {
    if (worker !== thread) return;
    worker = undefined;
    isUseless = !isProven;
    isProven = false;
    log.error('word_timer_died', { cause, speeches: speeches.size });
    for (const [id, speech] of [...speeches]) {
      speeches.delete(id);
      speech.onSettled();
    }
  };

  const take = (answer: WordTimerAnswer) => {
    if (answer.kind === 'log') return log.warn(answer.event, { cause: answer.cause });
    const speech = speeches.get(answer.speech);
    if (speech === undefined) return;
    isProven = true;
    if (answer.kind === 'taken') speech.onTaken();
    else if (answer.kind === 'settled') speech.onSettled();
    else speech.timed.onEstimate(answer.index, answer);
  };

  const openTiming = (thread: Worker, timed: TimedSpeech): WordTiming => {
    const id = ++last;
    const { language, speed, voice } = timed;
    let held: TranscoderItem[] = [];
    let heldMs = 0;
    let sentMs = 0;
    /** Milliseconds of each message that the thread has not taken. */
    const underWay: number[] = [];
    let underWayMs = 0;
    let leadIsHeard: boolean | undefined;
    const settled: (() => void)[] = [];

    const order = (message: WordTimerOrder, moved: ArrayBuffer[] = []) => {
      if (speeches.has(id)) thread.postMessage(message, moved);
    };
    const send = () => {
      if (held.length === 0) return;
      const items = packItems(held);
      sentMs += heldMs;
      underWay.push(heldMs);
      underWayMs += heldMs;
      held = [];
      heldMs = 0;
      const moved = items.flatMap((item) => (item.kind === 'frames' ? [item.frames.bytes.buffer] : []));
      order({ kind: 'items', speech: id, items, leadIsHeard: leadIsHeard ?? false }, moved);
    };
    const sendSome = () => {
      if (underWay.length === 0 && heldMs >= (sentMs < FIRST_MS ? FIRST_GATHER_MS : GATHER_MS)) send();
    };
    const settle = () => {
      for (const wake of settled.splice(0)) wake();
    };
    const leave = () => {
      held = [];
      if (!speeches.delete(id)) return;
      if (speeches.size === 0) thread.unref();
      settle();
    };
    const giveUp = () => {
      log.warn('word_timer_behind', { heldMs: heldMs + underWayMs });
      timing.close();
    };

    speeches.set(id, {
      timed,
      onTaken() {
        underWayMs -= underWay.shift() ?? 0;
        sendSome();
      },
      onSettled: settle,
    });
    thread.ref();
    order({ kind: 'open', speech: id, language, speed, voice });

    const timing: WordTiming = {
      request(text) {
        send();
        sentMs = 0;
        leadIsHeard = undefined;
        order({ kind: 'request', speech: id, text });
      },
      tap: {
        add(item: SpoolItem) {
          if (item.kind === 'flush' || !speeches.has(id)) return;
          if (item.kind === 'frame') leadIsHeard ??= timed.passesThrough(item.frame.header.sampleRate);
          held.push(item);
          heldMs += frameMs(item);
          if (heldMs + underWayMs > MOST_HELD_MS) giveUp();
          else if (item.kind === 'end') send();
          else sendSome();
        },
        takeBack(frames) {
          send();
          order({ kind: 'take-back', speech: id, frames });
        },
      },
      settled: () =>
        new Promise((resolve) => {
          if (!speeches.has(id)) return resolve();
          const disarm = clock.after(SETTLE_DEADLINE_MS, resolve);
          settled.push(() => {
            disarm();
            resolve();
          });
          send();
          order({ kind: 'settle', speech: id });
        }),
      close() {
        order({ kind: 'close', speech: id });
        leave();
      },
    };
    return timing;
  };

  return {
    open(timed) {
      const places = timed.urgency === 'captions' ? most : most >> 1;
      if (isUseless || speeches.size >= places || when === 'never') return undefined;
      if (when === 'captions' && timed.urgency !== 'captions') return undefined;
      worker ??= start();
      return openTiming(worker, timed);
    },
    warm() {
      if (isUseless || when === 'never' || worker !== undefined) return;
      worker = start();
      worker.unref();
    },
    get openSpeeches() {
      return speeches.size;
    },
    async close() {
      const thread = worker;
      worker = undefined;
      isUseless = true;
      for (const speech of speeches.values()) speech.onSettled();
      speeches.clear();
      if (thread === undefined) return;
      const gone = new Promise<void>((resolve) => {
        thread.once('exit', () => resolve());
      });
      const disarm = clock.after(STOP_DEADLINE_MS, () => void thread.terminate());
      thread.ref();
      thread.postMessage({ kind: 'stop' } satisfies WordTimerOrder);
      await gone;
      disarm();
    },
  };
}
