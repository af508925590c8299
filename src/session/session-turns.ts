// The turns of one session: taken while there is room, found by what a command says of them, remembered when they are
// over. The line of turns does the speaking.

import { AppError } from '../base/app-error.ts';
import { errorEvent } from '../dialects/error-event.ts';
import { SessionPlace } from './admission-control.ts';
import type { SessionAudience } from './observers/session-audience.ts';
import { PlayoutQueue } from './playout-queue.ts';
import { PlayoutQueues } from './playout-queues.ts';
import type { SessionLeg } from './session-leg.ts';
import { type HeardSoFar, type SessionRuntime, toTurnError } from './session-runtime.ts';
import { isEnded, LiveTurn } from './turn/live-turn.ts';
import type { MarkOutcome } from './turn/turn-hearing.ts';
import type { SessionLine, TurnLine } from './turn/turn-line.ts';
import { endedEvent } from './turn/turn-messages.ts';
import type { WholeText } from './turn/turn-script.ts';
import type { Speaker } from './turn/turn-work.ts';
import type { TurnSettings } from './turn-settings.ts';
import type { WayOut } from './way-out.ts';

export type SessionTurnsOptions = {
  readonly runtime: SessionRuntime;
  readonly speaker: Speaker;
  readonly out: WayOut;
  readonly leg: SessionLeg;
  readonly audience: SessionAudience;
  readonly order: PlayoutOrder;
};

/** `as-named`: one turn is heard after another, whatever they are named for; `side-by-side`: queues of several names. */
export type PlayoutOrder = 'as-named' | 'side-by-side';

export class SessionTurns {
  readonly line: SessionLine;
  private readonly options: SessionTurnsOptions;
  private readonly retired = new RetiredTurns();
  /** Open turns whose client has been told that their text has ended. */
  private readonly textEndTold = new Set<string>();
  private intake: 'open' | 'draining' = 'open';
  /** By another instance, until that turn is over. */
  private heardBefore: HeardSoFar | undefined;
  private readonly queues: Pick<PlayoutQueues, 'queueFor' | 'close'>;

  constructor(options: SessionTurnsOptions) {
    const { runtime, speaker, out, leg, audience, order } = options;
    for (const id of runtime.life?.over ?? []) this.retired.add(id, 'untold');
    this.heardBefore = runtime.life?.heard;
    const { spoolBytes } = runtime.limits;
    const shared = {
      clock: runtime.clock,
      playout: runtime.playout,
      outlet: out,
      speaker,
      audience,
      onCut: () => leg.cleared(),
      onEnded: (turn: LiveTurn) => this.ended(turn),
      onFinished: (turn: LiveTurn) => this.retired.settle(turn.id, turn.lateMarks()),
      onBroken: (turn: LiveTurn, fault: unknown) => this.broken(turn, fault),
    };
    this.options = options;
    if (order === 'side-by-side') {
      const queues = new PlayoutQueues({ ...shared, admission: runtime.admission, spoolBytes });
      this.queues = queues;
      this.line = queues;
    } else {
      const queue = new PlayoutQueue({
        ...shared,
        place: new SessionPlace(runtime.admission),
        spoolCapacityBytes: (ownBytes) => spoolBytes - (queue.line.chargedBytes() - ownBytes),
      });
      this.queues = queue;
      this.line = queue.line;
    }
  }

  /**
   * Takes a turn, or answers the client why it does not. `queue`: turns of another name are heard beside it, in a session
   * whose contexts are.
   */
  open(
    id: string,
    settings: TurnSettings,
    whole: WholeText | undefined,
    queueName: string,
    /** `given`: the turn was taken before, and has waited. */
    admission: 'asked-for' | 'given',
  ): LiveTurn | undefined {
    const { runtime, out, leg } = this.options;
    const queue = this.queues.queueFor(queueName);
    const refused = admission === 'given' ? undefined : this.refusal(settings, queueName, 0);
    if (refused !== undefined) {
      this.endUnbegun(id, refused);
      return undefined;
    }
    const { line, place, speaker, spoolCapacityBytes } = queue;
    const before = line.unended();
    const etaMs = Math.round(before.reduce((sum, turn) => sum + turn.remainingMs(), 0));
    if (before.length > 0)
      out.say({ type: 'queued', turn: id, reason: 'previous-turn', position: before.length, etaMs });
    const turn = new LiveTurn({
      id,
      settings,
      whole,
      runtime,
      speaker,
      turnsBefore: before.length,
      freeAtMs: runtime.clock.now() + etaMs,
      spoolCapacityBytes,
      outlet: out.ofTurn(leg.outletFor(id)),
      audience: queue,
      line,
    });
    place.take(settings);
    line.add(turn);
    return turn;
  }
  /** Why no further turn is taken now, beside `others` that are not in the line; undefined: it is. */
  refusal(settings: TurnSettings, queueName: string, others: number): AppError | undefined {
    const { turnsInFlight } = this.options.runtime.limits;
    const retryAfterMs = 1000;
    if (this.intake === 'draining') {
      return new AppError('shutting_down', 'The gateway is about to stop; open a new session.', {
        retryAfterMs,
      });
    }
    if (this.line.unended().length + others < turnsInFlight)
      return this.queues.queueFor(queueName).place.refusal(settings);
    const message = `${turnsInFlight} turns are in flight already; wait until one has ended.`;
    return new AppError('busy', message, { retryAfterMs });
  }
  /** Ends a turn that has not been begun: refused, or cancelled where there is no error. */
  endUnbegun(id: string, error: AppError | undefined): void {
    this.retire(id, 'untold');
    if (error !== undefined) this.refuse(error, id);
    const outcome = error === undefined ? 'cancelled' : 'failed';
    this.options.runtime.metrics.turnEnded(outcome, 0, 0);
    this.options.out.say(endedEvent(id, { ...NOTHING_SENT, outcome }));
  }
  heardMs(): number {
    const nowMs = this.options.runtime.clock.now();
    const turns = this.line.all();
    return turns.reduce((sum, turn) => sum + (turn.phase() === 'finished' ? 0 : turn.heardMs(nowMs)), 0);
  }
  hearing(): HeardSoFar | undefined {
    const turn = this.line.audible();
    // One that is made again has not come so far yet.
    if (turn === undefined) return this.heardBefore;
    const ms = Math.round(turn.heardMs(this.options.runtime.clock.now()));
    const repeatedBytes = turn.repeatedBytes();
    return { turn: turn.id, ms, ...(repeatedBytes > 0 && { repeatedBytes }) };
  }
  /** A turn of this id is there or has been. */
  has(id: string): boolean {
    return this.line.find(id) !== undefined || this.retired.has(id);
  }
  /** Throws when the id cannot be that of a new turn. */
  checkFree(id: string): void {
    if (this.retired.has(id)) throw turnEnded();
    if (this.line.find(id) !== undefined) throw turnOpen();
  }
  /** A turn that is known, be it over; the client is told when it never was. */
  isKnown(id: string): boolean {
    if (this.has(id)) return true;
    this.refuse(unknownTurn(), id);
    return false;
  }
  /** The turn whose text is still open, or undefined once the client has been answered. */
  openText(id: string): LiveTurn | undefined {
    const turn = this.line.find(id);
    if (turn !== undefined && !isEnded(turn)) return turn;
    if (turn === undefined && !this.retired.has(id)) this.refuse(unknownTurn(), id);
    else if (this.retired.tellOnce(id)) this.refuse(turnEnded(), id);
    return undefined;
  }
  /** The turn that is to be heard, or undefined once the client has been answered. */
  unended(id: string): LiveTurn | undefined {
    const turn = this.line.find(id);
    if (turn !== undefined && !isEnded(turn)) return turn;
    this.refuse(turn === undefined && !this.retired.has(id) ? unknownTurn() : turnEnded(), id);
    return undefined;
  }
  /** Tells, once, that the text of an open turn has ended: a client may have a thousand tokens on the way. */
  tellTextEnded(id: string): void {
    if (this.textEndTold.has(id)) return;
    this.textEndTold.add(id);
    this.refuse(textEnded(), id);
  }
  /** How marks of a turn that is over fare; undefined once the client has been told that it never was. */
  lateMarks(id: string): MarkOutcome | undefined {
    const outcome = this.retired.lateMarks(id);
    if (outcome === undefined) this.refuse(unknownTurn(), id);
    return outcome;
  }
  /** The leg that was to play these is gone. */
  legGone(ids: readonly string[], error: AppError): void {
    this.end(
      ids.flatMap((id) => this.line.find(id) ?? []),
      error,
    );
  }
  /** Ends all; what was sent of a turn in the last `behindMs` has not been heard. */
  giveUp(error: AppError, behindMs: (id: string) => number): void {
    const turns = this.line.all();
    for (const turn of turns) if (turn.heardUntilMs() !== undefined) turn.pullForward(-behindMs(turn.id));
    this.end(turns, error);
  }
  /** No new turn from now on. */
  drain(): void {
    this.intake = 'draining';
  }
  /** As `TurnLine.hold`, of a session whose turns are heard one after another. */
  hold(): void {
    this.onlyLine().hold();
  }
  /** As `TurnLine.goOn`. */
  goOn(missedMs: number): void {
    this.onlyLine().goOn(missedMs);
  }
  close(): void {
    this.queues.close();
  }

  private onlyLine(): TurnLine {
    return this.queues.queueFor('').line;
  }
  private end(turns: readonly LiveTurn[], error: AppError): void {
    for (const turn of turns) {
      // One that has ended only waits to be heard to its end, which nobody will.
      if (isEnded(turn)) turn.cancel(undefined);
      else turn.fail(error);
    }
    this.line.runNow();
  }
  private refuse(error: AppError, turn: string): void {
    this.options.out.say(errorEvent(error, turn));
  }
  private retire(id: string, client: 'told' | 'untold'): void {
    this.retired.add(id, client);
    if (this.heardBefore?.turn === id) this.heardBefore = undefined;
  }
  private ended(turn: LiveTurn): void {
    this.retire(turn.id, this.textEndTold.delete(turn.id) ? 'told' : 'untold');
  }
  private broken(turn: LiveTurn, fault: unknown): void {
    const { runtime, out, audience, speaker } = this.options;
    this.retire(turn.id, 'untold');
    audience.lost(turn.id);
    const ids = { session: speaker.session, turn: turn.id };
    out.say(errorEvent(toTurnError(runtime.log, fault, ids), turn.id));
    if (!isEnded(turn)) out.say(endedEvent(turn.id, { ...NOTHING_SENT, outcome: 'failed' }));
  }
}

const NOTHING_SENT = { audioMs: 0, sentMs: 0, requests: 0, resumes: 0, cached: false } as const;

export const turnOpen = () => new AppError('turn_open', 'A turn of this id is open; choose another id.');
export const textEnded = () =>
  new AppError('turn_ended', 'The text of this turn has ended; begin another turn.');
const unknownTurn = () =>
  new AppError('unknown_turn', 'There is no such turn; only speak and append open one.');
const turnEnded = () => new AppError('turn_ended', 'The turn has ended; its id cannot be used again.');

const MAX_KEPT = 1024;

/** What is known of an id is one small number: a session that is open for hours keeps a thousand of them. */
const HEARD = 1;
const TOLD = 2;

class RetiredTurns {
  private readonly retired = new Map<string, number>();

  /** The turn has ended, of which its client may have been `told` before; until it is known better, nothing of it was heard. */
  add(id: string, client: 'told' | 'untold'): void {
    const { retired } = this;
    retired.set(id, client === 'told' ? TOLD : 0);
    if (retired.size > MAX_KEPT) retired.delete(retired.keys().next().value!);
  }
  has(id: string): boolean {
    return this.retired.has(id);
  }
  /** The turn has been heard, or cut: so are marks that still come for it. */
  settle(id: string, lateMarks: MarkOutcome): void {
    const known = this.retired.get(id);
    if (known !== undefined) this.retired.set(id, lateMarks === 'played' ? known | HEARD : known & ~HEARD);
  }
  lateMarks(id: string): MarkOutcome | undefined {
    const known = this.retired.get(id);
    if (known === undefined) return undefined;
    return (known & HEARD) === 0 ? 'cleared' : 'played';
  }
  /** True the first time it is asked for `id`: the caller is told once that the turn has ended. */
  tellOnce(id: string): boolean {
    const known = this.retired.get(id);
    if (known === undefined || (known & TOLD) !== 0) return false;
    this.retired.set(id, known | TOLD);
    return true;
  }
}
