// AudioSocket legs. They bring no key but the UUID of the call, so only this machine and private networks are let in, and
// a leg is the local user's or that of the user who has named its UUID.

import { isPrivatePeer } from '../../access/private-peer.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { AUDIOSOCKET_SILENCE, audioSocketLeg } from '../../legs/audiosocket-leg.ts';
import type { PlayoutClock } from '../../playout/playout-clock.ts';
import type { AdmissionControl } from '../../session/admission-control.ts';
import type { IntakeMetrics } from '../sockets/intake-metrics.ts';
import { createSweeper } from '../sockets/sweeper.ts';
import type { CallEvents, CallListener, CallListenerOptions } from './call-listener.ts';
import { createLegConnection, type LegConnection } from './leg-connection.ts';
import { createLegIntake, type LegIntakeLimits } from './leg-intake.ts';
import { createLegRoom } from './leg-room.ts';
import type { LegWire } from './leg-wire.ts';
import type { LegArrivals } from './local-leg-registry.ts';

export type AudioSocketServerOptions = {
  readonly arrivals: LegArrivals;
  /** Owns the sockets. */
  readonly openCalls: (options: CallListenerOptions) => CallListener;
  /** Makes a call of a socket; in this process and for good unless given. */
  readonly connect?: typeof createLegConnection;
  readonly callers: { readonly are: 'strangers' } | { readonly are: 'local'; readonly user: string };
  readonly maxLegs: number;
  readonly limits: LegIntakeLimits;
  readonly intake: IntakeMetrics;
  readonly admission: Pick<AdmissionControl, 'refusal'>;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly random: Random;
  readonly log: Log;
};

/** Asterisk ends a call on which nothing goes either way for 2 s. */
const KEEP_ALIVE_MS = 1000;
/**
 * Asterisk sends its first audio, which tells the rate, half a second after the UUID or later, and nothing from a muted
 * caller: after this time the call begins at 8 kHz, and follows when the rate is told.
 */
const SILENCES_BEFORE_START = 3;
const NOTHING = new Uint8Array(0);

export function createAudioSocketServer(options: AudioSocketServerOptions): CallListener {
  const {
    arrivals,
    openCalls,
    connect = createLegConnection,
    callers,
    maxLegs,
    admission,
    clock,
    playout,
    random,
    log,
  } = options;
  const connections = new Set<LegConnection>();
  const room = createLegRoom({ ...options, places: () => connections.size });
  const { kind } = audioSocketLeg;
  const sweeper = createSweeper(clock, (nowMs) => {
    for (const connection of connections) connection.sweep(nowMs);
    room.look();
    return connections.size > 0 ? 'more' : 'none';
  });

  const open = (wire: LegWire, address: string | undefined): CallEvents => {
    let silences = 0;
    let state: 'new' | 'started' = 'new';
    let cancelSilence = () => {};
    const keepAlive = () => {
      cancelSilence = clock.after(KEEP_ALIVE_MS, keepAlive);
      wire.send(AUDIOSOCKET_SILENCE);
      silences += 1;
      if (silences >= SILENCES_BEFORE_START) connection.receive(NOTHING);
    };
    const connection = connect({
      id: random.id(12),
      kind,
      codec: audioSocketLeg.open(),
      arrivals,
      clock,
      log,
      playout,
      token: undefined,
      userOf: () => (callers.are === 'local' ? callers.user : undefined),
      unowned: 'claimable',
      onEnded: () => cancelSilence(),
      wire,
      onStarted(leg) {
        cancelSilence();
        options.intake.legStarted(kind);
        state = 'started';
        intake.started(leg.audio());
      },
      onAudioChanged: (audio) => intake.started(audio),
    });
    const intake = createLegIntake({
      clock,
      limits: options.limits,
      metrics: options.intake,
      handle: (frame) => connection.receive(frame),
      onRefused(error) {
        connection.close(error.message, 'rate_limited');
        wire.terminate();
      },
    });
    connections.add(connection);
    if (callers.are === 'strangers') room.enter(connection, address, () => wire.terminate());
    sweeper.start();
    cancelSilence = clock.after(KEEP_ALIVE_MS, keepAlive);
    return {
      onBytes: (chunk) => intake.take(chunk, chunk.length),
      onFault: (fault) => log.debug('leg socket fault', { kind, fault }),
      onGone() {
        cancelSilence();
        connections.delete(connection);
        room.leave(connection);
        if (state === 'started') options.intake.legOver(kind);
        intake.close();
        connection.closed();
      },
    };
  };

  const listener = openCalls({
    onCall({ address, wire }) {
      // A call without an owner takes no slot; once it has an owner it counts, even beyond the limit.
      const hasRoom = room.proved() < maxLegs && isPrivatePeer(address);
      const refused = hasRoom ? admission.refusal('leg') : undefined;
      if (hasRoom && refused === undefined) return open(wire, address);
      const because = refused?.message ?? 'it is not private, or there are as many as may be';
      log.warn('leg_refused', {
        kind,
        code: refused?.code ?? (isPrivatePeer(address) ? 'busy' : 'forbidden'),
        because,
      });
      return undefined;
    },
    onFault: (fault) => log.warn('audiosocket_listener_failed', { fault }),
  });

  return {
    ...listener,
    async close() {
      sweeper.stop();
      for (const connection of connections) connection.close('the gateway stops');
      await listener.close();
    },
  };
}
