// The telephony leg of one session: asked for, attached, played to, let go. Turns that are named while it is attached go
// to it in the call's own format; those named before go on to the client, and those named while it is waited for wait, too.

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import type { CommandOf } from '../dialects/native-messages.ts';
import type { CallLeg, LegListener } from '../playout/call-leg.ts';
import { InboundSound } from './inbound-sound.ts';
import type { LegBroker } from './leg-broker.ts';
import type { OutgoingAudio, SessionOutlet, TurnOutlet } from './session-outlet.ts';
import type { TurnSettings } from './turn-settings.ts';

export type AttachedLeg = { readonly leg: string; readonly kind: string; readonly callSid?: string };

/** What the player of a turn, the client or a leg, has of its outlet. */
export type PlayerOutlet = Pick<
  TurnOutlet,
  'sendAudio' | 'isCongested' | 'reports' | 'committedMs' | 'takeBack'
>;

export type SessionLegOptions = {
  readonly broker: LegBroker;
  readonly clock: Pick<Clock, 'after'>;
  readonly userId: string;
  readonly outlet: SessionOutlet;
  /** The leg that was waited for is there. */
  readonly onCome: () => void;
  /** It will not come; the client has been told. */
  readonly onNotCome: (error: AppError) => void;
  /** A leg says how far it has played a turn. */
  readonly onPlayed: (turn: string, playedMs: number) => void;
  /** How far a turn that goes on has been heard. */
  readonly heardMs: (turn: string) => number | undefined;
  /** Turns that have not been heard cannot be any more. */
  readonly onGone: (turns: readonly string[], error: AppError) => void;
};

/** Media positions are told in whole milliseconds. */
const ROUNDING_MS = 1;
/** A leg that cannot be had is refused this much later: what was sent right behind `attach` is for the leg as well. */
const REFUSAL_MS = 50;

type Attached = {
  readonly leg: CallLeg;
  readonly monitor: boolean;
  /** Named for this leg and not yet heard. */
  readonly turns: Set<string>;
};

const named = ({ id, kind, callId }: CallLeg): AttachedLeg => ({
  leg: id,
  kind,
  ...(callId !== undefined && { callSid: callId }),
});
const notAttached = () => new AppError('leg_not_found', 'No leg is attached to this session.');
/** A client is silent at once. */
const notCommitted = () => undefined;

/** Each session has one, and nearly all of its time no leg. */
export class SessionLeg {
  private readonly options: SessionLegOptions;
  private readonly client: PlayerOutlet;
  private current: Attached | undefined;
  /** How far a client who listens along has each turn, ms: what a leg gives back and gets again is not sent twice to the client. */
  private monitored: Map<string, number> | undefined;
  private stopWaiting: (() => void) | undefined;
  /** Which `attach` is waited for: what is told of an older one counts no more. */
  private wait = 0;
  private refusal: AppError | undefined;
  /** It has come, and those who brought it are not done yet. */
  private placing = false;
  private hangUpAfter: string | undefined;
  /** What waits for the broker to decide. */
  private undecided: (() => void)[] | undefined;

  constructor(options: SessionLegOptions) {
    const { outlet } = options;
    this.options = options;
    this.client = {
      sendAudio: outlet.sendAudio,
      isCongested: outlet.isCongested,
      reports: 'none',
      committedMs: notCommitted,
    };
  }

  attached(): AttachedLeg | undefined {
    return this.current === undefined ? undefined : named(this.current.leg);
  }
  /** This turn is for the leg that is attached. */
  plays(turn: string): boolean {
    return this.current?.turns.has(turn) ?? false;
  }
  /** It has been asked for and has neither come nor been refused. */
  isAwaited(): boolean {
    return this.stopWaiting !== undefined || this.placing;
  }
  attach(command: CommandOf<'attach'>): void {
    const { broker, clock, userId } = this.options;
    if (this.refusal !== undefined) this.notCome(this.refusal, this.wait);
    if (this.current !== undefined || this.stopWaiting !== undefined)
      return this.refuse(
        new AppError('leg_taken', 'A leg is attached or waited for already; detach it first.'),
      );
    const wait = ++this.wait;
    let answered: 'not-yet' | 'given' | AppError = 'not-yet';
    let asking = true;
    const giveUp = broker.attach(userId, command.leg, {
      onAttached: (leg) => {
        answered = 'given';
        return this.take(leg, command, asking ? 'at-once' : 'later');
      },
      onRefused: (error) => {
        answered = error;
        if (!asking) this.notCome(error, wait);
      },
      onDecided: () => {
        if (this.wait === wait) this.decided();
      },
    });
    asking = false;
    const answer = answered as 'not-yet' | 'given' | AppError;
    if (answer === 'given') return;
    if (answer !== 'not-yet') {
      this.refusal = answer;
      this.stopWaiting = clock.after(REFUSAL_MS, () => this.notCome(answer, wait));
      return;
    }
    this.stopWaiting = giveUp;
    if (broker.decides === 'later') this.undecided = [];
  }
  /** It is not known yet whether the leg that was asked for is there. */
  isUndecided(): boolean {
    return this.undecided !== undefined;
  }
  /** Runs `task` now, or once it is known whether the leg that was asked for is there: what follows `attach` may be for it. */
  whenDecided(task: () => void): void {
    if (this.undecided === undefined) task();
    else this.undecided.push(task);
  }
  detach(): void {
    if (this.current === undefined) {
      return this.notCome(notAttached(), this.wait);
    }
    this.current.leg.release();
    this.letGo('detached');
  }
  hangUp(after: string | undefined): void {
    const { current } = this;
    if (current === undefined) return this.refuse(notAttached());
    if (after === undefined || !current.turns.has(after)) current.leg.hangUp();
    else this.hangUpAfter = after;
  }
  /** Of a turn that is named now. */
  settingsFor(settings: TurnSettings): TurnSettings {
    if (this.current === undefined) return settings;
    const { leg } = this.current;
    const { leadMs } = leg;
    return { ...settings, ...leg.audio(), frameMs: 20, pace: 'realtime', leadMs, flow: 'clock' };
  }
  /** Where a turn that is named now goes. */
  outletFor(turn: string): PlayerOutlet {
    if (this.current === undefined) return this.client;
    const { leg, monitor, turns } = this.current;
    // As `settingsFor` has it: what the call is in may change before the turn has been played.
    const { sampleRate } = leg.audio();
    turns.add(turn);
    return {
      sendAudio: (audio) => {
        const { atMs, durationMs: ms, bytes } = audio;
        leg.play({ turn: audio.turn, atMs, ms, bytes, sampleRate });
        if (monitor) this.tellMonitor(audio);
      },
      takeBack: () => leg.takeBack?.(turn, this.goesOn(turns)),
      isCongested: () => leg.isCongested(),
      reports: leg.reports === 'marks' ? 'marks' : 'none',
      // A leg that is gone plays nothing more.
      committedMs: () => (this.current?.leg === leg ? leg.committedMs(turn) : undefined),
    };
  }
  /** The session says something: legs follow the life of their turns. */
  said(event: ServerEvent): void {
    if (event.type === 'sought') this.monitoredTurns().set(event.turn, event.atMs);
    if (event.type === 'ended') this.monitored?.delete(event.turn);
    const { current } = this;
    if (current === undefined) return;
    if (event.type !== 'ended' && event.type !== 'heard') return;
    // What was cut or failed before its first sound here need not be told as heard.
    const isOver = event.type === 'heard' || event.outcome === 'cancelled' || event.outcome === 'failed';
    if (event.type === 'ended' && event.outcome !== 'cancelled') current.leg.finish(event.turn);
    if (!isOver) return;
    current.turns.delete(event.turn);
    if (this.hangUpAfter === event.turn) current.leg.hangUp();
  }
  cork(): void {
    this.current?.leg.cork();
  }
  uncork(): void {
    this.current?.leg.uncork();
  }
  /** Turns have been cut: the far side is to be silent at once. */
  cleared(): void {
    if (this.current === undefined) return;
    this.current.leg.clear(this.goesOn(this.current.turns));
  }
  close(): void {
    this.undecided = undefined;
    this.stopWaiting?.();
    this.current?.leg.release();
    this.current = undefined;
  }

  private refuse(error: AppError): void {
    this.options.outlet.say(errorEvent(error));
  }
  private take(
    leg: CallLeg,
    { inbound = 'drop', monitor = false }: CommandOf<'attach'>,
    comes: 'at-once' | 'later',
  ): LegListener {
    const { outlet, onPlayed } = this.options;
    this.stopWaiting = undefined;
    const current = { leg, monitor, turns: new Set<string>() };
    this.current = current;
    const tell = () => outlet.say({ type: 'attached', ...named(leg), ...leg.audio() });
    tell();
    if (comes === 'later') {
      this.placing = true;
      // By then the caller that brings the leg has it in its place.
      queueMicrotask(() => this.placed(current));
    }
    const sound = inbound === 'drop' ? undefined : new InboundSound(leg.audio(), outlet);
    return {
      onPlayed,
      onAudio: (bytes) => {
        if (this.current === current) sound?.heard(bytes);
      },
      onDigit: (digit) => outlet.say({ type: 'dtmf', digit }),
      onAudioChanged(audio) {
        sound?.goOnIn(audio);
        tell();
      },
      onLeaving: (deadlineMs) => outlet.leave?.(deadlineMs),
      onGone: (reason) => this.letGo(reason),
    };
  }
  private placed(current: Attached): void {
    if (this.current !== current) return;
    this.placing = false;
    this.options.onCome();
  }
  private notCome(error: AppError, wait: number): void {
    // What has been sent meanwhile was sent for the leg; it may have been a `detach`.
    this.decided();
    if (this.wait !== wait) return;
    this.wait += 1;
    this.refusal = undefined;
    this.stopWaiting?.();
    this.stopWaiting = undefined;
    this.refuse(error);
    this.options.onNotCome(error);
  }
  private letGo(reason: string): void {
    if (this.current === undefined) return;
    const { leg, turns } = this.current;
    this.current = undefined;
    this.hangUpAfter = undefined;
    this.options.outlet.say({ type: 'detached', ...named(leg), reason });
    const error = new AppError('leg_gone', `The leg is no longer there: ${reason}.`);
    this.options.onGone([...turns], error);
    if (!this.placing) return;
    this.placing = false;
    this.options.onNotCome(error);
  }
  private decided(): void {
    const tasks = this.undecided ?? [];
    this.undecided = undefined;
    for (const task of tasks) this.whenDecided(task);
  }
  private monitoredTurns(): Map<string, number> {
    this.monitored ??= new Map();
    return this.monitored;
  }
  private tellMonitor(audio: OutgoingAudio): void {
    const monitored = this.monitoredTurns();
    if (audio.atMs < (monitored.get(audio.turn) ?? 0) - ROUNDING_MS) return;
    monitored.set(audio.turn, audio.atMs + audio.durationMs);
    this.options.outlet.sendAudio(audio);
  }
  /** A turn that was cut is still known for a moment, but what is left of it goes on no more. */
  private goesOn(turns: ReadonlySet<string>): (turn: string) => number | undefined {
    return (turn) => (turns.has(turn) ? this.options.heardMs(turn) : undefined);
  }
}
