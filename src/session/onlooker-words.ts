// The words of one session for its onlookers, told shortly before the listener hears them: as events, numbered so that
// whoever lost his connection goes on where he was, and as WebVTT. Nothing is read or kept while nobody watches.

import { createGrowingVtt, type GrowingVtt } from '../captions/growing-vtt.ts';
import type { TimedWord } from '../captions/word-timeline.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { captionEvents } from './turn-messages.ts';
import type { TurnProgramme } from './turn-programme.ts';

export type NumberedEvent = { readonly id: number; readonly event: ServerEvent };

/** A turn that has begun to be heard. */
export type BegunTurn = { readonly programme: TurnProgramme; readonly started: EventOf<'started'> };

/** How far a turn is heard at last: to the end of all its words, or only so far. */
export type HeardEnd = { readonly reach: 'whole' | 'cut'; readonly finalMs: number };

export type OnlookerWords = {
  /** Forgets all that it kept. */
  end(): void;
  follow(turn: BegunTurn, nowMs: number): void;
  cut(turn: string, end: HeardEnd): void;
  said(event: ServerEvent): void;
  tick(nowMs: number): void;
  /** Events behind `lastId`, if all of them are kept; else those of the turn that is heard. */
  eventsSince(lastId: number | undefined): readonly NumberedEvent[];
  /** Cues that are kept. */
  cues(): readonly string[];
};

export type OnlookerWordsOptions = {
  /** When the session's first audio was heard; undefined while nothing was. */
  readonly sessionStartMs: () => number | undefined;
  readonly onEvent: (numbered: NumberedEvent) => void;
  readonly onCues: (cues: readonly string[]) => void;
};

type Followed = {
  readonly programme: TurnProgramme;
  readonly read: (untilMs: number) => readonly TimedWord[];
  end: HeardEnd;
};

const NOT_YET: HeardEnd = { reach: 'whole', finalMs: Number.POSITIVE_INFINITY };

/** A reader needs a moment to find the word that is said. */
const AHEAD_MS = 250;
const MOST_EVENTS = 256;
const MOST_CUES = 256;
/** Whoever comes late reads back so far in the turn that is heard. */
const MOST_PAST_WORDS = 100;

const nameOf = (speaker: 1 | 2 | undefined) => (speaker === undefined ? undefined : `Speaker ${speaker}`);

export function createOnlookerWords(options: OnlookerWordsOptions): OnlookerWords {
  const followed = new Map<string, Followed>();
  let lastId = 0;
  let events: NumberedEvent[] = [];
  let cues: string[] = [];
  let vtt: GrowingVtt = createGrowingVtt();

  const record = (event: ServerEvent) => {
    lastId += 1;
    const numbered = { id: lastId, event };
    events.push(numbered);
    if (events.length > MOST_EVENTS) events.shift();
    options.onEvent(numbered);
  };
  const write = (written: readonly string[]) => {
    if (written.length === 0) return;
    cues = [...cues, ...written].slice(-MOST_CUES);
    options.onCues(written);
  };
  /** From a time of the turn's words to one of the session. */
  const onSession = ({ programme }: Followed, nowMs: number) => {
    const offsetMs = programme.position(nowMs).anchorMs - (options.sessionStartMs() ?? 0);
    return (ownMs: number) => Math.max(0, offsetMs + programme.toSentMs(ownMs));
  };
  const tell = (turn: Followed, words: readonly TimedWord[], nowMs: number) => {
    if (words.length === 0) return;
    const { programme } = turn;
    for (const caption of captionEvents(programme.turn, words, 0)) record(caption);
    const toSession = onSession(turn, nowMs);
    const timed = words.map((word) => ({
      ...word,
      startMs: toSession(word.startMs),
      endMs: toSession(word.endMs),
    }));
    write(vtt.add(timed, { lines: programme.lines(), nameOf }));
  };
  const readOn = (turn: Followed, nowMs: number): readonly TimedWord[] => {
    const { anchorMs, sentMs } = turn.programme.position(nowMs);
    const { reach, finalMs } = turn.end;
    // The last words of audio whose end was not known when it was sent.
    if (reach === 'whole' && isOver(turn, nowMs)) return turn.read(Number.POSITIVE_INFINITY);
    return turn.read(Math.min(nowMs - anchorMs + AHEAD_MS, sentMs, finalMs));
  };
  const isOver = ({ programme, end }: Followed, nowMs: number): boolean =>
    nowMs - programme.position(nowMs).anchorMs >= end.finalMs;
  const leave = (turn: Followed, nowMs: number) => {
    const { programme, end } = turn;
    followed.delete(programme.turn);
    const { anchorMs } = programme.position(nowMs);
    const heardMs = anchorMs - (options.sessionStartMs() ?? 0) + end.finalMs;
    write(vtt.end(end.reach === 'whole' ? Number.POSITIVE_INFINITY : heardMs));
  };

  return {
    end() {
      followed.clear();
      events = [];
      cues = [];
      vtt = createGrowingVtt();
    },
    follow({ programme, started }, nowMs) {
      const turn = { programme, read: programme.readWords(), end: NOT_YET };
      followed.set(programme.turn, turn);
      record(started);
      tell(turn, readOn(turn, nowMs).slice(-MOST_PAST_WORDS), nowMs);
    },
    cut(id, end) {
      const turn = followed.get(id);
      if (turn !== undefined) turn.end = end;
    },
    said: record,
    tick(nowMs) {
      for (const turn of [...followed.values()]) {
        tell(turn, readOn(turn, nowMs), nowMs);
        if (isOver(turn, nowMs)) leave(turn, nowMs);
      }
      const sessionStartMs = options.sessionStartMs();
      if (sessionStartMs !== undefined) write(vtt.pass(nowMs - sessionStartMs));
    },
    eventsSince(id) {
      const first = events[0]?.id ?? lastId + 1;
      if (id !== undefined && id >= first - 1 && id <= lastId) return events.filter((one) => one.id > id);
      const started = events.findLastIndex(({ event }) => event.type === 'started');
      return started < 0 || followed.size === 0 ? [] : events.slice(started);
    },
    cues: () => cues,
  };
}
