// A TCP address that leads to one server now and to another later, as the name of a primary does after a failover.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpSwitch = {
  readonly port: number;
  /** New connections go to this port of the loopback; all present ones break. */
  leadTo(port: number): void;
  close(): Promise<void>;
};

export async function startSwitch(firstPort: number): Promise<TcpSwitch> {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const server = createServer((inner) => {
    const outer = connect(target, '127.0.0.1');
    keep(inner);
    keep(outer);
    inner.pipe(outer).on('close', () => inner.destroy());
    outer.pipe(inner).on('close', () => outer.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    leadTo(port) {
      target = port;
      breakAll();
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
