// The listener by which processes of ours reach each other: a Unix socket in a private folder within a machine, a port
// between instances. What comes in by it is a request that another process passes on, or its own; a request that was passed on
// has the peer of the original connection.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { refuseUnreadable } from '../base/error-reply.ts';
import { HANDSHAKE_MS, HTTP_GUARDS, KEEP_ALIVE_MS, MAX_HEADERS } from '../http/server/http-server.ts';
import { createAnswersUnderWay } from './answers-under-way.ts';
import { type NoteReader, PEER_HEADER, type ReadNote } from './peer-note.ts';

export const UPGRADE_NAME = 'voxgate-leg';
export const LEG_PATH = '/leg/';

export type OpenRelay = () => Duplex | undefined;
export type LegAnswer = 'given' | 'taken' | 'gone';

export type PrivateListenerOptions = {
  readonly clock: Clock;
  readonly listen:
    | { readonly path: string }
    | {
        readonly host: string;
        readonly port: number;
        readonly tls: { cert: string; key: string } | undefined;
      };
  readonly notes: NoteReader;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, note: ReadNote) => void;
  /** It has come from nobody of ours, or too late, or for another; `address`: of the peer. Absent: nobody is told. */
  readonly onRefused?: (address: string) => void;
  /** An upgrade of a caller that another process passes on. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** A process wants to play to a leg; `which`: what stands behind LEG_PATH, as it came. `open` gives the stream to it, while it is there. */
  readonly onLeg?: (which: string, open: OpenRelay) => LegAnswer | Promise<LegAnswer>;
};

export type PrivateListener = {
  readonly server: Server;
  /** Resolves when all that was asked has been answered, or when there was time enough for it. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/** All that has a time of its own has it behind this. */
const REQUEST_MS = 15 * 60_000;
/** Sockets between processes: a machine that has vanished says nothing, and the system finds out some ten seconds after the delay. */
export const PROBED = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 5000 };
/** Each call and each client that is elsewhere takes one. */
const MAX_PEER_SOCKETS = 16_384;
/** A header with two more, so that a request that just fits fits here, too. */
const MORE_HEADER_BYTES = 1024;

const REFUSED_LEGS = {
  taken: 'HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  gone: 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
} as const;

/** Stands for `Connection: close` on the way to the caller: between two processes the connection stays. */
export const CLOSE_HEADER = 'x-voxgate-close';

/**
 * A request may be answered before it has come to its end. Closed then, the answer would be lost with what is still on its
 * way; so the process that passes it on is asked to close towards the caller, and what comes meanwhile is read and dropped.
 */
function keepOpen(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    headers?: Record<string, unknown>,
  ) => ServerResponse;
  response.writeHead = ((status: number, headers: Record<string, unknown> = {}) => {
    const name = Object.keys(headers).find((each) => each.toLowerCase() === 'connection');
    if (name === undefined || headers[name] !== 'close') return writeHead(status, headers);
    const { [name]: _close, ...others } = headers;
    return writeHead(status, { ...others, [CLOSE_HEADER]: '1' });
  }) as typeof response.writeHead;
  response.once('finish', () => response.req.resume());
}

const dropHeader = (request: IncomingMessage, name: string) => {
  const { headers, rawHeaders } = request; // read before they change: the one is made of the other
  delete headers[name];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]!.toLowerCase() === name) rawHeaders.splice(at, 2);
};

/** One request at a time is on a connection, so the connection may wear the peer of its request. */
function dress(request: IncomingMessage, { address, scheme, hosts }: ReadNote): void {
  dropHeader(request, PEER_HEADER);
  if (hosts === 'none') dropHeader(request, 'host');
  if (hosts === 'several') request.rawHeaders.push('Host', '');
  Object.defineProperties(request.socket, {
    remoteAddress: { value: address, configurable: true },
    encrypted: { value: scheme === 'https', configurable: true },
  });
}

export async function openPrivateListener(options: PrivateListenerOptions): Promise<PrivateListener> {
  const { notes, listen } = options;
  const answers = createAnswersUnderWay(options.clock);
  const noteOf = (request: IncomingMessage): ReadNote | undefined => {
    const [given, ...more] = [request.headers[PEER_HEADER]].flat();
    const asked = { method: request.method ?? '', path: request.url ?? '' };
    const note = given === undefined || more.length > 0 ? undefined : notes.read(given, asked);
    if (note === undefined) options.onRefused?.(request.socket.remoteAddress ?? '');
    return note;
  };
  const guards = {
    ...HTTP_GUARDS,
    maxHeaderSize: HTTP_GUARDS.maxHeaderSize + MORE_HEADER_BYTES,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...PROBED,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const note = noteOf(request);
    if (note === undefined) return void request.socket.destroy();
    dress(request, note);
    keepOpen(response);
    answers.add(response);
    options.onRequest(request, response, note);
  };
  const isLocal = 'path' in listen;
  const tls = 'path' in listen ? undefined : listen.tls;
  const server: Server =
    tls === undefined
      ? createServer(guards, onRequest)
      : createTlsServer({ ...guards, ...tls, handshakeTimeout: HANDSHAKE_MS }, onRequest);
  // Within a machine nobody else can connect.
  if (!isLocal) server.maxConnections = MAX_PEER_SOCKETS;
  /** Taken out of the server's hands, so that it does not end them by itself. */
  const relays = new Set<Duplex>();
  server.maxHeadersCount = MAX_HEADERS;
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket as Socket));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const note = noteOf(request);
    if (
      note !== undefined &&
      options.onUpgrade !== undefined &&
      /^websocket$/i.test(request.headers.upgrade!)
    ) {
      dress(request, note);
      relays.add(socket);
      socket.once('close', () => relays.delete(socket));
      return options.onUpgrade(request, socket, head);
    }
    const isLeg = request.headers.upgrade === UPGRADE_NAME && request.url?.startsWith(LEG_PATH) === true;
    if (!isLeg || note === undefined || options.onLeg === undefined) return void socket.destroy();
    const onError = () => socket.destroy();
    socket.on('error', onError);
    const open = () => {
      if (socket.destroyed) return undefined;
      socket.off('error', onError);
      if (head.length > 0) socket.unshift(head);
      relays.add(socket);
      socket.once('close', () => relays.delete(socket));
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE_NAME}\r\n\r\n`,
      );
      return socket;
    };
    const answer = (became: LegAnswer) => {
      if (became !== 'given') socket.end(REFUSED_LEGS[became]);
    };
    const became = options.onLeg(request.url!.slice(LEG_PATH.length), open);
    if (became instanceof Promise) became.then(answer, onError);
    else answer(became);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A process that shares its ports keeps this one to itself.
    const at = 'path' in listen ? { path: listen.path } : { host: listen.host, port: listen.port };
    server.listen({ ...at, exclusive: true }, resolve);
  });
  return {
    server,
    settle: () => answers.settle(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const relay of relays) relay.destroy();
      }),
  };
}
