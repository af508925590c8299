// The listener by which the processes of one gateway reach each other: a Unix socket in a private folder, and a secret.
// What comes in by it is a request that another process passes on; its peer is the peer of the original connection.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { digestKey, isKey } from '../access/bearer-key.ts';
import type { Clock } from '../base/clock.ts';
import { refuseUnreadable } from '../base/error-reply.ts';
import { HTTP_GUARDS, KEEP_ALIVE_MS, MAX_HEADERS } from '../http/server/http-server.ts';
import { createAnswersUnderWay } from './answers-under-way.ts';

/** Headers by which one process describes a request that it passes on to another; from callers they are removed. */
export const PEER_HEADER = 'x-voxgate-peer';
export const UPGRADE_NAME = 'voxgate-leg';
export const LEG_PATH = '/leg/';

export type PeerNote = {
  readonly secret: string;
  /** The address of the peer, from its socket. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** A request without `Host` got one on the way; of several only the first came along. */
  readonly hosts: 'named' | 'none' | 'several';
};

export type PrivateListenerOptions = {
  readonly clock: Clock;
  readonly path: string;
  readonly secret: string;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** An upgrade of a caller that another process passes on. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** A process takes the leg of this key. */
  readonly onLeg?: (key: string, relay: Duplex) => void;
};

export type PrivateListener = {
  /** Resolves when all that was asked has been answered, or when there was time enough for it. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/** All that has a time of its own has it behind this. */
const REQUEST_MS = 15 * 60_000;
/** A header with two more, so that a request that just fits fits here, too. */
const MORE_HEADER_BYTES = 1024;

export const peerNote = ({ secret, address, scheme, hosts }: PeerNote): string =>
  [secret, scheme, hosts, address].join(' ');

function readNote(text: string): PeerNote {
  const [secret = '', scheme, hosts, address = ''] = text.split(' ');
  return {
    secret,
    address,
    scheme: scheme === 'https' ? 'https' : 'http',
    hosts: hosts === 'none' || hosts === 'several' ? hosts : 'named',
  };
}

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
function dress(request: IncomingMessage, { address, scheme, hosts }: PeerNote): void {
  dropHeader(request, PEER_HEADER);
  if (hosts === 'none') dropHeader(request, 'host');
  if (hosts === 'several') request.rawHeaders.push('Host', '');
  Object.defineProperties(request.socket, {
    remoteAddress: { value: address, configurable: true },
    encrypted: { value: scheme === 'https', configurable: true },
  });
}

export async function openPrivateListener(options: PrivateListenerOptions): Promise<PrivateListener> {
  const secret = digestKey(options.secret);
  const answers = createAnswersUnderWay(options.clock);
  const noteOf = (request: IncomingMessage): PeerNote | undefined => {
    const given = [request.headers[PEER_HEADER]].flat();
    const note = given.length === 1 && given[0] !== undefined ? readNote(given[0]) : undefined;
    return note !== undefined && isKey(note.secret, secret) ? note : undefined;
  };
  const server: Server = createServer(
    {
      ...HTTP_GUARDS,
      maxHeaderSize: HTTP_GUARDS.maxHeaderSize + MORE_HEADER_BYTES,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      const note = noteOf(request);
      if (note === undefined) return void request.socket.destroy();
      dress(request, note);
      keepOpen(response);
      answers.add(response);
      options.onRequest(request, response);
    },
  );
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
    if (head.length > 0) socket.unshift(head);
    relays.add(socket);
    socket.once('close', () => relays.delete(socket));
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE_NAME}\r\n\r\n`,
    );
    options.onLeg(decodeURIComponent(request.url!.slice(LEG_PATH.length)), socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // A process that shares its ports keeps this one to itself.
    server.listen({ path: options.path, exclusive: true }, resolve);
  });
  return {
    settle: () => answers.settle(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const relay of relays) relay.destroy();
      }),
  };
}
