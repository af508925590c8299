// Those who look on while one session speaks: they join, are served by a clock of their own, and leave. Made when the first
// one comes.

import type { Codecs } from '../../audio/transcoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EventOf, ServerEvent, ServerEventType } from '../../dialects/native-events.ts';
import { heardByClockMs } from '../../playout/pacer.ts';
import type { Player, PlayoutClock } from '../../playout/playout-clock.ts';
import type { OutgoingAudio } from '../session-outlet.ts';
import type { TurnSettings } from '../turn-settings.ts';
import { type Listener, OnlookerSound } from './onlooker-sound.ts';
import { type BegunTurn, type HeardEnd, type NumberedEvent, OnlookerWords } from './onlooker-words.ts';
import type { ChannelFormat } from './sound-channel.ts';

export type OnlookerLimits = {
  /** 0 lets none in. */
  readonly maxOnlookers: number;
  readonly maxOnlookersPerSession: number;
  /** Sound of the past that an observer that joins is given. */
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

export type OnlookerGroupOptions = {
  readonly onlookers: OnlookerRuntime;
  readonly codecs: Codecs;
  readonly clock: Clock;
  readonly log: Log;
  /** Turns that have begun and have not been heard. */
  readonly live: ReadonlyMap<string, BegunTurn>;
  /** When the session's first audio was heard; undefined while nothing was. */
  readonly sessionStartMs: () => number | undefined;
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
/** A reader whose connection was lost is back by then, and goes on at the same place. */
const LINGER_MS = 30_000;
const ROUNDING_MS = 1;
const RETRY_AFTER_MS = 5000;

export class OnlookerGroup implements Player {
  private readonly options: OnlookerGroupOptions;
  private readonly eventReaders = new Set<EventReader>();
  private readonly cueReaders = new Set<CueReader>();
  private readonly words: OnlookerWords;
  private readonly sound: OnlookerSound;
  private reading: 'on' | 'off' = 'off';
  private readUntilMs = Number.POSITIVE_INFINITY;

  constructor(options: OnlookerGroupOptions) {
    const { onlookers, codecs, clock, log, sessionStartMs } = options;
    this.options = options;
    this.words = new OnlookerWords({
      sessionStartMs,
      onEvent: (event) => {
        for (const reader of this.eventReaders) reader.send(event);
      },
      onCues: (cues) => {
        for (const reader of this.cueReaders) reader.send(cues);
      },
    });
    this.sound = new OnlookerSound(codecs, onlookers.limits.onlookerJoinMs, log, clock);
  }

  onlookers(): number {
    return this.eventReaders.size + this.cueReaders.size + this.sound.listeners();
  }
  readEvents(reader: EventReader, lastId: number | undefined): () => void {
    return this.read(this.eventReaders, reader, () => {
      for (const event of this.words.eventsSince(lastId)) reader.send(event);
    });
  }
  readCues(reader: CueReader): () => void {
    return this.read(this.cueReaders, reader, () => {
      if (this.words.cues().length > 0) reader.send(this.words.cues());
    });
  }
  listen(output: ChannelFormat, listener: Listener): () => void {
    const { sound } = this;
    const { onlookers, clock, live } = this.options;
    this.checkRoom();
    const nowMs = clock.now();
    const isFirst = sound.listeners() === 0;
    const leaveSound = sound.listen(output, listener, nowMs);
    onlookers.count.open += 1;
    if (isFirst)
      for (const { playback } of live.values())
        sound.follow(playback, Math.max(0, nowMs - playback.position(nowMs).anchorMs));
    onlookers.ticks.join(this);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      leaveSound();
      onlookers.count.open -= 1;
    };
  }

  wantsRecording(settings: TurnSettings): boolean {
    return this.sound.wantsRecording(settings);
  }
  began(turn: BegunTurn, nowMs: number): void {
    if (this.reading === 'on') this.words.follow(turn, nowMs);
    if (this.sound.listeners() > 0) this.sound.follow(turn.playback, 0);
  }
  said(event: ServerEvent): void {
    if (this.reading === 'on' && TOLD.has(event.type)) this.words.said(event);
  }
  sent(audio: OutgoingAudio): void {
    if (this.sound.listeners() > 0) this.sound.sent(audio);
  }
  /** The session tells how far its listener has heard the turn. */
  heard(event: EventOf<'heard'>, { playback }: BegunTurn): void {
    const nowMs = this.options.clock.now();
    const { anchorMs, sentMs } = playback.position(nowMs);
    const isWhole = event.playedMs >= sentMs - ROUNDING_MS;
    this.cut(
      event.turn,
      isWhole
        ? { reach: 'whole', finalMs: sentMs }
        : { reach: 'cut', finalMs: heardByClockMs(anchorMs, sentMs, nowMs) },
    );
    if (this.reading === 'on') this.words.tick(nowMs);
  }
  /** The turn is heard no further than this. */
  cut(turn: string, end: HeardEnd): void {
    this.words.cut(turn, end);
    this.sound.cut(turn, end.finalMs);
  }
  close(): void {
    this.options.onlookers.ticks.leave(this);
    this.words.flush();
    this.shutAll(undefined);
  }

  dueMs(): number {
    return Number.NEGATIVE_INFINITY;
  }
  sendDue(nowMs: number): void {
    const { onlookers, log } = this.options;
    try {
      this.sound.tick(nowMs);
      if (this.reading === 'on') this.words.tick(nowMs);
    } catch (fault) {
      log.error('the onlookers of a session failed', { cause: String(fault) });
      this.shutAll(
        new AppError('internal', 'Watching this session failed inside the gateway; open the request again.'),
      );
    }
    if (nowMs >= this.readUntilMs) this.stopReading();
    if (this.reading === 'off' && this.sound.listeners() === 0) onlookers.ticks.leave(this);
  }
  wantsRefill(): boolean {
    return false;
  }
  refill(): void {}

  private checkRoom(): void {
    const { limits, count } = this.options.onlookers;
    if (this.onlookers() >= limits.maxOnlookersPerSession) {
      const message = `This session has ${limits.maxOnlookersPerSession} onlookers already, the most allowed.`;
      throw new AppError('connection_limit', message, { retryAfterMs: RETRY_AFTER_MS });
    }
    if (count.open >= limits.maxOnlookers)
      throw new AppError('busy', 'The gateway has as many onlookers as it may.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
  }
  private read<R>(readers: Set<R>, reader: R, welcome: () => void): () => void {
    const { onlookers, clock, live } = this.options;
    this.checkRoom();
    onlookers.count.open += 1;
    this.readUntilMs = Number.POSITIVE_INFINITY;
    if (this.reading === 'off') {
      this.reading = 'on';
      for (const turn of live.values()) this.words.follow(turn, clock.now());
    }
    welcome();
    readers.add(reader);
    onlookers.ticks.join(this);
    return () => {
      if (!readers.delete(reader)) return;
      onlookers.count.open -= 1;
      if (this.eventReaders.size + this.cueReaders.size === 0) this.readUntilMs = clock.now() + LINGER_MS;
    };
  }
  private stopReading(): void {
    this.reading = 'off';
    this.words.end();
  }
  private shutAll(error: AppError | undefined): void {
    this.sound.close(error);
    for (const reader of [...this.eventReaders, ...this.cueReaders]) reader.close(error);
    this.stopReading();
  }
}
