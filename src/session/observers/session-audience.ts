// Those who look on while one session speaks. They follow what its listener hears, by the clock and never ahead of what
// has been sent to that listener; they cost nothing while there are none, never hold anything up, and go when the session
// ends. Their clock is one of their own, so that no frame of the listener leaves at another time because of them.

import type { Codecs } from '../../audio/transcoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import { heardByClockMs } from '../../playout/pacer.ts';
import type { OutgoingAudio } from '../session-outlet.ts';
import type { TurnSettings } from '../turn-settings.ts';
import {
  type CueReader,
  type EventReader,
  OnlookerGroup,
  type OnlookerRuntime,
  type Onlookers,
} from './onlooker-group.ts';
import type { Listener } from './onlooker-sound.ts';
import type { BegunTurn } from './onlooker-words.ts';
import type { ChannelFormat } from './sound-channel.ts';
import type { TurnAudience, TurnPlayback } from './turn-playback.ts';

export type { OnlookerLimits, OnlookerRuntime, Onlookers } from './onlooker-group.ts';

export type SessionAudienceOptions = {
  readonly onlookers: OnlookerRuntime;
  readonly codecs: Codecs;
  readonly clock: Clock;
  readonly log: Log;
};

/** Nearly no session is looked at: what only onlookers need is made when the first of them comes. */
export class SessionAudience implements Onlookers, TurnAudience {
  private readonly options: SessionAudienceOptions;
  /** Turns that have begun and have not been heard. */
  private readonly live = new Map<string, BegunTurn>();
  private sessionStartMs: number | undefined;
  private group: OnlookerGroup | undefined;
  private phase: 'open' | 'closed' = 'open';

  constructor(options: SessionAudienceOptions) {
    this.options = options;
  }

  onlookers(): number {
    return this.group?.onlookers() ?? 0;
  }
  readEvents(reader: EventReader, lastId: number | undefined): () => void {
    return this.gather().readEvents(reader, lastId);
  }
  readCues(reader: CueReader): () => void {
    return this.gather().readCues(reader);
  }
  listen(output: ChannelFormat, listener: Listener): () => void {
    return this.gather().listen(output, listener);
  }
  wantsRecording(settings: TurnSettings): boolean {
    return this.group?.wantsRecording(settings) ?? false;
  }
  began(playback: TurnPlayback, started: EventOf<'started'>): void {
    const nowMs = this.options.clock.now();
    this.sessionStartMs ??= playback.position(nowMs).anchorMs;
    const turn = { playback, started };
    this.live.set(playback.turn, turn);
    this.group?.began(turn, nowMs);
  }
  /** The session says something to its client. */
  said(event: ServerEvent): void {
    if (event.type === 'heard') this.heard(event);
    this.group?.said(event);
  }
  sent(audio: OutgoingAudio): void {
    this.group?.sent(audio);
  }
  /** The turn broke and says nothing more. */
  lost(turn: string): void {
    this.live.delete(turn);
    this.group?.cut(turn, { reach: 'cut', finalMs: 0 });
  }
  /** The listener is given these in place of all others that are being heard: onlookers leave the others where they are. */
  followOnly(isFollowed: (turn: string) => boolean): void {
    const nowMs = this.options.clock.now();
    for (const [turn, { playback }] of this.live) {
      if (isFollowed(turn)) continue;
      const { anchorMs, sentMs } = playback.position(nowMs);
      this.live.delete(turn);
      this.group?.cut(turn, {
        reach: 'cut',
        finalMs: heardByClockMs(anchorMs, sentMs, nowMs),
      });
    }
  }
  close(): void {
    if (this.phase === 'closed') return;
    this.phase = 'closed';
    this.group?.close();
    this.live.clear();
  }

  private heard(event: EventOf<'heard'>): void {
    const turn = this.live.get(event.turn);
    if (turn === undefined) return;
    this.live.delete(event.turn);
    this.group?.heard(event, turn);
  }
  private gather(): OnlookerGroup {
    if (this.phase === 'closed') throw new AppError('not_found', 'The session has ended.');
    const { onlookers, codecs, clock, log } = this.options;
    this.group ??= new OnlookerGroup({
      onlookers,
      codecs,
      clock,
      log,
      live: this.live,
      sessionStartMs: () => this.sessionStartMs,
    });
    return this.group;
  }
}
