// A turn that waits for a key: how long it may wait, and what its client is told meanwhile. First words wait for
// `upstreamMaxWaitMs`. Once the turn has begun, that time starts only when the listener has heard all that is there. A turn
// that nobody hears in real time, or in which the listener has paused or moved, sets no limit of its own: the pool gives
// its request up when the service has taken no request of anybody for ten minutes (upstream/pool/send-patience.ts).

import type { QueuedNotice } from '../upstream/speech-upstream.ts';
import type { WorkClass } from '../upstream/speech-work.ts';
import type { LiveTurnOptions } from './turn/live-turn.ts';
import type { TurnLife } from './turn/turn-life.ts';
import { wholeMs } from './turn/turn-messages.ts';
import type { TurnParts } from './turn/turn-parts.ts';

/** What is asked of a turn that waits. */
export type WaitingTurn = Pick<TurnParts, 'speech' | 'playout' | 'hearing'> & {
  readonly life: Pick<TurnLife, 'phase' | 'isPaused' | 'isNarrated' | 'remainingMs'>;
};

/** One for each turn; its parts are asked only when it waits. */
export class QuotaWait {
  private readonly live: LiveTurnOptions;
  private readonly turn: () => WaitingTurn;

  constructor(live: LiveTurnOptions, turn: () => WaitingTurn) {
    this.live = live;
    this.turn = turn;
  }

  /** When a request of class `of` is given up that has waited since `sinceMs`; infinite while the turn sets no limit of its own. */
  untilMs(of: WorkClass, sinceMs: number): number {
    const { live } = this;
    const { life } = this.turn();
    if (life.isPaused()) return Number.POSITIVE_INFINITY;
    if (of !== 'first' && (live.settings.pace === 'burst' || life.isNarrated()))
      return Number.POSITIVE_INFINITY;
    return Math.max(sinceMs, this.dryMs()) + live.runtime.limits.upstreamMaxWaitMs;
  }
  /** Says `queued`; once the turn has begun, with how much of it is there, and only of a wait for quota. */
  tell({ reason, position, etaMs }: QueuedNotice): void {
    const { live } = this;
    const { life, speech, playout } = this.turn();
    const phase = life.phase();
    const queued = { type: 'queued', turn: live.id, reason, position, etaMs: wholeMs(etaMs) } as const;
    if (phase === 'waiting' || phase === 'held') live.outlet.say(queued);
    else if (reason === 'quota' && (phase === 'playing' || phase === 'paused'))
      live.outlet.say({ ...queued, atMs: wholeMs(playout.sentMs() + speech.waitingMs()) });
  }

  /** When the listener has heard, or will have heard, all that is there; in the infinite past before the first audio. */
  private dryMs(): number {
    const { live } = this;
    const { life, speech, hearing } = this.turn();
    if (life.phase() !== 'playing') return Number.NEGATIVE_INFINITY;
    return speech.waitingMs() > 0 ? live.runtime.clock.now() + life.remainingMs() : hearing.dryMs();
  }
}
