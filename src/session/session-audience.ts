// Those who look on while one session speaks. They follow what its listener hears, by the clock and never ahead of what he
// has been sent; they cost nothing while there are none, never hold anything up, and go when the session ends. Their clock
// is one of their own, so that no frame of the listener leaves at another time because of them.

import type { Codecs } from '../audio/transcoder.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { EventOf, ServerEvent, ServerEventType } from '../dialects/native-events.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import { createOnlookerSound, type Listener } from './onlooker-sound.ts';
import { type BegunTurn, createOnlookerWords, type HeardEnd, type NumberedEvent } from './onlooker-words.ts';
import type { OutgoingAudio } from './session-outlet.ts';
import type { ChannelFormat } from './sound-channel.ts';
import type { TurnAudience } from './turn-programme.ts';

export type OnlookerLimits = {
  /** 0 lets none in. */
  readonly maxOnlookers: number;
  readonly maxOnlookersPerSession: number;
  /** Sound of the past that whoever joins is given. */
  readonly onlookerJoinMs: number;
};

/** What all sessions share for their onlookers. */
export type OnlookerRuntime = {
  /** Its ticks are theirs alone. */
  readonly ticks: PlayoutClock;
  readonly limits: OnlookerLimits;
  /** Of all sessions. */
  readonly count: { open: number };
};

export type OnlookerEnd = { readonly close: (error: AppError | undefined) => void };
export type EventReader = OnlookerEnd & { readonly send: (event: NumberedEvent) => void };
export type CueReader = OnlookerEnd & { readonly send: (cues: readonly string[]) => void };

/** Each joins, is sent what it has missed, and answers with the way out. Throws `connection_limit` or `busy`. */
export type Onlookers = {
  onlookers(): number;
  readEvents(reader: EventReader, lastId: number | undefined): () => void;
  readCues(reader: CueReader): () => void;
  listen(output: ChannelFormat, listener: Listener): () => void;
};

export type SessionAudience = Onlookers &
  TurnAudience & {
    /** The session says something to its client. */
    said(event: ServerEvent): void;
    sent(audio: OutgoingAudio): void;
    /** The turn broke and says nothing more. */
    lost(turn: string): void;
    close(): void;
  };

export type SessionAudienceOptions = {
  readonly onlookers: OnlookerRuntime;
  readonly codecs: Codecs;
  readonly clock: Clock;
  readonly log: Log;
};

/** What is told of turns beside their words, and nothing that was said to the session in confidence. */
const TOLD: ReadonlySet<ServerEventType> = new Set<ServerEventType>([
  'underrun',
  'ended',
  'heard',
  'paused',
  'resumed',
  'sought',
  'progress',
]);
/** A reader who lost his connection is back by then, and goes on where he was. */
const LINGER_MS = 30_000;
const ROUNDING_MS = 1;
const RETRY_AFTER_MS = 5000;

export function createSessionAudience(options: SessionAudienceOptions): SessionAudience {
  const { onlookers: shared, clock, log } = options;
  const { limits, count, ticks } = shared;
  const eventReaders = new Set<EventReader>();
  const cueReaders = new Set<CueReader>();
  /** Turns that have begun and have not been heard. */
  const live = new Map<string, BegunTurn>();
  let started: EventOf<'started'> | undefined;
  let sessionStartMs: number | undefined;
  let reading: 'on' | 'off' = 'off';
  let readUntilMs = Number.POSITIVE_INFINITY;
  let phase: 'open' | 'closed' = 'open';

  const words = createOnlookerWords({
    sessionStartMs: () => sessionStartMs,
    onEvent: (event) => {
      for (const reader of eventReaders) reader.send(event);
    },
    onCues: (cues) => {
      for (const reader of cueReaders) reader.send(cues);
    },
  });
  const sound = createOnlookerSound(options.codecs, limits.onlookerJoinMs, log, clock);
  const onlookers = () => eventReaders.size + cueReaders.size + sound.listeners();

  const stopReading = () => {
    reading = 'off';
    words.end();
  };
  const shutAll = (error: AppError | undefined) => {
    sound.close(error);
    for (const reader of [...eventReaders, ...cueReaders]) reader.close(error);
    stopReading();
  };
  const player = {
    dueMs: () => Number.NEGATIVE_INFINITY,
    wantsRefill: () => false,
    refill() {},
    sendDue(nowMs: number) {
      try {
        sound.tick(nowMs);
        if (reading === 'on') words.tick(nowMs);
      } catch (fault) {
        log.error('the onlookers of a session failed', { cause: String(fault) });
        shutAll(new AppError('internal', 'Looking on failed inside; come again.'));
      }
      if (nowMs >= readUntilMs) stopReading();
      if (reading === 'off' && sound.listeners() === 0) ticks.leave(player);
    },
  };

  const enter = (): (() => void) => {
    if (phase === 'closed') throw new AppError('not_found', 'The session has ended.');
    if (onlookers() >= limits.maxOnlookersPerSession) {
      const message = `This session has ${limits.maxOnlookersPerSession} onlookers already, the most allowed.`;
      throw new AppError('connection_limit', message, { retryAfterMs: RETRY_AFTER_MS });
    }
    if (count.open >= limits.maxOnlookers)
      throw new AppError('busy', 'The gateway has as many onlookers as it may.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    return () => {
      count.open -= 1;
    };
  };
  const read = <R>(readers: Set<R>, reader: R, welcome: () => void): (() => void) => {
    const leave = enter();
    count.open += 1;
    readUntilMs = Number.POSITIVE_INFINITY;
    if (reading === 'off') {
      reading = 'on';
      for (const turn of live.values()) words.follow(turn, clock.now());
    }
    welcome();
    readers.add(reader);
    ticks.join(player);
    return () => {
      if (!readers.delete(reader)) return;
      leave();
      if (eventReaders.size + cueReaders.size === 0) readUntilMs = clock.now() + LINGER_MS;
    };
  };

  const end = (turn: string, reach: HeardEnd) => {
    live.delete(turn);
    words.cut(turn, reach);
    sound.cut(turn, reach.finalMs);
  };
  const heard = (event: EventOf<'heard'>) => {
    const of = live.get(event.turn);
    if (of === undefined) return;
    const nowMs = clock.now();
    const { anchorMs, sentMs } = of.programme.position(nowMs);
    const isWhole = event.playedMs >= sentMs - ROUNDING_MS;
    end(
      event.turn,
      isWhole
        ? { reach: 'whole', finalMs: sentMs }
        : { reach: 'cut', finalMs: Math.max(0, Math.min(sentMs, nowMs - anchorMs)) },
    );
    if (reading === 'on') words.tick(nowMs);
  };

  return {
    onlookers,
    readEvents: (reader, lastId) =>
      read(eventReaders, reader, () => words.eventsSince(lastId).forEach(reader.send)),
    readCues: (reader) =>
      read(cueReaders, reader, () => {
        if (words.cues().length > 0) reader.send(words.cues());
      }),
    listen(output, listener) {
      const leave = enter();
      const nowMs = clock.now();
      const isFirst = sound.listeners() === 0;
      const leaveSound = sound.listen(output, listener, nowMs);
      count.open += 1;
      if (isFirst)
        for (const { programme } of live.values())
          sound.follow(programme, Math.max(0, nowMs - programme.position(nowMs).anchorMs));
      ticks.join(player);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        leaveSound();
        leave();
      };
    },
    wantsTape: (settings) => sound.wantsTape(settings),
    began(programme) {
      const nowMs = clock.now();
      sessionStartMs ??= programme.position(nowMs).anchorMs;
      const turn = { programme, started: started! };
      live.set(programme.turn, turn);
      if (reading === 'on') words.follow(turn, nowMs);
      if (sound.listeners() > 0) sound.follow(programme, 0);
    },
    said(event) {
      if (event.type === 'started') started = event;
      if (event.type === 'heard') heard(event);
      if (reading === 'on' && TOLD.has(event.type)) words.said(event);
    },
    sent(audio) {
      if (sound.listeners() > 0) sound.sent(audio);
    },
    lost: (turn) => end(turn, { reach: 'cut', finalMs: 0 }),
    close() {
      if (phase === 'closed') return;
      phase = 'closed';
      ticks.leave(player);
      shutAll(undefined);
      live.clear();
    },
  };
}
