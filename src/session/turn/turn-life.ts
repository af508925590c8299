// The life of a live turn: it carries out what the pure machine of turn.ts says must be done when something happens.

import type { Clock } from '../../base/clock.ts';
import { errorEvent } from '../../dialects/error-event.ts';
import { type Effect, type Place, step, type Turn, type TurnEvent } from './turn.ts';
import { TurnAnnouncer } from './turn-announcer.ts';
import { closedContainer, wholeMs } from './turn-messages.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnPlayout } from './turn-playout.ts';
import type { TurnSpeech } from './turn-speech.ts';

/** What is left to hear is asked for whenever speech arrives. */
export class TurnLife {
  private readonly parts: TurnParts;
  private readonly clock: Clock;
  private readonly speech: TurnSpeech;
  private readonly playout: TurnPlayout;
  private readonly announcer: TurnAnnouncer;
  private state: Turn;

  constructor(parts: TurnParts) {
    this.parts = parts;
    this.clock = parts.live.runtime.clock;
    this.speech = parts.speech;
    this.playout = parts.playout;
    this.announcer = new TurnAnnouncer(parts);
    const told = parts.had?.isStarted === true ? 'started' : 'nothing';
    this.state = { phase: 'waiting', as: 'conversation', told };
  }

  phase(): Turn['phase'] {
    return this.state.phase;
  }
  /** Its listener has had some of it, from here or from an instance that is gone. */
  isBegun(): boolean {
    const { state, playout } = this;
    const isUnheard = state.phase === 'waiting' || state.phase === 'held';
    return isUnheard ? state.told === 'started' : playout.startedAtMs() !== undefined;
  }
  /** It is paused, before its first audio or in it. */
  isPaused(): boolean {
    const { phase } = this.state;
    return phase === 'held' || phase === 'paused';
  }
  /** Its listener has paused it or moved in it: it is a text that is read aloud, and not part of a conversation. */
  isNarrated(): boolean {
    return this.state.as === 'narration';
  }
  /** Its audio is being heard, or its listener has paused in it. */
  isAudible(): boolean {
    const { phase } = this.state;
    return phase === 'playing' || phase === 'paused' || phase === 'draining';
  }
  /** When a turn that stands still is given up; infinite while it does not. */
  pauseEndsMs(): number {
    const { state } = this;
    if (state.phase !== 'held' && state.phase !== 'paused') return Number.POSITIVE_INFINITY;
    return state.sinceMs + this.parts.live.runtime.limits.pauseTimeoutMs;
  }
  /** How long the listener will hear what has been sent, ms. */
  untilHeardMs(nowMs: number): number {
    return this.isAudible() ? Math.max(0, this.playout.heardUntilMs() - nowMs) : 0;
  }
  /** Audio that has arrived and has not been heard, ms. */
  remainingMs(): number {
    return this.speech.waitingMs() + this.untilHeardMs(this.clock.now());
  }
  /** What is to be sent in a burst is wanted as it is made, whatever its listener still has to hear. */
  spareMs(): number {
    return this.parts.isUnpaced ? this.speech.waitingMs() : this.remainingMs();
  }
  happen(event: TurnEvent): void {
    const next = step(this.state, event);
    this.state = next.turn;
    for (const effect of next.effects) this.perform(effect);
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
        this.announcer.heard(effect.after);
        return this.playout.close();
      case 'stop-clock':
        return this.giveBack();
      case 'start-clock':
        return this.startClock();
      case 'say-paused':
        return outlet.say({ type: 'paused', turn, atMs: wholeMs(this.playout.receivedMs()) });
      case 'say-resumed':
        return outlet.say({ type: 'resumed', turn, atMs: wholeMs(this.playout.receivedMs()) });
      case 'speak-on':
        return this.speakOn(effect.from);
      case 'settle-marks':
        return this.parts.hearing.settleMarks(effect.outcome);
      case 'stop-speaking':
        return this.speech.stop();
    }
  }
  private startClock(): void {
    this.parts.hearing.goOn(this.clock.now());
    this.playout.resume(this.clock.now());
    this.parts.live.line.runNow();
  }
  /** What a leg has not played is silent at once, and the turn's again. */
  private giveBack(): void {
    const fromMs = this.parts.live.outlet.takeBack?.();
    if (fromMs !== undefined) this.speech.putBack(this.playout.takeBack(fromMs));
  }
  private speakOn({ paragraph, playedMs }: Place): void {
    const { live, script, captions, times, hearing, flushes, progress } = this.parts;
    const { id: turn, settings, outlet, line } = live;
    this.giveBack();
    const atMs = this.speech.speakOn(
      (keptUntilMs) => {
        if (keptUntilMs !== undefined) captions.say(keptUntilMs, times.toOwn(keptUntilMs));
        script.seek(paragraph);
      },
      this.playout.leap(paragraph, this.clock.now()),
    );
    if (atMs === undefined) return outlet.say(errorEvent(closedContainer(settings.format), turn));
    times.begin(atMs, this.speech.insertedMs());
    if (playedMs !== undefined) hearing.skip(this.clock.now());
    flushes.settleAll();
    progress.sought();
    outlet.say({ type: 'sought', turn, paragraph, atMs: wholeMs(atMs) });
    line.runNow();
  }
}
