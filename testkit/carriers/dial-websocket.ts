// The WebSocket that a platform dials a gateway with.

import { WebSocket } from 'ws';
import { connectFault } from '../../packages/client/src/connect-fault.ts';
import { refusalOf } from '../../packages/client/src/voxgate-error.ts';
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
          const { statusCode: status = 0, statusMessage } = response;
          const { by, words } = refusalOf(status, statusMessage, body);
          const refusal = by === 'gateway' ? `${status} ${words}` : `${words}.`;
          reject(new Error(`The gateway refused the leg: ${refusal}`));
          socket.terminate();
        });
      });
      socket.on('error', (error) => reject(connectFault(error, url)));
    });
