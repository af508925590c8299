// The WebSocket that a platform dials a gateway with.

import { WebSocket } from 'ws';
import type { CallTransport } from './call-transport.ts';

export type DialOptions = {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

const HANDSHAKE_MS = 10_000;

export const dialWebSocket =
  ({ protocols = [], headers = {} }: DialOptions = {}): CallTransport =>
  (url, events) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url, [...protocols], {
        headers: { ...headers },
        handshakeTimeout: HANDSHAKE_MS,
        perMessageDeflate: false,
      });
      socket.on('message', (data, isBinary) =>
        events.onFrame(isBinary ? (data as Buffer) : (data as Buffer).toString('utf8')),
      );
      socket.once('open', () =>
        resolve({
          send(frame) {
            if (socket.readyState === WebSocket.OPEN) socket.send(frame);
          },
          close: () => socket.close(1000),
        }),
      );
      socket.once('close', (code) => events.onClosed(code));
      socket.on('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body = (body + chunk.toString('utf8')).slice(0, 2000);
        });
        response.on('end', () => {
          reject(new Error(`The gateway refused the leg: ${response.statusCode} ${body}`));
          socket.terminate();
        });
      });
      socket.on('error', reject);
    });
