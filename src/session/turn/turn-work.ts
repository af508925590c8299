// What the requests of one turn are worth to the scheduler: their class, and when their audio is needed.

import type { Clock } from '../../base/clock.ts';
import type { SpeechWork, WorkClass } from '../../upstream/speech-work.ts';

/** Who speaks, as far as the scheduler needs to know. */
export type Speaker = {
  /** The user whose credentials opened the session; empty when none are asked for. */
  readonly tenant: string;
  readonly session: string;
};

export type TurnWorkOptions = {
  readonly speaker: Speaker & { readonly turn?: string };
  readonly clock: Clock;
  /** When the turns before this one will have been heard. */
  readonly freeAtMs: number;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
  /** When a request is given up that has waited since `sinceMs`, and its turn was in front since then. */
  readonly waitsUntilMs: (of: WorkClass, sinceMs: number) => number;
};

/** A caller who hears nothing for longer says hello again. */
const FIRST_AUDIO_MS = 1000;
/** What a speech service usually takes to its first byte. */
const FIRST_BYTE_MS = 500;

/** One for each turn. */
export class TurnWork {
  private readonly speaker: TurnWorkOptions['speaker'];
  private readonly clock: Clock;
  private readonly freeAtMs: number;
  private readonly remainingMs: () => number;
  private readonly boundMs: TurnWorkOptions['waitsUntilMs'];
  /** Since when nothing is before it; undefined while something is. */
  private inFrontSinceMs: number | undefined;
  private asked = 0;
  private ahead: RisingWork | undefined;

  constructor({ speaker, clock, freeAtMs, remainingMs, waitsUntilMs }: TurnWorkOptions) {
    this.speaker = speaker;
    this.clock = clock;
    this.freeAtMs = freeAtMs;
    this.remainingMs = remainingMs;
    this.boundMs = waitsUntilMs;
  }

  /** For the log. */
  ids(): { readonly session: string; readonly turn: string | undefined } {
    return { session: this.speaker.session, turn: this.speaker.turn };
  }
  /** Of the next request; `first`: it is this turn's time to be heard, `ahead`: others are before it. */
  next(place: 'first' | 'ahead'): SpeechWork {
    this.asked += 1;
    const nowMs = this.clock.now();
    if (place === 'first') this.inFrontSinceMs ??= nowMs;
    if (this.asked > 1) return this.work('next', nowMs + Math.max(0, this.remainingMs() - FIRST_BYTE_MS));
    const deadlineMs = Math.max(nowMs + FIRST_AUDIO_MS, this.freeAtMs);
    if (place === 'first') return this.work('first', deadlineMs);
    // What is made ahead leaves the reserve to turns that somebody waits for.
    this.ahead = new RisingWork(this.work('next', deadlineMs), (of, sinceMs) =>
      this.waitsUntilMs(of, sinceMs),
    );
    return this.ahead;
  }
  /** Its time has come: what was asked for ahead and still waits becomes first words. */
  rise(): void {
    this.inFrontSinceMs ??= this.clock.now();
    this.ahead?.rise(this.work('first', this.clock.now() + FIRST_AUDIO_MS));
  }
  /** Of a request that goes on with one that broke. */
  resume(): SpeechWork {
    return this.work('resume', this.clock.now() + this.remainingMs());
  }

  private work(name: SpeechWork['class'], deadlineMs: number): Standing {
    return {
      class: name,
      ...this.speaker,
      deadlineMs,
      waitsUntilMs: (sinceMs) => this.waitsUntilMs(name, sinceMs),
    };
  }
  private waitsUntilMs(of: WorkClass, sinceMs: number): number {
    const { inFrontSinceMs } = this;
    // Those before it are heard meanwhile.
    if (inFrontSinceMs === undefined) return Number.POSITIVE_INFINITY;
    return this.boundMs(of, Math.max(sinceMs, inFrontSinceMs));
  }
}

type Standing = SpeechWork & TurnWorkOptions['speaker'];

/** Work that becomes worth more while its request waits, and tells the one line in which it does. */
class RisingWork implements SpeechWork {
  class: SpeechWork['class'];
  readonly tenant: string;
  readonly session: string;
  readonly turn: string | undefined;
  deadlineMs: number;
  private readonly boundMs: TurnWorkOptions['waitsUntilMs'];
  private listener: (() => void) | undefined;

  constructor(standing: Standing, boundMs: TurnWorkOptions['waitsUntilMs']) {
    this.class = standing.class;
    this.tenant = standing.tenant;
    this.session = standing.session;
    this.turn = standing.turn;
    this.deadlineMs = standing.deadlineMs;
    this.boundMs = boundMs;
  }

  waitsUntilMs(sinceMs: number): number {
    return this.boundMs(this.class, sinceMs);
  }
  onRise(told: () => void): () => void {
    this.listener = told;
    return () => {
      this.listener = undefined;
    };
  }
  rise(to: SpeechWork): void {
    this.class = to.class;
    this.deadlineMs = to.deadlineMs;
    this.listener?.();
  }
}
