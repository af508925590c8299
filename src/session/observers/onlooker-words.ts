// The words of one session for its onlookers, told shortly before the listener hears them: as events, numbered so that
// a reader whose connection was lost goes on at the same place, and as WebVTT. Nothing is read or kept while nobody watches.

import { GrowingVtt } from '../../captions/growing-vtt.ts';
import type { TimedWord, WordReader } from '../../captions/word-timeline.ts';
import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import { captionEvents } from '../turn/turn-messages.ts';
import type { TurnPlayback } from './turn-playback.ts';

export type NumberedEvent = { readonly id: number; readonly event: ServerEvent };

/** A turn that has begun to be heard. */
export type BegunTurn = { readonly playback: TurnPlayback; readonly started: EventOf<'started'> };

/** How far a turn is heard at last: to the end of all its words, or only so far. */
export type HeardEnd = { readonly reach: 'whole' | 'cut'; readonly finalMs: number };

export type OnlookerWordsOptions = {
  /** When the session's first audio was heard; undefined while nothing was. */
  readonly sessionStartMs: () => number | undefined;
  readonly onEvent: (numbered: NumberedEvent) => void;
  readonly onCues: (cues: readonly string[]) => void;
};

type Followed = {
  readonly playback: TurnPlayback;
  readonly words: WordReader;
  end: HeardEnd;
};

const NOT_YET: HeardEnd = { reach: 'whole', finalMs: Number.POSITIVE_INFINITY };

/** A reader needs a moment to find the word that is said. */
const AHEAD_MS = 250;
const MAX_EVENTS = 256;
const MAX_CUES = 256;
/** An observer that comes late reads back so far in the turn that is heard. */
const MAX_PAST_WORDS = 100;

const nameOf = (speaker: 1 | 2 | undefined) => (speaker === undefined ? undefined : `Speaker ${speaker}`);

export class OnlookerWords {
  private readonly options: OnlookerWordsOptions;
  private readonly followed = new Map<string, Followed>();
  private lastId = 0;
  private events: NumberedEvent[] = [];
  private keptCues: string[] = [];
  private vtt: GrowingVtt = new GrowingVtt();

  constructor(options: OnlookerWordsOptions) {
    this.options = options;
  }

  /** The session is over: what is held is written. */
  flush(): void {
    this.write(this.vtt.close());
  }
  /** Forgets all that it kept. */
  end(): void {
    this.followed.clear();
    this.events = [];
    this.keptCues = [];
    this.vtt = new GrowingVtt();
  }
  follow({ playback, started }: BegunTurn, nowMs: number): void {
    const turn = { playback, words: playback.readWords(), end: NOT_YET };
    this.followed.set(playback.turn, turn);
    this.said(started);
    this.tell(turn, readOn(turn, nowMs).slice(-MAX_PAST_WORDS), nowMs);
  }
  cut(id: string, end: HeardEnd): void {
    const turn = this.followed.get(id);
    if (turn !== undefined) turn.end = end;
  }
  said(event: ServerEvent): void {
    this.lastId += 1;
    const numbered = { id: this.lastId, event };
    this.events.push(numbered);
    if (this.events.length > MAX_EVENTS) this.events.shift();
    this.options.onEvent(numbered);
  }
  tick(nowMs: number): void {
    for (const turn of [...this.followed.values()]) {
      this.tell(turn, readOn(turn, nowMs), nowMs);
      if (isOver(turn, nowMs)) this.leave(turn, nowMs);
    }
    const sessionStartMs = this.options.sessionStartMs();
    if (sessionStartMs !== undefined) this.write(this.vtt.pass(nowMs - sessionStartMs));
  }
  /** Events behind `lastId`, if all of them are kept; else those of the turn that is heard. */
  eventsSince(id: number | undefined): readonly NumberedEvent[] {
    const { events, lastId } = this;
    const first = events[0]?.id ?? lastId + 1;
    if (id !== undefined && id >= first - 1 && id <= lastId) return events.filter((one) => one.id > id);
    const started = events.findLastIndex(({ event }) => event.type === 'started');
    return started < 0 || this.followed.size === 0 ? [] : events.slice(started);
  }
  /** Cues that are kept. */
  cues(): readonly string[] {
    return this.keptCues;
  }

  private write(written: readonly string[]): void {
    if (written.length === 0) return;
    this.keptCues = [...this.keptCues, ...written].slice(-MAX_CUES);
    this.options.onCues(written);
  }
  private tell(turn: Followed, words: readonly TimedWord[], nowMs: number): void {
    if (words.length === 0) return;
    const { playback } = turn;
    for (const caption of captionEvents(playback.turn, words, 0)) this.said(caption);
    const offsetMs = this.offsetMs(turn, nowMs);
    const toSession = (ownMs: number) => Math.max(0, offsetMs + playback.toSentMs(ownMs));
    const inSession = (told: readonly TimedWord[]) =>
      told.map((word) => ({
        ...word,
        startMs: toSession(word.startMs),
        endMs: toSession(word.endMs),
      }));
    const again = (count: number) => inSession(turn.words.again(count));
    const language = playback.settings.synthesis.language ?? undefined;
    this.write(
      this.vtt.add(inSession(words), {
        turn: playback.turn,
        lines: playback.lines(),
        nameOf,
        language,
        again,
      }),
    );
  }
  private leave(turn: Followed, nowMs: number): void {
    const { playback, end } = turn;
    this.followed.delete(playback.turn);
    const heardMs = this.offsetMs(turn, nowMs) + end.finalMs;
    this.vtt.end(playback.turn, end.reach === 'whole' ? Number.POSITIVE_INFINITY : heardMs);
  }
  /** Where the turn's first audio lies in the time of the session. */
  private offsetMs({ playback }: Followed, nowMs: number): number {
    return playback.position(nowMs).anchorMs - (this.options.sessionStartMs() ?? 0);
  }
}

const readOn = (turn: Followed, nowMs: number): readonly TimedWord[] => {
  const { anchorMs, sentMs } = turn.playback.position(nowMs);
  const { reach, finalMs } = turn.end;
  // The last words of audio whose end was not known when it was sent.
  if (reach === 'whole' && isOver(turn, nowMs)) return turn.words.read(Number.POSITIVE_INFINITY);
  return turn.words.read(Math.min(nowMs - anchorMs + AHEAD_MS, sentMs, finalMs));
};
const isOver = ({ playback, end }: Followed, nowMs: number): boolean =>
  nowMs - playback.position(nowMs).anchorMs >= end.finalMs;
