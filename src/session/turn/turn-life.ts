// The life of a live turn: it carries out what the pure machine of turn.ts says must be done when something happens.

import type { Clock } from '../../base/clock.ts';
import { errorEvent } from '../../dialects/error-event.ts';
import { type Effect, step, type Turn, type TurnEvent } from './turn.ts';
import { createTurnAnnouncer, type TurnAnnouncer } from './turn-announcer.ts';
import { closedContainer } from './turn-faults.ts';
import { wholeMs } from './turn-messages.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnSpeech } from './turn-speech.ts';

export type TurnLife = {
  phase(): Turn['phase'];
  /** It is paused, before its first audio or in it. */
  isStill(): boolean;
  /** Its listener has paused it or moved in it: it is a text that is read aloud, and not part of a conversation. */
  isNarrated(): boolean;
  /** Its audio is being heard, or its listener has paused in it. */
  isInTheEar(): boolean;
  /** When a turn that stands still is given up; infinite while it does not. */
  pauseEndsMs(): number;
  /** How long the listener will hear what has been sent, ms. */
  untilHeardMs(nowMs: number): number;
  /** Audio that has arrived and has not been heard, ms. */
  remainingMs(): number;
  /** What is to be sent in a burst is wanted as it is made, whatever its listener still has to hear. */
  spareMs(): number;
  happen(event: Exclude<TurnEvent, { readonly type: 'seek' | 'cancel' }>): void;
  /** With `playedMs` the listener has dropped what had not been played. */
  seek(paragraph: number, playedMs: number | undefined): void;
  cancel(): void;
};

type Wanted = { readonly paragraph: number; readonly playedMs: number | undefined };
const BEGINNING: Wanted = { paragraph: 0, playedMs: undefined };

/** What is left to hear is asked for whenever speech arrives. */
class MachineLife implements TurnLife {
  private readonly parts: TurnParts;
  private readonly clock: Clock;
  private readonly speech: TurnSpeech;
  private readonly playout: TurnPlayout;
  private readonly announcer: TurnAnnouncer;
  private state: Turn = { phase: 'waiting' };
  private isCut = false;
  private wasMoved = false;
  private pausedAtMs = 0;
  /** What a `seek` that is being carried out wants. */
  private wanted = BEGINNING;

  constructor(parts: TurnParts) {
    this.parts = parts;
    this.clock = parts.live.runtime.clock;
    this.speech = parts.speech;
    this.playout = parts.playout;
    this.announcer = createTurnAnnouncer(parts);
  }

  phase(): Turn['phase'] {
    return this.state.phase;
  }
  isStill(): boolean {
    const { phase } = this.state;
    return phase === 'held' || phase === 'paused';
  }
  isNarrated(): boolean {
    return this.wasMoved;
  }
  isInTheEar(): boolean {
    const { phase } = this.state;
    return phase === 'playing' || phase === 'paused' || phase === 'draining';
  }
  pauseEndsMs(): number {
    if (!this.isStill()) return Number.POSITIVE_INFINITY;
    return this.pausedAtMs + this.parts.live.runtime.limits.pauseTimeoutMs;
  }
  untilHeardMs(nowMs: number): number {
    return this.isInTheEar() ? Math.max(0, this.playout.heardUntilMs() - nowMs) : 0;
  }
  remainingMs(): number {
    return this.speech.waitingMs() + this.untilHeardMs(this.clock.now());
  }
  spareMs(): number {
    return this.parts.goesAtOnce ? this.speech.waitingMs() : this.remainingMs();
  }
  happen(event: TurnEvent): void {
    if (event.type === 'pause' || event.type === 'seek') this.wasMoved = true;
    const next = step(this.state, event);
    this.state = next.turn;
    for (const effect of next.effects) this.perform(effect);
  }
  seek(paragraph: number, playedMs: number | undefined): void {
    this.wanted = { paragraph, playedMs };
    this.happen({ type: 'seek' });
  }
  cancel(): void {
    this.isCut = true;
    this.happen({ type: 'cancel' });
  }

  private perform(effect: Effect): void {
    const { id: turn, outlet } = this.parts.live;
    switch (effect.do) {
      case 'say-started':
        return this.announcer.started();
      case 'say-error':
        return outlet.say(errorEvent(effect.error, turn));
      case 'say-ended':
        return this.announcer.ended(effect.outcome);
      case 'say-heard':
        this.announcer.heard(this.isCut);
        return this.playout.close();
      case 'stop-clock':
        return this.stopClock();
      case 'start-clock':
        return this.startClock();
      case 'say-paused':
        return outlet.say({ type: 'paused', turn, atMs: wholeMs(this.playout.sentMs()) });
      case 'say-resumed':
        return outlet.say({ type: 'resumed', turn, atMs: wholeMs(this.playout.sentMs()) });
      case 'speak-on':
        return this.speakOn();
      case 'settle-marks':
        return this.parts.hearing.settleMarks(effect.outcome);
      case 'stop-speaking':
        return this.speech.stop();
    }
  }
  private stopClock(): void {
    this.pausedAtMs = this.clock.now();
    this.giveBack();
  }
  private startClock(): void {
    this.parts.hearing.goOn(this.clock.now());
    this.playout.resume(this.clock.now());
    this.parts.live.outlet.onReady();
  }
  /** What a leg has not played is silent at once, and the turn's again. */
  private giveBack(): void {
    const fromMs = this.parts.live.outlet.takeBack?.();
    if (fromMs !== undefined) this.speech.putBack(this.playout.takeBack(fromMs));
  }
  private speakOn(): void {
    const { live, script, captions, times, hearing, flushes, progress } = this.parts;
    const { id: turn, settings, outlet } = live;
    const { paragraph, playedMs } = this.wanted;
    this.giveBack();
    const atMs = this.speech.speakOn((keptUntilMs) => {
      if (keptUntilMs !== undefined) captions.say(keptUntilMs, times.toOwn(keptUntilMs));
      script.seek(paragraph);
    }, this.playout.sentMs());
    if (atMs === undefined) return outlet.say(errorEvent(closedContainer(settings.format), turn));
    times.begin(atMs, this.speech.insertedMs());
    if (playedMs !== undefined) hearing.skip(this.clock.now());
    flushes.settleAll();
    progress.sought();
    outlet.say({ type: 'sought', turn, paragraph, atMs: wholeMs(atMs) });
    outlet.onReady();
  }
}

export const createTurnLife = (parts: TurnParts): TurnLife => new MachineLife(parts);
