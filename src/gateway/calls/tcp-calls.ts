// Calls over plain TCP whose sockets are in this thread.

import { createServer, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { CallListener, CallListenerOptions } from './call-listener.ts';

/** A peer that does not read its last bytes is disconnected after this. */
const CLOSE_TIMEOUT_MS = 2000;
/** Finds a peer that has gone without closing. */
const PROBE_MS = 10_000;

export type TcpCallsOptions = CallListenerOptions & { readonly clock: Clock };

export function createTcpCalls({ onCall, onFault, clock }: TcpCallsOptions): CallListener {
  const closeSoon = (socket: Socket) => {
    socket.end();
    const cancel = clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', cancel);
  };
  const server = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_MS },
    (socket) => {
      const events = onCall({
        address: socket.remoteAddress,
        wire: {
          send(frame) {
            if (socket.writable) socket.write(frame);
          },
          bufferedBytes: () => socket.writableLength,
          close: () => closeSoon(socket),
          terminate: () => socket.destroy(),
        },
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
      });
      socket.on('error', (error) => events?.onFault(error.message));
      if (events === undefined) return void socket.destroy();
      socket.on('data', (chunk: Buffer) => events.onBytes(chunk));
      socket.once('close', () => events.onGone());
    },
  );

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          server.on('error', (error) => onFault(error.message));
          resolve((server.address() as { port: number }).port);
        });
      }),
    drain: () => void server.close(),
    close: () => void server.close(),
  };
}
