// What a session says, to its client and to all who follow it: its leg, its onlookers. And what one of its turns says and
// sends, wherever it is played.

import type { ServerEvent } from '../dialects/native-events.ts';
import type { SessionAudience } from './observers/session-audience.ts';
import type { PlayerOutlet, SessionLeg } from './session-leg.ts';
import type { OutgoingAudio, SessionOutlet, TurnOutlet } from './session-outlet.ts';

export type SessionVoice = Pick<SessionOutlet, 'say' | 'cork' | 'uncork'>;

export type SessionVoiceOptions = {
  readonly client: SessionOutlet;
  readonly leg: SessionLeg;
  readonly audience: SessionAudience;
};

class VoiceOfSession implements SessionVoice {
  private readonly options: SessionVoiceOptions;
  /** Properties, for every turn of the session has them as its own. */
  readonly say: SessionVoice['say'];
  readonly cork: () => void;
  readonly uncork: () => void;

  constructor(options: SessionVoiceOptions) {
    const { client, leg } = options;
    this.options = options;
    this.say = (event) => this.tell(event);
    this.cork = () => {
      client.cork();
      leg.cork();
    };
    this.uncork = () => {
      client.uncork();
      leg.uncork();
    };
  }

  private tell(event: ServerEvent): void {
    const { client, leg, audience } = this.options;
    client.say(event);
    leg.said(event);
    audience.said(event);
  }
}

export const createSessionVoice = (options: SessionVoiceOptions): SessionVoice => new VoiceOfSession(options);

export type TurnVoiceOptions = {
  readonly voice: SessionVoice;
  /** Whoever plays the turn. */
  readonly player: PlayerOutlet;
  readonly audience: Pick<SessionAudience, 'sent'>;
  readonly onReady: () => void;
  readonly onFrame: () => void;
};

/** One object for each turn, and not a closure of its own: what it holds is its session's or its player's. */
class VoiceOfTurn implements TurnOutlet {
  private readonly player: PlayerOutlet;
  private readonly audience: Pick<SessionAudience, 'sent'>;
  readonly say: TurnOutlet['say'];
  readonly cork: () => void;
  readonly uncork: () => void;
  readonly isCongested: () => boolean;
  readonly reports: TurnOutlet['reports'];
  readonly committedMs: TurnOutlet['committedMs'];
  readonly takeBack: TurnOutlet['takeBack'];
  readonly onReady: () => void;
  readonly onFrame: () => void;

  constructor({ voice, player, audience, onReady, onFrame }: TurnVoiceOptions) {
    this.player = player;
    this.audience = audience;
    this.say = voice.say;
    this.cork = voice.cork;
    this.uncork = voice.uncork;
    this.isCongested = player.isCongested;
    this.reports = player.reports;
    this.committedMs = player.committedMs;
    this.takeBack = player.takeBack;
    this.onReady = onReady;
    this.onFrame = onFrame;
  }

  sendAudio(audio: OutgoingAudio): void {
    this.player.sendAudio(audio);
    this.audience.sent(audio);
  }
}

export const createTurnVoice = (options: TurnVoiceOptions): TurnOutlet => new VoiceOfTurn(options);
