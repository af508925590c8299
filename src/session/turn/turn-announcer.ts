// The three messages that every turn is told by: it starts, it ends, it has been heard. Each is said once, when the machine
// of turn.ts wants it.

import type { Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';
import type { TimedWord, WordReader } from '../../captions/word-timeline.ts';
import type { EventOf, Outcome } from '../../dialects/native-events.ts';
import { servedByOf } from '../../pipeline/speech-services.ts';
import type { TurnPlayback } from '../observers/turn-playback.ts';
import type { TurnRecording } from '../observers/turn-recording.ts';
import type { TurnOutlet } from '../session-outlet.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { Position } from './heard-ledger.ts';
import { captionEvents, endedEvent, heardEvent, ROUNDING_MS, wholeMs } from './turn-messages.ts';
import type { TurnParts } from './turn-parts.ts';

class LivePlayback implements TurnPlayback {
  readonly turn: string;
  readonly settings: TurnSettings;
  readonly recording: TurnRecording;
  private readonly parts: TurnParts;

  constructor(parts: TurnParts) {
    this.turn = parts.live.id;
    this.settings = parts.live.settings;
    this.recording = parts.speech.recording;
    this.parts = parts;
  }

  position(nowMs: number): Position {
    return this.parts.playout.ownPosition(nowMs);
  }
  lines(): readonly string[] {
    return this.parts.script.lines();
  }
  readWords(): WordReader {
    return this.parts.captions.readWords();
  }
  toSentMs(ownMs: number): number {
    const { times } = this.parts;
    return times.toSent(ownMs - times.fromMs());
  }
}

export class TurnAnnouncer {
  private readonly parts: TurnParts;
  private endedAs: Outcome | undefined;

  constructor(parts: TurnParts) {
    this.parts = parts;
  }

  /** Tells onlookers of it, too. */
  started(): void {
    const { live, seed, namedAtMs, speech, had } = this.parts;
    const { service, ignored } = this.parts.served.now();
    const { id, settings, runtime } = live;
    const firstAudioMs = runtime.clock.now() - namedAtMs;
    const received = speech.received();
    // Behind turns of one's own the wait is theirs.
    if (live.turnsBefore === 0 && had === undefined) runtime.metrics.firstAudio(firstAudioMs);
    const timings = { queueMs: wholeMs(speech.queueMs()), upstreamTtfbMs: wholeMs(speech.ttfbMs()) };
    const started: EventOf<'started'> = {
      type: 'started',
      turn: id,
      format: settings.format,
      sampleRate: speech.sampleRate(),
      seed,
      ...(received.format === 'mp3' ? {} : { received }),
      ...(service === undefined ? {} : { upstream: service }),
      ...(ignored.length === 0 ? {} : { ignored: [...ignored] }),
      timings: { ...timings, firstAudioMs: wholeMs(firstAudioMs) },
    };
    if (had?.isStarted !== true) live.outlet.say(started);
    live.audience.began(new LivePlayback(this.parts), started);
  }
  /** Says before it what must come before the end, flushes and last words; and behind it, in time, the list of all words. */
  ended(outcome: Outcome): void {
    const { live, served, isUnpaced, script, speech, captions, flushes, progress, playout } = this.parts;
    const sentMs = playout.sentMs();
    this.endedAs = outcome;
    if (sentMs > 0 && sentMs >= speech.madeMs() - ROUNDING_MS && outcome !== 'cancelled') flushes.settleAll();
    // The last words of audio whose end was not known when it was sent.
    if (outcome === 'complete') captions.say(Number.POSITIVE_INFINITY);
    if (outcome === 'complete' && isUnpaced) progress.finish();
    live.runtime.metrics.turnEnded(outcome, sentMs, script.totalCodePoints());
    const receivedMs = playout.receivedMs();
    const audioMs = Math.max(speech.madeMs(), receivedMs);
    const [requests, resumes] = [speech.requests(), speech.resumes()];
    const cached = speech.isCached();
    const figures = {
      outcome,
      audioMs,
      sentMs: receivedMs,
      requests,
      resumes,
      cached,
      servedBy: servedByOf(speech.spokenBy(), served.now(), sentMs),
    };
    live.outlet.say(endedEvent(live.id, figures));
    // What is sent in a burst is sent before its words have been found.
    if (outcome === 'complete' && live.settings.wordList === 'final') void this.listWords();
  }
  /** `after`: `cancel` when its client cancelled it. */
  heard(after: 'cancel' | 'end'): void {
    const { live, script, playout, hearing, progress, times } = this.parts;
    const { playedMs: byNowMs, playedBy } = hearing.heard(live.runtime.clock.now());
    const committedMs = playedBy === 'clock' && after === 'cancel' ? live.outlet.committedMs() : undefined;
    const playedMs = Math.min(committedMs ?? byNowMs, playout.receivedMs());
    const isWhole = this.endedAs === 'complete' && playedMs >= playout.sentMs() - ROUNDING_MS;
    if (isWhole) progress.finish();
    const ownMs = times.toOwn(playedMs);
    const isGuess = !isWhole && playout.isMadeAgain();
    const text = isGuess ? script.guessHeardAt(ownMs) : script.heardAt(isWhole ? 'end' : ownMs);
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

/** Some 50 kB. */
const MAX_WORDS = 500;
/** Between two parts others have their turn, and the socket sends. */
const BETWEEN_MS = 20;
/** A client that takes nothing for a sixth of this is let go as one that does not read. */
const MAX_CONGESTION_MS = 60_000;

/** The bound is told of a whole part. */
const belongTogether = (a: TimedWord, b: TimedWord): boolean =>
  a.line === b.line && wholeBound(a) === wholeBound(b);
const wholeBound = ({ withinMs }: TimedWord): number => (withinMs === undefined ? -1 : Math.ceil(withinMs));

/** The parts, each made when it is wanted; one without words where there are none. `fromMs`: where their time begins in that of the turn. */
export function* wordListParts(
  turn: string,
  words: readonly TimedWord[],
  fromMs: number,
): Generator<EventOf<'words'>, void, undefined> {
  if (words.length === 0) yield { type: 'words', turn, line: 0, words: [], estimated: true, more: false };
  for (let from = 0; from < words.length; ) {
    let to = from + 1;
    while (to < words.length && to < from + MAX_WORDS && belongTogether(words[from]!, words[to]!)) to += 1;
    const [part] = captionEvents(turn, words.slice(from, to), fromMs);
    yield { ...part!, type: 'words', more: to < words.length };
    from = to;
  }
}

/** Resolves when all parts have been told, or nobody takes them. */
export async function tellWordList(
  parts: Iterable<EventOf<'words'>>,
  outlet: Pick<TurnOutlet, 'say' | 'isCongested'>,
  clock: Clock,
): Promise<void> {
  let isFirst = true;
  for (const part of parts) {
    if (!isFirst) await pause(BETWEEN_MS, clock);
    isFirst = false;
    const untilMs = clock.now() + MAX_CONGESTION_MS;
    while (outlet.isCongested()) {
      if (clock.now() >= untilMs) return;
      await pause(BETWEEN_MS, clock);
    }
    outlet.say(part);
  }
}
