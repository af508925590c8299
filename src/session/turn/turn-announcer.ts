// The three messages that every turn is told by: it starts, it ends, it has been heard. Each is said once, when the machine
// of turn.ts wants it.

import type { Outcome } from '../../dialects/native-events.ts';
import { createLiveProgramme } from '../observers/live-programme.ts';
import { endedEvent, heardEvent, wholeMs } from './turn-messages.ts';
import type { TurnParts } from './turn-parts.ts';
import { ROUNDING_MS } from './turn-sending.ts';
import { tellWordList, wordListParts } from './turn-word-list.ts';

export type TurnAnnouncer = {
  /** Tells onlookers of it, too. */
  started(): void;
  /** Says before it what must come before the end, flushes and last words; and behind it, in time, the list of all words. */
  ended(outcome: Outcome): void;
  /** `isCut`: its client cancelled it. */
  heard(isCut: boolean): void;
};

class OutletAnnouncer implements TurnAnnouncer {
  private readonly parts: TurnParts;
  private endedAs: Outcome | undefined;

  constructor(parts: TurnParts) {
    this.parts = parts;
  }

  started(): void {
    const { live, seed, namedAtMs, speech } = this.parts;
    const { id, settings, runtime } = live;
    const firstAudioMs = runtime.clock.now() - namedAtMs;
    // Behind turns of one's own the wait is theirs.
    if (live.turnsBefore === 0) runtime.metrics.firstAudio(firstAudioMs);
    const timings = { queueMs: wholeMs(speech.queueMs()), upstreamTtfbMs: wholeMs(speech.ttfbMs()) };
    live.outlet.say({
      type: 'started',
      turn: id,
      format: settings.format,
      sampleRate: speech.sampleRate(),
      seed,
      timings: { ...timings, firstAudioMs: wholeMs(firstAudioMs) },
    });
    live.audience.began(createLiveProgramme(this.parts));
  }
  ended(outcome: Outcome): void {
    const { live, goesAtOnce, script, speech, captions, flushes, progress } = this.parts;
    const sentMs = this.parts.playout.sentMs();
    this.endedAs = outcome;
    if (sentMs > 0 && sentMs >= speech.madeMs() - ROUNDING_MS && outcome !== 'cancelled') flushes.settleAll();
    // The last words of audio whose end was not known when it was sent.
    if (outcome === 'complete') captions.say(Number.POSITIVE_INFINITY);
    if (outcome === 'complete' && goesAtOnce) progress.finish();
    live.runtime.metrics.turnEnded(outcome, sentMs, script.totalCodePoints());
    const [audioMs, requests, resumes] = [speech.madeMs(), speech.requests(), speech.resumes()];
    const figures = { outcome, audioMs, sentMs, requests, resumes, cached: speech.isCached() };
    live.outlet.say(endedEvent(live.id, figures));
    // What is sent in a burst is sent before its words have been found.
    if (outcome === 'complete' && live.settings.wordList === 'final') void this.listWords();
  }
  heard(isCut: boolean): void {
    const { live, script, playout, hearing, progress, times } = this.parts;
    const { playedMs: byNowMs, playedBy } = hearing.heard(live.runtime.clock.now());
    const committedMs = playedBy === 'clock' && isCut ? live.outlet.committedMs() : undefined;
    const playedMs = Math.min(committedMs ?? byNowMs, playout.sentMs());
    const isWhole = this.endedAs === 'complete' && playedMs >= playout.sentMs() - ROUNDING_MS;
    if (isWhole) progress.finish();
    const text = script.heardAt(isWhole ? 'end' : times.toOwn(playedMs));
    live.outlet.say(heardEvent(live.id, { playedMs, playedBy, ...text }));
  }

  private async listWords(): Promise<void> {
    const { live, script, speech, times } = this.parts;
    const { runtime, outlet, id } = live;
    try {
      await speech.wordsFound();
      const parts = wordListParts(id, script.stretch().timeline.words(), times.fromMs());
      await tellWordList(parts, outlet, runtime.clock);
    } catch (fault) {
      runtime.log.error('a list of words failed inside', { cause: String(fault) });
    }
  }
}

export const createTurnAnnouncer = (parts: TurnParts): TurnAnnouncer => new OutletAnnouncer(parts);
