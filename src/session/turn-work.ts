// What the requests of one turn are worth to the scheduler: their class, and when their audio is needed.

import type { Clock } from '../base/clock.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';

/** Who speaks, as the scheduler sees him. */
export type Speaker = {
  /** The user whose credentials opened the session; empty when none are asked for. */
  readonly tenant: string;
  readonly session: string;
};

export type TurnWork = {
  /** Of the next request; `first`: it is this turn's time to be heard, `ahead`: others are before it. */
  next(place: 'first' | 'ahead'): SpeechWork;
  /** Its time has come: what was asked for ahead and still waits becomes first words. */
  readonly rise: () => void;
  /** Of a request that goes on with one that broke. */
  readonly resume: () => SpeechWork;
};

export type TurnWorkOptions = {
  readonly speaker: Speaker;
  readonly clock: Clock;
  /** When the turns before this one will have been heard. */
  readonly freeAtMs: number;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
};

/** A caller who hears nothing for longer says hello again. */
const FIRST_AUDIO_MS = 1000;
/** What a speech service usually takes to its first byte. */
const FIRST_BYTE_MS = 500;

export function createTurnWork({ speaker, clock, freeAtMs, remainingMs }: TurnWorkOptions): TurnWork {
  let asked = 0;
  let ahead: ReturnType<typeof createRisingWork> | undefined;
  const work = (name: SpeechWork['class'], deadlineMs: number): SpeechWork => ({
    class: name,
    ...speaker,
    deadlineMs,
  });
  return {
    next(place) {
      asked += 1;
      const nowMs = clock.now();
      if (asked > 1) return work('next', nowMs + Math.max(0, remainingMs() - FIRST_BYTE_MS));
      const deadlineMs = Math.max(nowMs + FIRST_AUDIO_MS, freeAtMs);
      if (place === 'first') return work('first', deadlineMs);
      // What is made ahead leaves the reserve to turns that somebody waits for.
      ahead = createRisingWork(work('next', deadlineMs));
      return ahead.work;
    },
    rise: () => ahead?.rise(work('first', clock.now() + FIRST_AUDIO_MS)),
    resume: () => work('resume', clock.now() + remainingMs()),
  };
}

/** Work that becomes worth more while its request waits, and tells the one line in which it does. */
function createRisingWork(standing: SpeechWork) {
  let listener = () => {};
  const work = {
    ...standing,
    onRise(told: () => void) {
      listener = told;
      return () => {
        listener = () => {};
      };
    },
  };
  return {
    work,
    rise(to: SpeechWork) {
      work.class = to.class;
      work.deadlineMs = to.deadlineMs;
      listener();
    },
  };
}
