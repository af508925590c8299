// A line to a gateway whose far end reads at a pace of its own: what it has not read waits in the kernel, as it does for a
// client that is too slow.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type SlowLine = {
  readonly port: number;
  /** Read from the gateway so far, of all its connections. */
  readBytes(): number;
  close(): Promise<void>;
};

const TICK_MS = 20;

/** `bytesPerMs`: what a connection reads of what comes; infinite: everything at once. */
export async function startSlowLine(gatewayPort: number, bytesPerMs: number): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let total = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const gateway = connect(gatewayPort, '127.0.0.1');
    keep(client);
    keep(gateway);
    client.pipe(gateway);
    client.on('close', () => gateway.destroy());
    gateway.on('close', () => client.end()); // also when it was reset, and nothing says that it ended
    let allowance = 0;
    let lastMs = performance.now();
    const readSome = () => {
      const nowMs = performance.now();
      // Nothing is made up for what did not wait to be read.
      allowance = gateway.readableLength === 0 ? 0 : allowance + bytesPerMs * (nowMs - lastMs);
      lastMs = nowMs;
      const bytes = Math.min(Math.floor(allowance), gateway.readableLength);
      const part = bytes > 0 ? (gateway.read(bytes) as Buffer | null) : null;
      if (part === null) return;
      allowance -= part.length;
      total += part.length;
      client.write(part);
    };
    if (bytesPerMs === Number.POSITIVE_INFINITY) {
      gateway.on('data', (part: Buffer) => {
        total += part.length;
        client.write(part);
      });
    } else {
      gateway.on('readable', () => {});
      const timer = setInterval(readSome, TICK_MS);
      timers.add(timer);
      gateway.on('close', () => clearInterval(timer));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    readBytes: () => total,
    async close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
