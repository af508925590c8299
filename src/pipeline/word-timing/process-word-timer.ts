// Words are timed in a process of their own, which is started when the first speech wants it. It works in spare time, so it may
// stand still for seconds at any point; a thread would not do: threads of one process wait for each other's locks (memory,
// compiler), and playback would stand still with it. This is the gateway's end: what a spool gets is gathered and sent in few,
// small messages, one at a time, so that timing never delays a frame.

import type { Clock } from '../../base/clock.ts';
import { Deadlines } from '../../base/deadlines.ts';
import type { Log } from '../../base/log.ts';
import { type ForkedProgram, forkProgram } from '../../base/processes/forked-program.ts';
import { createRestartBackOff } from './restart-back-off.ts';
import { SentSpeech } from './sent-speech.ts';
import type { TimedSpeech, WordTimer, WordTiming } from './word-timer.ts';
import type { WordTimerAnswer, WordTimerMessage, WordTimerOrder } from './word-timer-messages.ts';
import { createGatheredPosts } from './word-timer-messages.ts';

export type ProcessWordTimer = WordTimer & {
  /** Speeches that are being timed. */
  openSpeeches(): number;
  /** Starts the process, so that no speech waits for it. */
  warm(): void;
  close(): Promise<void>;
};

export type ProcessWordTimerOptions = {
  readonly log: Log;
  readonly clock: Clock;
  /** Starts the local engine's speech program; undefined: pauses and weights must do. */
  readonly command: readonly string[] | undefined;
  /** Which speeches are timed. */
  readonly when: 'never' | 'captions' | 'always';
  /** Whether endings of speeches are checked; default `followed`, where there is a local engine. */
  readonly endings?: 'followed' | 'never';
  /** Speeches timed at once, and as many followed for their endings alone; of the former, heard text may fill half and files a quarter. */
  readonly most: number;
  /** `in-background`: as other work beside phone calls, for readers that wait for it; default `in-spare-time`. */
  readonly works?: 'in-spare-time' | 'in-background';
  readonly program?: URL;
};

const PROGRAM = new URL('./word-timer-process.js', import.meta.url);
/** Its buffers are outside of the heap; young objects are small and short-lived. */
const FLAGS = ['--max-old-space-size=512', '--max-semi-space-size=2'];
const LATE_LINE_MS = 60_000;
/** With this many endings unanswered the process is behind: further ones would all come too late. */
const MAX_ENDINGS_AWAITED = 32;
/** Messages of some 16 KB at most; with more of them waiting, no further speech is followed. */
const MAX_UNSENT = 128;
/** Speeches whose readers wait for their words, at once: parts of jobs and of PlayNotes, and narrations. */
const MAX_WAITING = 64;
/** Time for a process that is told to stop to end its speech program. */
const STOP_DEADLINE_MS = 2000;

const SLOTS: Readonly<Record<TimedSpeech['urgency'], (most: number) => number>> = {
  captions: (most) => most,
  'heard-text': (most) => most >> 1,
  file: (most) => Math.max(1, most >> 2),
};

/** How many of the `most` slots each kind may fill: captions all of them, less urgent kinds only a part. */
const slotsFor = (urgency: TimedSpeech['urgency'], most: number): number => SLOTS[urgency](most);

export function createProcessWordTimer(options: ProcessWordTimerOptions): ProcessWordTimer {
  const { log, clock, command, when, most, program = PROGRAM } = options;
  const reference = command !== undefined && options.endings !== 'never' ? 'there' : 'none';
  const speeches = new Map<number, SentSpeech>();
  let running: ForkedProgram | undefined;
  const backOff = createRestartBackOff(clock);
  let isClosed = false;
  let last = 0;
  let endingsAwaited = 0;
  const deadlines = new Deadlines(clock);

  /** Messages that the pipe to the process has not taken: it may stand still for seconds when all cores are busy. */
  let unsent = 0;
  let state: 'starting' | 'answering' = 'starting';
  let lateEndings = 0;
  let toldLateMs = Number.NEGATIVE_INFINITY;
  /** A process that is behind is late with all of them: one log line for many. */
  const tellLate = () => {
    if (reference === 'none') return; // no ending is judged by its words
    if (state === 'starting') return; // it has just been started, for this one
    lateEndings += 1;
    if (clock.now() - toldLateMs < LATE_LINE_MS) return;
    log.warn('speech_endings_late', { endings: lateEndings });
    toldLateMs = clock.now();
    lateEndings = 0;
  };
  const countOf = (wants: TimedSpeech['wants']) => {
    let count = 0;
    for (const { timed } of speeches.values())
      if (timed.wants === wants && timed.whenBehind === 'give-up') count += 1;
    return count;
  };
  const countWaiting = () => {
    let count = 0;
    for (const { timed } of speeches.values()) if (timed.whenBehind === 'hold-back') count += 1;
    return count;
  };
  const hasSlotFor = ({ wants, urgency, whenBehind }: TimedSpeech): boolean => {
    // They send no more than is taken of each, so that they only wait for one another.
    if (whenBehind === 'hold-back') return when !== 'never' && countWaiting() < MAX_WAITING;
    if (unsent >= MAX_UNSENT) return false;
    if (wants === 'endings')
      return reference === 'there' && endingsAwaited < MAX_ENDINGS_AWAITED && countOf('endings') < most;
    if (when === 'never' || (when === 'captions' && urgency === 'heard-text')) return false;
    return countOf('words') < slotsFor(urgency, most);
  };

  const posts = createGatheredPosts<WordTimerOrder>(
    (task) => clock.soon(task),
    (orders) => {
      unsent += 1;
      const child = running;
      child?.send({ kind: 'orders', orders } satisfies WordTimerMessage, undefined, () => {
        if (child === running) unsent -= 1;
      });
    },
  );

  const start = (): ForkedProgram => {
    const child = forkProgram(program, { flags: FLAGS, serialization: 'advanced' });
    child.onMessage((answer) => {
      if (child === running) take(answer as WordTimerAnswer);
    });
    child.onExit((why) => bury(child, why));
    child.keep(false); // until there is a speech
    child.send({
      kind: 'start',
      command,
      works: options.works ?? 'in-spare-time',
    } satisfies WordTimerMessage);
    return child;
  };

  const bury = (child: ForkedProgram, cause: string) => {
    if (running !== child) return;
    running = undefined;
    posts.flush(); // dropped: there is no process
    unsent = 0;
    state = 'starting';
    backOff.died();
    log.error('word_timer_died', { cause, speeches: speeches.size });
    for (const [id, speech] of [...speeches]) {
      speeches.delete(id);
      speech.onGone();
    }
  };

  const take = (answer: WordTimerAnswer) => {
    if (answer.kind === 'log') return log.warn(answer.event, { cause: answer.cause });
    const speech = speeches.get(answer.speech);
    if (speech === undefined) return;
    backOff.proven();
    state = 'answering';
    if (answer.kind === 'taken') speech.onTaken();
    else if (answer.kind === 'settled') speech.onSettled();
    else if (answer.kind === 'ending') speech.onEnding(answer.ending);
    else {
      speech.onEstimate(answer.index, answer);
      if (answer.hasTaken) speech.onTaken();
    }
  };

  const openTiming = (child: ForkedProgram, timed: TimedSpeech): WordTiming => {
    const id = ++last;
    child.keep(true);
    const sent = new SentSpeech({
      id,
      timed,
      clock,
      deadlines,
      isOpen: () => speeches.has(id),
      order: (message) => {
        if (speeches.has(id)) posts.tell(message);
      },
      forget: () => {
        if (!speeches.delete(id)) return false;
        if (speeches.size === 0) child.keep(false);
        return true;
      },
      countEndings: (more) => {
        endingsAwaited += more;
      },
      onLate: tellLate,
      onBehind: (heldMs) => log.warn('word_timer_behind', { heldMs }),
    });
    speeches.set(id, sent);
    sent.begin();
    return sent;
  };

  return {
    reference,
    open(timed) {
      if (isClosed || !hasSlotFor(timed)) return undefined;
      if (running === undefined && !backOff.mayStart()) return undefined;
      running ??= start();
      return openTiming(running, timed);
    },
    warm() {
      if (!isClosed && when !== 'never') running ??= start();
    },
    openSpeeches: () => speeches.size,
    async close() {
      const child = running;
      posts.flush();
      running = undefined;
      isClosed = true;
      for (const speech of speeches.values()) speech.onGone();
      speeches.clear();
      if (child === undefined) return;
      let resolveGone = () => {};
      const gone = new Promise<void>((resolve) => {
        resolveGone = resolve;
        child.onExit(() => resolve());
      });
      // A process that runs in spare time may end late: it is killed after the deadline.
      const disarm = clock.after(STOP_DEADLINE_MS, () => {
        child.kill();
        resolveGone();
      });
      child.keep(true);
      child.send({ kind: 'stop' } satisfies WordTimerMessage);
      await gone;
      disarm();
    },
  };
}
