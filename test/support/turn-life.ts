// Watches all that leaves a session and throws at the first thing that breaks the life of a turn id: the order of
// started, audio, ended and heard, marks, captions and the text that was heard. It knows only what a client knows.

import type { EventOf } from '../../src/dialects/native-events.ts';
import type { LogEntry } from './live-session.ts';

export type WatchedTurn = {
  readonly id: string;
  /** What the client has said of it: one line for text, several for dialogue. */
  lines: string[];
  phase: 'named' | 'started' | 'ended' | 'heard';
  ended: EventOf<'ended'> | undefined;
  sentSamples: number;
  nextSeq: number;
  flushesOwed: number;
  marksOwed: string[];
  queuedBehind: number;
  lastWord: { readonly line: number; readonly charEnd: number; readonly startMs: number };
};

export type TurnLife = {
  readonly turns: ReadonlyMap<string, WatchedTurn>;
  readonly unended: readonly WatchedTurn[];
  /** The client names a turn that the gateway should take or refuse with `error`, `ended`. */
  name(id: string, lines: readonly string[]): WatchedTurn;
  see(entry: LogEntry): void;
  /** Nothing may be owed any more. */
  finish(): void;
};

const slice = (text: string, from: number, to: number) => [...text].slice(from, to).join('');
const bare = (text: string) => text.replace(/\s+/g, '');

export function watchTurns(samplesPerMs: number): TurnLife {
  const turns = new Map<string, WatchedTurn>();
  let playing: WatchedTurn | undefined;
  let lastError: EventOf<'error'> | undefined;
  let previousWas: LogEntry | undefined;

  const wrong = (what: string): never => {
    throw new Error(`broken life of a turn: ${what}`);
  };
  const find = (id: string) => turns.get(id) ?? wrong(`${id} was never named`);
  const sentMs = (turn: WatchedTurn) => turn.sentSamples / samplesPerMs;

  const seeCaption = (turn: WatchedTurn, { line, words }: EventOf<'caption'>) => {
    if (turn !== playing) wrong('a caption outside its turn');
    if (words.length === 0) wrong('a caption without words');
    for (const word of words) {
      const last = turn.lastWord;
      const text = turn.lines[line] ?? wrong('a caption of a line that is not there');
      if (line < last.line || (line === last.line && word.charStart < last.charEnd))
        wrong('words out of order');
      if (word.startMs < last.startMs) wrong(`a word at ${word.startMs} after one at ${last.startMs}`);
      if (word.endMs < word.startMs) wrong('a word that ends before it begins');
      if (word.startMs + 1 < sentMs(turn))
        wrong(`a word at ${word.startMs} when ${sentMs(turn)} had been sent`);
      if (slice(text, word.charStart, word.charEnd) !== word.text) wrong(`${word.text} is not at its place`);
      turn.lastWord = { line, charEnd: word.charEnd, startMs: word.startMs };
    }
  };
  const seeEnded = (turn: WatchedTurn, event: EventOf<'ended'>) => {
    if (turn.ended !== undefined) wrong('a second ended');
    const isStarted = turn.phase === 'started';
    if (isStarted && turn !== playing) wrong('ended out of its time');
    if (Math.abs(event.sentMs - sentMs(turn)) > 1)
      wrong(`sentMs ${event.sentMs}, but ${sentMs(turn)} were sent`);
    if (event.sentMs > event.audioMs) wrong('more was sent than made');
    if (event.outcome === 'failed' || event.outcome === 'truncated') {
      if (lastError?.turn !== turn.id) wrong(`${event.outcome} without an error before it`);
    }
    if (
      isStarted !== (event.outcome === 'complete' || event.outcome === 'truncated') &&
      event.outcome !== 'cancelled'
    )
      wrong(`${event.outcome} although ${isStarted ? 'started' : 'never started'}`);
    if (event.outcome === 'complete' && turn.flushesOwed > 0) wrong('a flush was not answered');
    turn.ended = event;
    turn.phase = 'ended';
    if (isStarted) playing = undefined;
  };
  const seeHeard = (turn: WatchedTurn, event: EventOf<'heard'>) => {
    if (turn.phase !== 'ended') wrong(`heard when ${turn.phase}`);
    if (turn.nextSeq === 0) wrong('heard without audio');
    if (event.playedMs > turn.ended!.sentMs) wrong(`${event.playedMs} heard of ${turn.ended!.sentMs} sent`);
    const whole = turn.lines.join('\n');
    if (bare(event.spokenText + event.remainingText) !== bare(whole)) wrong('heard text is not the text');
    if (
      turn.ended!.outcome === 'complete' &&
      event.playedMs === turn.ended!.sentMs &&
      event.remainingText !== ''
    )
      wrong(`${JSON.stringify(event.remainingText)} remains of a turn that was heard to its end`);
    turn.phase = 'heard';
  };
  const seeStarted = (turn: WatchedTurn) => {
    if (turn.phase !== 'named') wrong(`started when ${turn.phase}`);
    if (playing !== undefined) wrong(`${turn.id} started before ${playing.id} had ended`);
    for (const earlier of turns.values()) {
      if (earlier === turn) break;
      if (earlier.ended === undefined) wrong(`${turn.id} overtook ${earlier.id}`);
    }
    turn.phase = 'started';
    playing = turn;
  };
  const seeAudio = (turn: WatchedTurn, bytes: number, seq: number) => {
    if (turn !== playing) wrong(`audio of ${turn.id} when ${playing?.id ?? 'none'} plays`);
    if (seq !== turn.nextSeq) wrong(`seq ${seq} after ${turn.nextSeq - 1}`);
    turn.nextSeq += 1;
    turn.sentSamples += bytes;
  };
  const seeMark = (turn: WatchedTurn, { name, outcome }: EventOf<'mark'>) => {
    const at = turn.marksOwed.indexOf(name);
    if (at !== 0) wrong(at < 0 ? `mark ${name} was not asked` : `mark ${name} before ${turn.marksOwed[0]}`);
    turn.marksOwed.shift();
    if (outcome === 'played' && turn.ended?.outcome === 'cancelled' && turn.nextSeq === 0)
      wrong('played although nothing was sent');
  };

  return {
    turns,
    get unended() {
      return [...turns.values()].filter((turn) => turn.ended === undefined);
    },
    name(id, lines) {
      const turn: WatchedTurn = {
        id,
        lines: [...lines],
        phase: 'named',
        ended: undefined,
        sentSamples: 0,
        nextSeq: 0,
        flushesOwed: 0,
        marksOwed: [],
        queuedBehind: 0,
        lastWord: { line: 0, charEnd: 0, startMs: 0 },
      };
      turns.set(id, turn);
      return turn;
    },
    see(entry) {
      if ('audio' in entry) {
        const { turn, bytes, seq } = entry.audio;
        seeAudio(find(turn), bytes.length, seq);
      } else {
        const { event } = entry;
        if (previousWas !== undefined && 'event' in previousWas && previousWas.event.type === 'started') {
          if (event.type !== 'caption') wrong(`${event.type} between started and its audio`);
        }
        if (event.type === 'error') lastError = event;
        else if (event.type === 'started') seeStarted(find(event.turn));
        else if (event.type === 'ended') seeEnded(find(event.turn), event);
        else if (event.type === 'heard') seeHeard(find(event.turn), event);
        else if (event.type === 'caption') seeCaption(find(event.turn), event);
        else if (event.type === 'mark') seeMark(find(event.turn), event);
        else if (event.type === 'underrun') {
          if (find(event.turn) !== playing) wrong('an underrun outside its turn');
        } else if (event.type === 'flushed') {
          const turn = find(event.turn);
          if (turn.ended !== undefined) wrong('flushed after ended');
          if (--turn.flushesOwed < 0) wrong('flushed without a flush');
        } else if (event.type === 'queued') {
          const turn = find(event.turn);
          const isBegun = event.atMs !== undefined;
          if (turn.phase !== (isBegun ? 'started' : 'named')) wrong(`queued when ${turn.phase}`);
          if (isBegun && event.reason !== 'quota') wrong(`queued for ${event.reason} when it had begun`);
          if (event.reason === 'previous-turn' && ++turn.queuedBehind > 1) wrong('queued twice');
        }
      }
      previousWas = 'event' in entry && entry.event.type === 'caption' ? previousWas : entry;
    },
    finish() {
      for (const turn of turns.values()) {
        if (turn.ended === undefined) wrong(`${turn.id} never ended`);
        if (turn.nextSeq > 0 && turn.phase !== 'heard') wrong(`${turn.id} was never told to be heard`);
        if (turn.marksOwed.length > 0) wrong(`marks of ${turn.id} are owed`);
      }
    },
  };
}
