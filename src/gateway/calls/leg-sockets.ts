// The WebSockets of telephony legs, whichever side has dialled: how many there may be, what each becomes, and their end.
// Slots are for those with a proved owner; all others are in a room of their own until they have one.

import type { WebSocket } from 'ws';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { Leg } from '../../legs/leg.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import type { AdmissionControl } from '../../session/admission-control.ts';
import type { IntakeMetrics } from '../sockets/intake-metrics.ts';
import { type SocketFault, socketFaultOf, stopReadingAfterClose } from '../sockets/socket-bounds.ts';
import { createSweeper } from '../sockets/sweeper.ts';
import { createLegConnection, type LegConnection, type LegConnectionOptions } from './leg-connection.ts';
import { createLegIntake, type LegIntakeLimits } from './leg-intake.ts';
import { createLegRoom } from './leg-room.ts';
import type { LegArrivals } from './local-leg-registry.ts';

export type LegSocketsOptions = {
  readonly arrivals: LegArrivals;
  /** Makes a call of a socket; in this process and for good unless given. */
  readonly connect?: typeof createLegConnection;
  readonly maxLegs: number;
  readonly limits: LegIntakeLimits;
  readonly intake: IntakeMetrics;
  readonly admission: Pick<AdmissionControl, 'refusal'>;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly random: Random;
  readonly log: Log;
};

/** What is known of a leg before it says anything. */
export type OpenedLeg = {
  readonly leg: Leg;
  /** `unproved`: it is not known yet whether it has an owner. */
  readonly standing: 'proved' | 'unproved';
  /** Where it comes from; undefined for one that the gateway has dialled. */
  readonly address: string | undefined;
} & Pick<LegConnectionOptions, 'token' | 'userOf' | 'callId' | 'startWithinMs' | 'onStarted' | 'onEnded'>;

export type LegSockets = {
  /** Throws `busy` when there is no room for one more; else keeps the room until it is given back. */
  takeRoom(): () => void;
  open(socket: WebSocket, opened: OpenedLeg): LegConnection;
  close(): void;
};

/** Platforms send audio in small messages; the largest is Exotel's, 100 kB in base64. */
export const MAX_LEG_BYTES = 256 * 1024;

export function createLegSockets(options: LegSocketsOptions): LegSockets {
  const { arrivals, connect = createLegConnection, admission, clock, playout, random, log } = options;
  const connections = new Set<LegConnection>();
  const room = createLegRoom({ ...options, places: () => connections.size });
  let roomsTaken = 0;
  const sweeper = createSweeper(clock, (nowMs) => {
    for (const connection of connections) connection.sweep(nowMs);
    return connections.size > 0 ? 'more' : 'none';
  });
  /** Why there is no slot for one more. */
  const refusal = (): AppError | undefined =>
    room.proved() + roomsTaken >= options.maxLegs
      ? new AppError('busy', 'The gateway has as many legs as it may.', { retryAfterMs: 5000 })
      : admission.refusal('leg');

  return {
    takeRoom() {
      const refused = refusal();
      if (refused !== undefined) throw refused;
      roomsTaken += 1;
      let isTaken = true;
      return () => {
        if (isTaken) roomsTaken -= 1;
        isTaken = false;
      };
    },
    open(socket, { leg, standing, address, ...opened }) {
      let state: 'new' | 'started' = 'new';
      const connection = connect({
        ...opened,
        id: random.id(12),
        kind: leg.kind,
        codec: leg.open(),
        arrivals,
        clock,
        log,
        playout,
        unowned: 'refused',
        wire: {
          send(frame) {
            if (socket.readyState === socket.OPEN) socket.send(frame);
          },
          bufferedBytes: () => socket.bufferedAmount,
          close: (code, reason) => socket.close(code, reason),
          terminate: () => socket.terminate(),
        },
        ...(standing === 'unproved' && { admit: refusal }),
        onStarted(call) {
          room.leave(connection);
          options.intake.legStarted(leg.kind);
          state = 'started';
          intake.started(call.audio());
          opened.onStarted?.(call);
        },
      });
      const refuse = (error: AppError) => {
        connection.close(error.message, 'rate_limited');
        stopReadingAfterClose(socket, clock);
      };
      const intake = createLegIntake({
        clock,
        limits: options.limits,
        metrics: options.intake,
        handle: (frame) => connection.receive(frame),
        onRefused: refuse,
      });
      connections.add(connection);
      if (standing === 'unproved')
        room.enter(connection, address, () => stopReadingAfterClose(socket, clock));
      sweeper.start();
      socket.on('message', (data, isBinary) => {
        const bytes = data as Buffer;
        intake.take(isBinary ? bytes : bytes.toString('utf8'), bytes.length);
      });
      socket.on('ping', (data: Buffer) => intake.count(data.length));
      socket.on('pong', (data: Buffer) => intake.count(data.length));
      let fault: SocketFault | undefined;
      socket.on('error', (error) => {
        fault ??= socketFaultOf(error);
        log.debug('leg socket fault', { kind: leg.kind, fault: error.message });
      });
      socket.once('close', () => {
        connections.delete(connection);
        room.leave(connection);
        if (state === 'started') options.intake.legOver(leg.kind);
        intake.close();
        connection.closed(fault?.code);
      });
      return connection;
    },
    close() {
      sweeper.stop();
      for (const connection of connections) connection.close('the gateway stops');
    },
  };
}
