// The order of the way out, in one place. What a turn or its session says and sends passes, from left to right:
//
//   a frame    player (the client; or the leg, and a client that listens along) → observers
//   an event   client → leg → observers
//   at the client (gateway/sockets/client-connection.ts)   codec of its protocol → frame writer → socket

import type { ServerEvent } from '../dialects/native-events.ts';
import type { SessionAudience } from './observers/session-audience.ts';
import type { PlayerOutlet, SessionLeg } from './session-leg.ts';
import type { OutgoingAudio, SessionOutlet, TurnOutlet } from './session-outlet.ts';

export type WayOutOptions = {
  readonly client: SessionOutlet;
  readonly leg: SessionLeg;
  readonly audience: SessionAudience;
};

/** Of one session. */
export class WayOut {
  private readonly audience: SessionAudience;
  /** Properties: every turn of the session has them as its own. */
  readonly say: SessionOutlet['say'];
  readonly cork: () => void;
  readonly uncork: () => void;

  constructor({ client, leg, audience }: WayOutOptions) {
    this.audience = audience;
    this.say = (event: ServerEvent) => {
      client.say(event);
      leg.said(event);
      audience.said(event);
    };
    this.cork = () => {
      client.cork();
      leg.cork();
    };
    this.uncork = () => {
      client.uncork();
      leg.uncork();
    };
  }

  /** `player` plays the turn. */
  ofTurn(player: PlayerOutlet): TurnOutlet {
    return new TurnWayOut(this, this.audience, player);
  }
}

/** One object for each turn: what it holds is its session's or its player's. */
class TurnWayOut implements TurnOutlet {
  private readonly player: PlayerOutlet;
  private readonly audience: Pick<SessionAudience, 'sent'>;
  readonly say: TurnOutlet['say'];
  readonly cork: () => void;
  readonly uncork: () => void;
  readonly isCongested: () => boolean;
  readonly reports: TurnOutlet['reports'];
  readonly committedMs: TurnOutlet['committedMs'];
  readonly takeBack: TurnOutlet['takeBack'];

  constructor(
    session: Pick<WayOut, 'say' | 'cork' | 'uncork'>,
    audience: Pick<SessionAudience, 'sent'>,
    player: PlayerOutlet,
  ) {
    this.player = player;
    this.audience = audience;
    this.say = session.say;
    this.cork = session.cork;
    this.uncork = session.uncork;
    this.isCongested = player.isCongested;
    this.reports = player.reports;
    this.committedMs = player.committedMs;
    this.takeBack = player.takeBack;
  }

  sendAudio(audio: OutgoingAudio): void {
    this.player.sendAudio(audio);
    this.audience.sent(audio);
  }
}
