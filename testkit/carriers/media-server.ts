// Asterisk's HTTP server, as channels of chan_websocket have it: each waits at /media/CONNECTION-ID for one connection of
// the subprotocol `media`. Strict: another id, a second connection and another subprotocol are refused as its source does.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CallTransport } from './call-transport.ts';

export type MediaServer = {
  /** What `VOXGATE_ASTERISK_URL` has to be. */
  readonly url: string;
  /** A channel that waits; the transport resolves when a gateway has come for it. */
  channel(connectionId: string): CallTransport;
  close(): void;
};

const MEDIA_PATH = /^\/media\/([^/?]*)$/;
const SUBPROTOCOL = 'media';
const MAX_MESSAGE_BYTES = 65_500;

const REASONS: Readonly<Record<number, string>> = { 400: 'Bad Request', 404: 'Not Found', 409: 'Conflict' };

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** On loopback; port 0 is any free one. */
export async function startMediaServer(port: number): Promise<MediaServer> {
  const channels = new Map<string, { take(socket: WebSocket): void; state: 'waiting' | 'connected' }>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });
  const server = createServer((_request, response) => response.writeHead(404).end());

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const [, id = ''] = MEDIA_PATH.exec(request.url ?? '') ?? [];
    const channel = channels.get(id);
    if (channel === undefined) return refuse(socket, 404);
    if (channel.state === 'connected') return refuse(socket, 409);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    if (!offered.includes(SUBPROTOCOL)) return refuse(socket, 400);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      channel.state = 'connected';
      channel.take(webSocket);
    });
  };
  server.on('upgrade', onUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel: (connectionId) => (_url, events) =>
      new Promise((resolve) => {
        channels.set(connectionId, {
          state: 'waiting',
          take(socket) {
            socket.on('message', (data, isBinary) =>
              events.onFrame(isBinary ? (data as Buffer) : (data as Buffer).toString('utf8')),
            );
            socket.on('error', () => socket.terminate());
            socket.once('close', (code) => {
              channels.delete(connectionId);
              events.onClosed(code);
            });
            resolve({
              send(frame) {
                if (socket.readyState === socket.OPEN) socket.send(frame);
              },
              close: () => socket.close(1000),
            });
          },
        });
      }),
    close() {
      server.close();
      server.closeAllConnections();
      sockets.close();
    },
  };
}
