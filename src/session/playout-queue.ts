// Turns that are heard one after another, and what they share: their line, their place among those who speak, their room
// at the speech service. A session has one such queue; one whose protocol has contexts has one for each (playout-queues.ts).

import type { EventOf } from '../dialects/native-events.ts';
import type { SessionPlace } from './admission-control.ts';
import type { SessionAudience } from './observers/session-audience.ts';
import type { TurnAudience, TurnPlayback } from './observers/turn-playback.ts';
import type { LiveTurn } from './turn/live-turn.ts';
import { TurnLine, type TurnLineOptions } from './turn/turn-line.ts';
import type { Speaker } from './turn/turn-work.ts';
import type { TurnSettings } from './turn-settings.ts';

export type PlayoutQueueOptions = Omit<TurnLineOptions, 'onEnded' | 'onBroken'> & {
  readonly place: SessionPlace;
  /** Of its requests: the speech service is asked for so many at a time for each `session` of a speaker. */
  readonly speaker: Speaker;
  readonly audience: Pick<SessionAudience, 'began' | 'wantsRecording'>;
  readonly onEnded: (turn: LiveTurn) => void;
  readonly onBroken: (turn: LiveTurn, fault: unknown) => void;
  /** Compressed audio that a turn of it may keep, given what the turn keeps now. */
  readonly spoolCapacityBytes: (chargedBytes: number) => number;
};

/** It is what its turns tell of themselves, so that each turn has no object of its own for that. */
export class PlayoutQueue implements TurnAudience {
  readonly line: TurnLine;
  readonly place: SessionPlace;
  readonly speaker: Speaker;
  readonly spoolCapacityBytes: (chargedBytes: number) => number;
  private readonly audience: PlayoutQueueOptions['audience'];

  constructor(options: PlayoutQueueOptions) {
    const { place, speaker, audience, onEnded, onBroken, spoolCapacityBytes } = options;
    this.place = place;
    this.speaker = speaker;
    this.audience = audience;
    this.spoolCapacityBytes = spoolCapacityBytes;
    this.line = new TurnLine({
      ...options,
      onEnded: (turn) => {
        onEnded(turn);
        this.leaveIfSilent();
      },
      onBroken: (turn, fault) => {
        this.leaveIfSilent();
        onBroken(turn, fault);
      },
    });
  }

  began(playback: TurnPlayback, started: EventOf<'started'>): void {
    this.place.began();
    this.audience.began(playback, started);
  }
  wantsRecording(settings: TurnSettings): boolean {
    return this.audience.wantsRecording(settings);
  }
  /** The session's only one has every name. */
  queueFor(_name: string): PlayoutQueue {
    return this;
  }
  isSpeaking(): boolean {
    return this.line.unended().length > 0;
  }
  close(): void {
    this.line.close();
    this.place.leave();
  }

  private leaveIfSilent(): void {
    if (!this.isSpeaking()) this.place.leave();
  }
}
