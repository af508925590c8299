// The public listener of a process that plays: upgrades are its own, plain requests are passed on to the process that
// answers them. The bounds on what a peer may send are those of a gateway of one process.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { refuseUnreadable } from '../base/error-reply.ts';
import { UPLOAD_MS } from '../http/server/body-deadline.ts';
import { HANDSHAKE_MS, HTTP_GUARDS, KEEP_ALIVE_MS, MAX_HEADERS } from '../http/server/http-server.ts';

export type FrontServerOptions = {
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly maxSockets: number;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
};

export type FrontServer = {
  readonly server: Server;
  /** Resolves with the port. Rejects when the address cannot be had. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>;
  close(): Promise<void>;
};

export function createFrontServer({ tls, maxSockets, onRequest }: FrontServerOptions): FrontServer {
  const common = { ...HTTP_GUARDS, requestTimeout: UPLOAD_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server: Server =
    tls === undefined
      ? createServer(common, onRequest)
      : createTlsServer({ ...common, ...tls, handshakeTimeout: HANDSHAKE_MS }, onRequest);
  server.maxConnections = maxSockets;
  server.maxHeadersCount = MAX_HEADERS;
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket));
  return {
    server,
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => {
          // Where the port is shared, the error names `bind` and not what is wrong.
          const isTaken = error.code === 'EADDRINUSE';
          reject(isTaken ? new Error(`listen EADDRINUSE: address already in use ${host}:${port}`) : error);
        });
        server.listen({ host, port }, () => {
          server.removeAllListeners('error');
          resolve((server.address() as { port: number }).port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const WATCHED = /^\/v1\/sessions\/([\w-]{1,64})\/(?:events|captions\.vtt|audio)(?:\?|$)/;

/** The session that a request wants to observe; undefined for all other requests. */
export const watchedSession = (url: string): string | undefined => WATCHED.exec(url)?.[1];
