// What a caller has said by the time he is taken. The kernel completes a handshake by itself, so a connection that has waited
// for the loop has its request with it; Node reads that in the next turn of the loop at the earliest, and behind a pause of the
// collector a turn takes tens of milliseconds. Here it is read in the turn that takes it (decision 0044).

import { readSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * All of a head, and less than a request holds before it wants no more (16 KiB): a server that stopped reading in this very
 * turn would be started again by what is still to come of its beginning.
 */
const MOST_BYTES = 8 * 1024;

/** A field of `net.Socket` that its types leave out; where connections are no files, as on Windows, there is none or −1. */
type Open = Socket & { readonly _handle?: { readonly fd?: number } | null };

/**
 * Reads each connection that `server`, one of `node:http`, takes, in the turn that takes it. With TLS nothing: its layer reads.
 * A connection that was reset is told by the next read as one that has ended.
 */
export function readWhenTaken(server: Server): void {
  if (server instanceof TlsServer) return;
  const bytes = Buffer.allocUnsafeSlow(MOST_BYTES);
  const read = (fd: number): number => {
    try {
      return readSync(fd, bytes, 0, MOST_BYTES, null);
    } catch {
      return 0; // mostly EAGAIN: nothing has come, and it does not wait
    }
  };
  // Behind the server's own listener, which by then hears what the socket says.
  server.on('connection', (socket: Open) => {
    const { fd = -1 } = socket._handle ?? {};
    const length = fd < 0 ? 0 : read(fd);
    // Not pushed: the stream of a connection that HTTP is read from stands still, as the parser takes its bytes.
    if (length > 0) socket.emit('data', Buffer.from(bytes.subarray(0, length)));
  });
}
