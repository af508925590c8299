// The telephony leg of one session: asked for, attached, played to, let go. Turns that are named while it is attached go
// to it in the call's own format; those named before go on to the client.

import { AppError } from '../base/app-error.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import type { CommandOf } from '../dialects/native-messages.ts';
import type { CallLeg } from '../playout/call-leg.ts';
import { bytesPerMs } from '../speech/plain-sound.ts';
import type { LegDesk } from './leg-desk.ts';
import type { OutgoingAudio, SessionOutlet, TurnOutlet } from './session-outlet.ts';
import type { TurnSettings } from './turn-settings.ts';

export type AttachedLeg = { readonly leg: string; readonly kind: string; readonly callSid?: string };

export type SessionLeg = {
  attached(): AttachedLeg | undefined;
  attach(command: CommandOf<'attach'>): void;
  /** Runs `task` now, or once it is known whether the leg that was asked for is there: what follows `attach` may be for it. */
  whenDecided(task: () => void): void;
  detach(): void;
  hangUp(after: string | undefined): void;
  /** Of a turn that is named now. */
  settingsFor(settings: TurnSettings): TurnSettings;
  /** Where a turn that is named now goes. */
  outletFor(
    turn: string,
  ): Pick<TurnOutlet, 'sendAudio' | 'isCongested' | 'reports' | 'committedMs' | 'takeBack'>;
  /** The session says something: legs follow the life of their turns. */
  said(event: ServerEvent): void;
  cork(): void;
  uncork(): void;
  /** Turns have been cut: the far side is to be silent at once. */
  cleared(): void;
  close(): void;
};

export type SessionLegOptions = {
  readonly desk: LegDesk;
  readonly userId: string;
  readonly outlet: SessionOutlet;
  /** A leg says how far it has played a turn. */
  readonly onPlayed: (turn: string, playedMs: number) => void;
  /** How far a turn that goes on has been heard. */
  readonly heardMs: (turn: string) => number | undefined;
  /** Turns that have not been heard cannot be any more. */
  readonly onGone: (turns: readonly string[], error: AppError) => void;
};

/** Inbound audio that waits while the client's socket is full: a second of it. */
const MOST_WAITING = 50;
/** Media positions are told in whole milliseconds. */
const ROUNDING_MS = 1;

type Attached = {
  readonly leg: CallLeg;
  readonly monitor: boolean;
  /** Named for this leg and not yet heard. */
  readonly turns: Set<string>;
};

const notAttached = () => new AppError('leg_not_found', 'No leg is attached to this session.');

export function createSessionLeg(options: SessionLegOptions): SessionLeg {
  const { desk, userId, outlet, onPlayed, onGone } = options;
  /** How far a client who listens along has each turn, ms: what a leg gives back and gets again is not his twice. */
  const monitored = new Map<string, number>();
  let attached: Attached | undefined;
  let stopWaiting: (() => void) | undefined;
  let hangUpAfter: string | undefined;
  /** What waits for a desk to decide. */
  let undecided: (() => void)[] | undefined;
  let inboundSeq = 0;
  let inboundMs = 0;
  let waiting: ServerEvent[] = [];

  const refuse = (error: AppError) => outlet.say(errorEvent(error));
  const named = ({ id, kind, callId }: CallLeg) => ({
    leg: id,
    kind,
    ...(callId !== undefined && { callSid: callId }),
  });
  const letGo = (reason: string) => {
    if (attached === undefined) return;
    const { leg, turns } = attached;
    attached = undefined;
    hangUpAfter = undefined;
    waiting = [];
    outlet.say({ type: 'detached', ...named(leg), reason });
    onGone([...turns], new AppError('leg_gone', `The leg is no longer there: ${reason}.`));
  };
  const tellInbound = (event: ServerEvent) => {
    waiting.push(event);
    if (waiting.length > MOST_WAITING) waiting.shift();
    if (!outlet.isCongested()) waiting.splice(0).forEach(outlet.say);
  };
  const decided = () => {
    const tasks = undecided ?? [];
    undecided = undefined;
    for (const task of tasks) self.whenDecided(task);
  };
  const take = (leg: CallLeg, { inbound = 'drop', monitor = false }: CommandOf<'attach'>) => {
    stopWaiting = undefined;
    attached = { leg, monitor, turns: new Set() };
    inboundSeq = 0;
    inboundMs = 0;
    const { format, sampleRate } = leg.audio;
    outlet.say({ type: 'attached', ...named(leg), format, sampleRate });
    return {
      onPlayed,
      onAudio(bytes: Uint8Array) {
        if (inbound === 'drop') return;
        const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
        tellInbound({ type: 'inbound', seq: inboundSeq, ms: Math.round(inboundMs), format, data });
        inboundSeq += 1;
        inboundMs += bytes.length / bytesPerMs(leg.audio);
      },
      onDigit: (digit: string) => outlet.say({ type: 'dtmf', digit }),
      onGone: letGo,
    };
  };

  /** A turn that was cut is still known for a moment, but what is left of it goes on no more. */
  const goesOn = (turns: ReadonlySet<string>) => (turn: string) =>
    turns.has(turn) ? options.heardMs(turn) : undefined;

  const self: SessionLeg = {
    attached: () => (attached === undefined ? undefined : named(attached.leg)),
    attach(command) {
      if (attached !== undefined || stopWaiting !== undefined)
        return refuse(new AppError('leg_taken', 'A leg is attached or waited for already; detach it first.'));
      let isAnswered = false;
      const giveUp = desk.attach(userId, command.leg, {
        onAttached(leg) {
          isAnswered = true;
          return take(leg, command);
        },
        onRefused(error) {
          isAnswered = true;
          stopWaiting = undefined;
          refuse(error);
        },
        onDecided: decided,
      });
      if (isAnswered) return;
      stopWaiting = giveUp;
      if (desk.decides === 'later') undecided = [];
    },
    whenDecided(task) {
      if (undecided === undefined) task();
      else undecided.push(task);
    },
    detach() {
      stopWaiting?.();
      stopWaiting = undefined;
      if (attached === undefined) return refuse(notAttached());
      attached.leg.release();
      letGo('detached');
    },
    hangUp(after) {
      if (attached === undefined) return refuse(notAttached());
      if (after === undefined || !attached.turns.has(after)) attached.leg.hangUp();
      else hangUpAfter = after;
    },
    settingsFor(settings) {
      if (attached === undefined) return settings;
      const { audio, leadMs } = attached.leg;
      return { ...settings, ...audio, frameMs: 20, pace: 'realtime', leadMs, flow: 'clock' };
    },
    outletFor(turn) {
      if (attached === undefined) return toClient(outlet);
      const { leg, monitor, turns } = attached;
      turns.add(turn);
      return {
        sendAudio(audio: OutgoingAudio) {
          leg.play({ turn: audio.turn, atMs: audio.atMs, ms: audio.durationMs, bytes: audio.bytes });
          if (!monitor || audio.atMs < (monitored.get(turn) ?? 0) - ROUNDING_MS) return;
          monitored.set(turn, audio.atMs + audio.durationMs);
          outlet.sendAudio(audio);
        },
        takeBack: () => leg.takeBack?.(turn, goesOn(turns)),
        isCongested: () => leg.isCongested(),
        reports: leg.reports === 'marks' ? 'marks' : 'none',
        // A leg that is gone plays nothing more.
        committedMs: () => (attached?.leg === leg ? leg.committedMs(turn) : undefined),
      };
    },
    said(event) {
      if (event.type === 'sought') monitored.set(event.turn, event.atMs);
      if (event.type === 'ended') monitored.delete(event.turn);
      if (attached === undefined) return;
      if (event.type !== 'ended' && event.type !== 'heard') return;
      // What was cut or failed before its first sound is never told as heard.
      const isOver = event.type === 'heard' || event.outcome === 'cancelled' || event.outcome === 'failed';
      if (event.type === 'ended' && event.outcome !== 'cancelled') attached.leg.finish(event.turn);
      if (!isOver) return;
      attached.turns.delete(event.turn);
      if (hangUpAfter === event.turn) attached.leg.hangUp();
    },
    cork: () => attached?.leg.cork(),
    uncork: () => attached?.leg.uncork(),
    cleared() {
      if (attached === undefined) return;
      attached.leg.clear(goesOn(attached.turns));
    },
    close() {
      undecided = undefined;
      stopWaiting?.();
      attached?.leg.release();
      attached = undefined;
    },
  };
  return self;
}

const toClient = (outlet: SessionOutlet): ReturnType<SessionLeg['outletFor']> => ({
  sendAudio: (audio) => outlet.sendAudio(audio),
  isCongested: outlet.isCongested,
  reports: 'none',
  committedMs: () => undefined,
});
