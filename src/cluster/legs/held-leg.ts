// One leg whose socket is in this process: the call itself is here, or in another process that plays to it over a relay.
// It moves, while no session has it, by starting again there from its first messages. When the other process dies, the call
// comes back.

import type { Duplex } from 'node:stream';
import { ERROR_TABLE } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import {
  createLegConnection,
  type LegConnection,
  type LegConnectionOptions,
} from '../../gateway/calls/leg-connection.ts';
import { audioSocketLeg, audioSocketMessage, createAudioSocketReader } from '../../legs/audiosocket-leg.ts';
import type { LegCodec, LegFrame } from '../../legs/leg.ts';
import { frameBytes, packRelay, type RelayMessage, readRelay } from './relay-frames.ts';

export type HeldLeg = LegConnection & {
  /** From now on the call is at the other end of `relay`. */
  moveTo(relay: Duplex): void;
  /** From now on the call is here. */
  bringHome(): void;
  /** Another process plays to it. */
  isAway(): boolean;
  /** Somebody else wants the call: it comes back when the process that plays to it stands still. */
  askPlayer(): void;
  /** This process stops: who plays to it elsewhere is told, and it ends when no session has it. */
  drain(deadlineMs: number): void;
};

export type HeldLegOptions = LegConnectionOptions & {
  readonly clock: Clock;
  /** A codec that has read nothing. */
  readonly openCodec: () => LegCodec;
  readonly arrive: (
    life: 'new' | 'goes-on',
    ...arrived: Parameters<LegConnectionOptions['arrivals']['arrive']>
  ) => ReturnType<LegConnectionOptions['arrivals']['arrive']>;
  readonly turnAway: LegConnectionOptions['arrivals']['turnAway'];
  readonly onMovedAway: () => void;
  /** It has come back from another process. */
  readonly onHome?: (() => void) | undefined;
  /** The socket is closed. */
  readonly onGone: (reason: string) => void;
};

/** A platform says which call it is in one message or two. */
const MAX_OPENINGS = 64;
/** A process that does not read what its call sends is dead or about to die. */
const MAX_RELAYED_BYTES = 1024 * 1024;
/** While the far side has not read everything, the process that plays is sent how much waits. */
const TELL_EVERY_MS = 20;

type Away = {
  readonly relay: Duplex;
  readonly send: (message: RelayMessage) => void;
  readonly ask: () => void;
};

export function createHeldLeg(options: HeldLegOptions): HeldLeg {
  const { kind, wire, clock } = options;
  const openings: LegFrame[] = [];
  let opening: 'under-way' | 'over' | 'too-long' = 'under-way';
  let lives = 0;
  let socket: 'open' | 'gone' = 'open';
  let away: Away | undefined;
  let here: LegConnection | undefined;
  let phase: 'stays' | 'leaves' = 'stays';
  let hasSession = () => false;

  const arriveHere: HeldLegOptions['arrive'] = (life, arrived) => {
    const place = options.arrive(life, arrived);
    const release = () => {
      place.release();
      endWhereLeaving();
    };
    hasSession = () => place.listener() !== undefined;
    return { ...place, release };
  };
  /** No session could finish here what it would begin to say: the platform may bring the call elsewhere. */
  const endWhereLeaving = () => {
    if (phase === 'leaves' && !hasSession()) here?.close('the gateway stops');
  };
  const begin = () => {
    const life = lives === 0 ? 'new' : 'goes-on';
    const { onStarted, onEnded, admit, markPrefix: _prefix, startWithinMs, callId, ...rest } = options;
    const first = life === 'new';
    here = createLegConnection({
      ...rest,
      codec: first ? options.codec : options.openCodec(),
      arrivals: { arrive: (arrived) => arriveHere(life, arrived), turnAway: options.turnAway },
      callId,
      ...(first ? {} : { markPrefix: `${lives}-` }),
      ...(startWithinMs === undefined ? {} : { startWithinMs }),
      onStarted(leg) {
        if (opening === 'under-way') opening = 'over';
        if (first) onStarted?.(leg);
      },
      ...(first && onEnded !== undefined ? { onEnded } : {}),
      ...(first && admit !== undefined ? { admit } : {}),
    });
    lives += 1;
    if (first) return;
    for (const frame of openings) here.receive(frame);
    endWhereLeaving();
    options.onHome?.();
  };
  begin();

  const take = (frame: LegFrame) => {
    if (opening === 'under-way') {
      if (openings.length < MAX_OPENINGS)
        openings.push(typeof frame === 'string' ? frame : new Uint8Array(frame));
      else opening = 'too-long';
    }
    if (here !== undefined) return here.receive(frame);
    if (away === undefined) return;
    away.send({ is: 'frame', frame });
    if (away.relay.writableLength > MAX_RELAYED_BYTES) away.relay.destroy();
  };
  // A stream may be cut anywhere; a call that moves begins with a whole message.
  const readStream =
    kind === audioSocketLeg.kind
      ? createAudioSocketReader((of, payload) => take(audioSocketMessage(of, payload)))
      : undefined;

  const leaveAway = (last: RelayMessage) => {
    const left = away;
    away = undefined;
    left?.send(last);
    left?.relay.end();
  };
  const moveTo = (relay: Duplex) => {
    if (opening !== 'over' || socket === 'gone') return void relay.destroy();
    if (away !== undefined) leaveAway({ is: 'handed-on' });
    here?.handOn();
    if (here !== undefined) options.onMovedAway();
    here = undefined;
    let bytes = 0;
    let telling: 'idle' | 'soon' = 'idle';
    const tell = () => {
      telling = 'idle';
      if (away !== mine) return;
      const waiting = wire.bufferedBytes();
      mine.send({ is: 'taken', bytes, waiting });
      if (waiting > 0) tellIn(TELL_EVERY_MS);
    };
    const tellIn = (ms: number) => {
      if (telling === 'soon') return;
      telling = 'soon';
      if (ms === 0) clock.soon(tell);
      else clock.after(ms, tell);
    };
    const hear = (message: RelayMessage) => {
      if (away !== mine) return;
      if (message.is === 'frame') {
        wire.send(message.frame);
        bytes += frameBytes(message.frame);
        tellIn(0);
      } else if (message.is === 'close') {
        away = undefined;
        wire.close(message.code, message.reason);
        relay.end();
      } else if (message.is === 'terminate') {
        away = undefined;
        wire.terminate();
        relay.end();
      }
    };
    const { ask } = readRelay(relay, hear, clock);
    const mine: Away = { relay, send: (message) => void relay.write(packRelay(message)), ask };
    away = mine;
    // A server leaves its half of an upgraded socket open.
    relay.once('end', () => relay.end());
    relay.once('close', () => {
      if (away !== mine) return;
      away = undefined;
      if (socket === 'open') begin();
    });
    mine.send({
      is: 'opening',
      opening: { id: options.id, kind, callId: options.callId, token: options.token, lives },
    });
    lives += 1;
    for (const frame of openings) mine.send({ is: 'frame', frame });
  };

  return {
    receive(frame) {
      if (readStream === undefined || typeof frame === 'string' || frame.length === 0) take(frame);
      else readStream(frame);
    },
    closed(because) {
      socket = 'gone';
      here?.closed(because);
      leaveAway({ is: 'closed', because });
      options.onGone('the socket was closed');
    },
    close(reason, because = 'shutting_down') {
      if (here !== undefined) return here.close(reason, because);
      if (away === undefined) return;
      leaveAway({ is: 'closed', because });
      wire.close(ERROR_TABLE[because].close, because);
    },
    // A session of the other process has it.
    isOwned: () => away !== undefined || here?.isOwned() === true,
    leaving() {},
    handOn() {},
    sweep: (nowMs) => here?.sweep(nowMs),
    isAway: () => away !== undefined,
    askPlayer: () => away?.ask(),
    drain(deadlineMs) {
      phase = 'leaves';
      away?.send({ is: 'leaving', deadlineMs });
      endWhereLeaving();
    },
    moveTo,
    bringHome() {
      if (here !== undefined || socket === 'gone') return;
      if (away !== undefined) leaveAway({ is: 'handed-on' });
      begin();
    },
  };
}
