// AudioSocket legs. They bring no key but the UUID of the call, so only this machine and private networks are let in, and
// a leg is the local user's or that of whoever has named its UUID.

import { isPrivatePeer } from '../access/private-peer.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { AUDIOSOCKET_SILENCE, audioSocketLeg } from '../legs/audiosocket-leg.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { AdmissionDesk } from '../session/admission-desk.ts';
import type { CallEvents, CallListener, CallListenerOptions } from './call-listener.ts';
import { createLegConnection, type LegConnection } from './leg-connection.ts';
import type { LegArrivals } from './leg-desk.ts';
import type { LegWire } from './leg-wire.ts';
import { createSweeper } from './sweeper.ts';

export type AudioSocketServerOptions = {
  readonly desk: LegArrivals;
  /** Has the sockets. */
  readonly openCalls: (options: CallListenerOptions) => CallListener;
  /** Makes a call of a socket; in this process and for good unless given. */
  readonly connect?: typeof createLegConnection;
  readonly callers: { readonly are: 'strangers' } | { readonly are: 'local'; readonly user: string };
  readonly maxLegs: number;
  readonly admission: Pick<AdmissionDesk, 'refusal'>;
  readonly clock: Clock;
  readonly playout: PlayoutClock;
  readonly random: Random;
  readonly log: Log;
};

/** Asterisk ends a call on which nothing goes either way for 2 s. */
const KEEP_ALIVE_MS = 1000;
/**
 * Asterisk sends its first audio, which tells the rate, half a second after the UUID or later, and nothing of a caller whom
 * nobody hears: after so many times a second the call begins at 8 kHz, and follows when the rate is told.
 */
const SILENCES_BEFORE_START = 3;
const NOTHING = new Uint8Array(0);

export function createAudioSocketServer(options: AudioSocketServerOptions): CallListener {
  const {
    desk,
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
  const { kind } = audioSocketLeg;
  const sweeper = createSweeper(clock, (nowMs) => {
    for (const connection of connections) connection.sweep(nowMs);
    return connections.size > 0 ? 'more' : 'none';
  });

  const open = (wire: LegWire): CallEvents => {
    let silences = 0;
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
      desk,
      clock,
      log,
      playout,
      token: undefined,
      userOf: () => (callers.are === 'local' ? callers.user : undefined),
      unowned: 'claimable',
      onStarted: () => cancelSilence(),
      onEnded: () => cancelSilence(),
      wire,
    });
    connections.add(connection);
    sweeper.start();
    cancelSilence = clock.after(KEEP_ALIVE_MS, keepAlive);
    return {
      onBytes: (chunk) => connection.receive(chunk),
      onFault: (fault) => log.debug('leg socket fault', { kind, fault }),
      onGone() {
        cancelSilence();
        connections.delete(connection);
        connection.closed();
      },
    };
  };

  const listener = openCalls({
    onCall({ address, wire }) {
      const hasRoom = connections.size < maxLegs && isPrivatePeer(address);
      const refused = hasRoom ? admission.refusal('leg') : undefined;
      if (hasRoom && refused === undefined) return open(wire);
      const because = refused?.message ?? 'it is not private, or there are as many as may be';
      log.warn('a leg was refused', { kind, because });
      return undefined;
    },
    onFault: (fault) => log.warn('the AudioSocket listener failed', { fault }),
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
