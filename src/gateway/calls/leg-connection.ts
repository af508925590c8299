// The socket of one telephony platform: it translates the platform's messages, opens a call on the first, and sends what
// a session plays. It never stops reading, even without a session, because platforms drop calls whose audio is not read.

import { AppError, ERROR_TABLE } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type Log, levelOfStatus } from '../../base/log.ts';
import type { LegAudio, LegCodec, LegFrame, LegInput } from '../../legs/leg.ts';
import type { CallLeg, LegListener } from '../../playout/call-leg.ts';
import { createFrameMeter } from '../../playout/frame-meter.ts';
import { createLegPlayout, type LegPlayout } from '../../playout/leg-playout.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import { createSenderPlayout, type SenderPlayout } from '../../playout/sender-playout.ts';
import { bytesPerMs, SILENT_SAMPLE } from '../../speech/plain-sound.ts';
import type { SocketFault } from '../sockets/socket-bounds.ts';
import { createLegGuard } from './leg-guard.ts';
import type { LegWire, WireMeter } from './leg-wire.ts';
import type { LegArrivals, LegPlace } from './local-leg-registry.ts';

export type LegConnectionOptions = {
  readonly id: string;
  readonly kind: string;
  readonly codec: LegCodec;
  readonly wire: LegWire;
  readonly arrivals: LegArrivals;
  readonly clock: Clock;
  readonly log: Log;
  /** What paces legs that have no clock of their own. */
  readonly playout: PlayoutClock;
  /** From the path; undefined: the first message must have one, or no token is needed. */
  readonly token: string | undefined;
  /** The user of a token; undefined for an unknown token. */
  readonly userOf: (token: string | undefined) => string | undefined;
  /** A leg without an owner is closed, or waits a while for a session that names its token. */
  readonly unowned: 'refused' | 'claimable';
  /** Called when a leg with an owner is about to start: answers with the refusal when there is no slot for it. */
  readonly admit?: () => AppError | undefined;
  /** The id of the call, instead of the one that the platform sends. */
  readonly callId?: string | undefined;
  /** A leg that does not say within this time which call it is gets closed. */
  readonly startWithinMs?: number;
  /** Prefix of the names of marks, which tells them from marks of an earlier connection of the call. */
  readonly markPrefix?: string;
  /** It has said which call it is, and has an owner. */
  readonly onStarted?: (leg: CallLeg) => void;
  /** The sample rate has changed since the start. */
  readonly onAudioChanged?: (audio: LegAudio) => void;
  /** Called once, whether it had started or not. */
  readonly onEnded?: (end: LegEnd, reason: string) => void;
};

/** Why a leg ended: `over` when either side wanted it, all others by the gateway. */
export type LegEnd =
  | 'unauthorized'
  | 'leg_codec'
  | 'idle_timeout'
  | 'shutting_down'
  | 'rate_limited'
  | 'busy'
  | 'slow_reader'
  | SocketFault['code']
  | 'internal'
  | 'over';
export type LegEndCode = Exclude<LegEnd, 'over'>;

export type LegConnection = {
  receive(frame: LegFrame): void;
  /** The socket is gone; `because`: the library that carries it has closed it for that. */
  closed(because?: LegEndCode): void;
  /** `because`: that the gateway stops, unless given. */
  close(reason: string, because?: LegEndCode): void;
  /** It has started and has an owner. */
  isOwned(): boolean;
  /** The process with its socket stops within so long. */
  leaving(deadlineMs: number): void;
  /** Another process goes on with the call: it ends here without any message. */
  handOn(): void;
  /** Called about once a second: checks whether the far side still reads. */
  sweep(nowMs: number): void;
};

const START_DEADLINE_MS = 10_000;
/** A far side that reads nothing for this long is taken for dead. */
const STUCK_MS = 10_000;
const CLOSE_NORMAL = 1000;
/** More than what a far side without a clock has buffered and is still to get. */
const MAX_GOODBYE_MS = 3000;
/** Beyond its lead this much may be sent and not yet reported as played: the network, and the distance of marks. */
const MAX_UNTOLD_MS = 2000;
/** Without marks for this long, reports are ignored; shorter than the above, so that lost marks do not stop playback. */
const MARKS_STAY_AWAY_MS = 1500;

export function createLegConnection(options: LegConnectionOptions): LegConnection {
  const { id, kind, codec, wire, arrivals, clock } = options;
  let place: LegPlace | undefined;
  let owner: string | undefined;
  let playout: LegPlayout | undefined;
  let sender: SenderPlayout | undefined;
  /** The audio format of the call, once it has begun. */
  let carried: LegAudio | undefined;
  let heardAtMs = clock.now();
  let isFlowing = true;
  let isOver = false;
  let isHangingUp = false;
  let takingSinceMs = clock.now();
  let bufferedBefore = 0;
  let markedAtMs = Number.NEGATIVE_INFINITY;
  const openedAtMs = clock.now();
  /** A session has had it, so that it had an owner. */
  let wasTaken = false;
  /** When the process with its socket stops. */
  let leavesAtMs: number | undefined;
  /** The session that knows of it. */
  let toldLeaving: LegListener | undefined;
  /** A line of the log has said why it is not served. */
  let isTold = false;
  let cancelTimer = clock.after(options.startWithinMs ?? START_DEADLINE_MS, () => {
    options.log.warn('leg_without_call', { leg: id, kind, code: 'idle_timeout' });
    isTold = true;
    end('idle_timeout', 'the platform did not say which call this is');
  });

  const send = (frame: LegFrame) => wire.send(frame);
  /** By its own reports it plays slower than the clock. */
  const isOverfed = (unheardMs: number) =>
    unheardMs > codec.rules().leadMs + MAX_UNTOLD_MS && clock.now() - markedAtMs < MARKS_STAY_AWAY_MS;
  const tellEnd = (why: LegEnd, because: string, hasSession: boolean) => {
    const { log } = options;
    const code = why === 'over' ? undefined : why;
    const fields = { leg: id, kind, tenant: owner, code };
    const wasServed = owner !== undefined || hasSession || wasTaken;
    if (wasServed || (playout !== undefined && code === undefined)) {
      const seconds = Math.round(clock.now() - openedAtMs) / 1000;
      log.info('leg_ended', { ...fields, outcome: code === undefined ? 'over' : 'ended', seconds });
    } else if (code !== undefined && !isTold)
      log[levelOfStatus(ERROR_TABLE[code].http)]('leg_refused', { ...fields, because });
  };
  const leave = (reason: string, why: LegEnd = 'over') => {
    if (isOver) return;
    isOver = true;
    cancelTimer();
    sender?.close();
    tellEnd(why, reason, place?.listener() !== undefined);
    place?.leave(reason);
    place = undefined;
    options.onEnded?.(why, reason);
  };
  /** `told`: added to the code in the close reason. */
  const end = (code: LegEndCode, reason: string, told?: string) => {
    if (isOver) return;
    leave(reason, code);
    wire.close(ERROR_TABLE[code].close, told === undefined ? code : `${code}: ${told}`);
  };

  const { unlessBroken, clock: guardedClock } = createLegGuard(options.log, clock, () =>
    end('internal', 'the leg failed inside'),
  );

  const hangUpNow = () => {
    codec.hangUp?.().forEach(send);
    leave('hung up');
    wire.close(CLOSE_NORMAL, 'hung up');
  };

  /** When all has been heard; the writer of the frames may be late. */
  const hangUpWithin = (leftMs: number) => {
    const restMs = Math.min(sender?.restMs() ?? 0, leftMs);
    if (restMs <= 0) return hangUpNow();
    cancelTimer = clock.after(
      restMs,
      unlessBroken<void>(() => hangUpWithin(leftMs - restMs)),
    );
  };

  // In JSON and base64 audio is half as long again.
  const mostBuffered = (audio: LegAudio) => 2 * codec.rules().leadMs * bytesPerMs(audio);
  const toCallLeg = (callId: string | undefined, audioNow: () => LegAudio, own: LegPlayout): CallLeg => ({
    id,
    kind,
    callId,
    audio: audioNow,
    leadMs: sender?.leadMs ?? codec.rules().leadMs,
    reports: codec.mark === undefined ? 'nothing' : 'marks',
    play: unlessBroken((piece) => own.play(piece)),
    cork: () => own.cork(),
    uncork: unlessBroken<void>(() => own.uncork()),
    // What waits in this process would be sent after a clear; what piles up at the far side stays late until the call ends.
    isCongested: () =>
      !isFlowing ||
      wire.bufferedBytes() > mostBuffered(audioNow()) ||
      sender?.isBehind() === true ||
      isOverfed(own.unheardMs()),
    committedMs: (turn) => sender?.committedMs(turn),
    finish: unlessBroken((turn) => own.finish(turn)),
    clear: unlessBroken((heardMs) => own.clear(heardMs)),
    takeBack: (turn, heardMs) => own.takeBack(turn, heardMs),
    hangUp: unlessBroken<void>(() => {
      if (isOver) return;
      cancelTimer();
      isHangingUp = true;
      hangUpWithin(MAX_GOODBYE_MS);
    }),
    release() {
      wasTaken = true;
      // A call that is about to end is not given to another session.
      if (isHangingUp) return hangUpNow();
      unlessBroken<void>(() => own.clear(() => undefined))();
      place?.release();
    },
  });

  /** The owner of the call; undefined when it has none: the leg is then closed. */
  const ownerOf = (token: string | undefined) => {
    const brought = options.token ?? token;
    const userId = options.userOf(brought);
    if (userId === undefined && (options.unowned === 'refused' || brought === undefined)) {
      const what = brought === undefined ? 'no token' : 'a token that is known to no session';
      end('unauthorized', `the leg brought ${what}`);
      return undefined;
    }
    return { userId, token: brought };
  };
  const turnAway = ({ callId, token, came, served }: Extract<LegInput, { kind: 'unserved' }>) => {
    const whose = playout === undefined ? ownerOf(token) : undefined;
    if (whose === undefined) return;
    const message = `${came} came; served: ${served}`;
    const code = 'leg_codec';
    options.log.warn('leg_codec_not_served', { leg: id, kind, tenant: whose.userId, code, came, served });
    isTold = true;
    arrivals.turnAway({
      callId: options.callId ?? callId,
      ...whose,
      error: new AppError(code, message),
    });
    end(code, message, message);
  };
  const begin = ({ callId, token, audio }: Extract<LegInput, { kind: 'start' }>) => {
    if (playout !== undefined) return;
    const whose = ownerOf(token);
    if (whose === undefined) return;
    const refused = whose.userId === undefined ? undefined : options.admit?.();
    if (refused !== undefined) return end('busy', refused.message);
    owner = whose.userId;
    cancelTimer();
    carried = audio;
    if (codec.rules().clock === 'sender') {
      const paced = { playout: guardedClock(options.playout), now: () => clock.now() };
      const rules = codec.rules();
      const meter: WireMeter =
        wire.meter ?? ((memory) => createFrameMeter({ ...paced, memory, rules, write: send }));
      sender = createSenderPlayout({
        ...paced,
        codec,
        audio,
        meter: (memory) => meter(memory, rules),
        lastHeardMs: () => heardAtMs,
      });
    }
    const onPlayed = (turn: string, playedMs: number) => place?.listener()?.onPlayed(turn, playedMs);
    playout =
      sender ??
      createLegPlayout({
        codec,
        send,
        bytesPerMs: bytesPerMs(audio),
        silence: SILENT_SAMPLE[audio.format],
        markPrefix: options.markPrefix,
        onPlayed,
        nowMs: () => clock.now(),
      });
    const leg = toCallLeg(options.callId ?? callId, () => carried ?? audio, playout);
    place = arrivals.arrive({
      leg,
      ...whose,
      onUnclaimed: () => end('unauthorized', 'no session has asked for the leg in time'),
      onForsaken: () => end('idle_timeout', 'no session has the leg'),
    });
    options.onStarted?.(leg);
  };

  const follow = (audio: LegAudio) => {
    carried = audio;
    sender?.follow(audio);
    place?.listener()?.onAudioChanged(audio);
    options.onAudioChanged?.(audio);
  };

  const take = (input: LegInput) => {
    if (isOver) return;
    if (input.kind === 'start') begin(input);
    else if (input.kind === 'unserved') turnAway(input);
    else if (input.kind === 'audio-changed') follow(input.audio);
    else if (input.kind === 'audio') place?.listener()?.onAudio(input.bytes);
    else if (input.kind === 'digit') place?.listener()?.onDigit(input.digit);
    else if (input.kind === 'mark') {
      markedAtMs = clock.now();
      playout?.marked(input.name, input.fate);
    } else if (input.kind === 'flow') isFlowing = input.state === 'go';
    else if (input.kind === 'stop') {
      leave('the call is over');
      wire.close(CLOSE_NORMAL, 'the call is over');
    }
  };

  /** A session may be given the call a moment after that was said of it. */
  const tellLeaving = () => {
    const listener = place?.listener();
    if (leavesAtMs === undefined || listener === undefined || listener === toldLeaving) return;
    toldLeaving = listener;
    listener.onLeaving?.(Math.max(0, leavesAtMs - clock.now()));
  };

  const read = unlessBroken((frame: LegFrame) => codec.read(frame).forEach(take));

  return {
    receive(frame) {
      heardAtMs = clock.now();
      if (!isOver) read(frame);
    },
    closed: (because: LegEnd = 'over') => leave('the socket was closed', because),
    close: (reason, because = 'shutting_down') => end(because, reason),
    isOwned: () => place !== undefined && (owner !== undefined || place.listener() !== undefined),
    leaving(deadlineMs) {
      leavesAtMs = clock.now() + deadlineMs;
      tellLeaving();
    },
    handOn() {
      isOver = true;
      cancelTimer();
      sender?.close();
      place = undefined;
    },
    sweep(nowMs) {
      tellLeaving();
      const bufferedBytes = wire.bufferedBytes();
      if (bufferedBytes === 0 || bufferedBytes < bufferedBefore) takingSinceMs = nowMs;
      bufferedBefore = bufferedBytes;
      if (nowMs - takingSinceMs < STUCK_MS) return;
      leave('the far side takes nothing', 'slow_reader');
      wire.terminate();
    },
  };
}
