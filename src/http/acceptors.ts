// libuv (from 1.45 on, pull request 3696) takes one connection from a listening handle in each turn of the event loop: of N
// who call at once the last waits for N turns, and with hundreds of calls some turns take tens of milliseconds. Several
// handles on one socket take several (decision 0043).

import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { copyHandle, type TcpHandle } from './handle-copies.ts';

export type Acceptors = {
  /** How many there are beside the server itself; once there will be no more. Never rejects. */
  readonly opened: Promise<number>;
  /** Take nobody any more; resolves when the socket is open nowhere but with the server itself. */
  close(): Promise<void>;
  /** Resolves when they are closed and the connections of all of them have ended. */
  ended(): Promise<void>;
};

export type AcceptorsOptions = {
  readonly clock: Clock;
  readonly log: Log;
  /** Node, which copies the handle. */
  readonly program?: string;
};

/** Beside the server itself: eight connections in a turn of 20 ms are 400 a second. */
const COUNT = 7;

/** Fields of `net.Server` that its types leave out. */
type Listening = Server & {
  readonly _handle?: TcpHandle | null;
  readonly allowHalfOpen?: boolean;
  readonly noDelay?: boolean;
};

/**
 * Gives `server`, which listens on TCP, connections from several handles on its socket, a moment later. Whatever goes wrong is
 * logged (`fewer_acceptors`), and the server goes on by itself. Its bound `maxConnections` holds for all together.
 */
export function openAcceptors(server: Server, options: AcceptorsOptions): Acceptors {
  const { clock, log, program = process.execPath } = options;
  const { _handle: handle, allowHalfOpen = false, noDelay = false } = server as Listening;
  const acceptors: Server[] = [];
  let open = 0;
  let sockets = 0;
  let closing: Promise<unknown> | undefined;

  const hasRoom = () => sockets < (server.maxConnections || Number.POSITIVE_INFINITY);
  const count = (socket: Socket) => {
    if (!hasRoom()) socket.destroy();
    sockets += 1;
    socket.once('close', () => {
      sockets -= 1;
    });
  };
  server.prependListener('connection', count);

  const accept = (copy: TcpHandle) => {
    if (closing !== undefined) return copy.close();
    const acceptor = createServer({ allowHalfOpen, noDelay }, (socket) => {
      // So a server is given sockets (node:http, Event: 'connection'), and counts them as its own.
      if (hasRoom()) server.emit('connection', socket);
      else socket.destroy();
    });
    acceptor.once('listening', () => {
      open += 1;
    });
    acceptor.on('error', (fault) => log.warn('acceptor_failed', { cause: String(fault) }));
    acceptor.listen(copy);
    acceptors.push(acceptor);
  };
  const copies = copyHandle(handle ?? undefined, { clock, copies: COUNT, onCopy: accept, program });
  const opened = copies.over.then((fault) => {
    if (fault !== undefined && closing === undefined)
      log.warn('fewer_acceptors', { acceptors: 1 + open, cause: fault });
    return open;
  });

  return {
    opened,
    async close() {
      closing ??= Promise.all(acceptors.map((each) => new Promise((resolve) => each.close(resolve))));
      server.off('connection', count);
      copies.stop();
      await opened;
    },
    async ended() {
      await closing;
    },
  };
}
