// A session without a gateway behind it: a WebSocket that answers `speak` at once with `started` and a frame, in one
// write as the gateway does, and `cancel` with `ended`. What a client measures here is loopback, sockets, two event
// loops and the client itself; what a gateway takes longer than this is the gateway.

import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Actor } from './actor.ts';

export type BareSessionReady = { readonly sessionUrl: string };

const FRAME = new Uint8Array(160);
const STARTED = {
  type: 'started',
  format: 'mulaw',
  sampleRate: 8000,
  seed: 1_000_000,
  timings: { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 1 },
};

/** A process that serves it on a free loopback port. */
export async function startBareSession(): Promise<Actor> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (client: WebSocket, { socket }) => {
    const say = (event: object) => client.send(JSON.stringify(event));
    client.on('message', (data: Buffer) => {
      const { type, turn } = JSON.parse(data.toString('utf8')) as { type: string; turn: string };
      if (type === 'cancel') return say({ type: 'ended', turn });
      socket.cork();
      say({ ...STARTED, turn });
      client.send(FRAME);
      socket.uncork();
    });
    say({ type: 'ready', limits: {} });
  });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ready: { sessionUrl: `ws://127.0.0.1:${port}/` } satisfies BareSessionReady,
    report: () => ({}),
    close: () =>
      new Promise<void>((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}
