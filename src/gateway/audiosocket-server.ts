// The TCP listener for AudioSocket legs. They bring no key but the UUID of the call, so only this machine and private
// networks are let in, and a leg is the local user's or that of whoever has named its UUID.

import { createServer, type Socket } from 'node:net';
import { isPrivatePeer } from '../access/private-peer.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { audioSocketLeg } from '../legs/audiosocket-leg.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { AdmissionDesk } from '../session/admission-desk.ts';
import { createLegConnection, type LegConnection } from './leg-connection.ts';
import type { LegArrivals } from './leg-desk.ts';
import { createSweeper } from './sweeper.ts';

export type AudioSocketServerOptions = {
  readonly desk: LegArrivals;
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

export type AudioSocketServer = {
  /** Rejects when the address cannot be had. Resolves with the port. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>;
  /** Takes no more calls; those that are there go on. */
  drain(): void;
  close(): void;
};

/** A caller whom nobody hears sends nothing; what his rate is need not be known to speak to him. */
const FIRST_AUDIO_MS = 500;
/** A peer that does not take its last bytes is let go after this. */
const CLOSE_TIMEOUT_MS = 2000;
/** Finds a peer that is gone without a word. */
const PROBE_MS = 10_000;
const NOTHING = new Uint8Array(0);

export function createAudioSocketServer(options: AudioSocketServerOptions): AudioSocketServer {
  const {
    desk,
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

  const closeSoon = (socket: Socket) => {
    socket.end();
    const cancel = clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', cancel);
  };
  const open = (socket: Socket) => {
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
      wire: {
        send(frame) {
          if (socket.writable) socket.write(frame);
        },
        get bufferedBytes() {
          return socket.writableLength;
        },
        close: () => closeSoon(socket),
        terminate: () => socket.destroy(),
      },
    });
    connections.add(connection);
    sweeper.start();
    const cancelStart = clock.after(FIRST_AUDIO_MS, () => connection.receive(NOTHING));
    socket.on('data', (chunk: Buffer) => connection.receive(chunk));
    socket.on('error', (error) => log.debug('leg socket fault', { kind, fault: error.message }));
    socket.once('close', () => {
      cancelStart();
      connections.delete(connection);
      connection.closed();
    });
  };

  const server = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_MS },
    (socket) => {
      const hasRoom = connections.size < maxLegs && isPrivatePeer(socket.remoteAddress);
      const refused = hasRoom ? admission.refusal('leg') : undefined;
      if (hasRoom && refused === undefined) return open(socket);
      const because = refused?.message ?? 'it is not private, or there are as many as may be';
      log.warn('a leg was refused', { kind, because });
      socket.destroy();
    },
  );

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          server.on('error', (error) =>
            log.warn('the AudioSocket listener failed', { fault: error.message }),
          );
          resolve((server.address() as { port: number }).port);
        });
      }),
    drain: () => void server.close(),
    close() {
      sweeper.stop();
      server.close();
      for (const connection of connections) connection.close('the gateway stops');
    },
  };
}
