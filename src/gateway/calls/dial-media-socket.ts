// The WebSocket of a media channel that waits in Asterisk's HTTP server (chan_websocket, `WebSocket/INCOMING`) at
// /media/CONNECTION-ID. Only the one server that the settings name is ever dialled, no redirect is followed, and what it
// answers beyond its status is not read.

import { type ClientOptions, WebSocket } from 'ws';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { SOCKET_BOUNDS } from '../sockets/socket-bounds.ts';
import { MAX_LEG_BYTES } from './leg-sockets.ts';

export type MediaServer = {
  /** Without user and password, and without a slash at its end. */
  readonly url: string;
  readonly authorization: string | undefined;
};

/** `address` is that of the settings: ws or wss, with or without `user:password@`. */
export function readMediaServer(address: string): MediaServer {
  const { protocol, host, pathname, username, password } = new URL(address);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url: `${protocol}//${host}${pathname.replace(/\/+$/, '')}`,
    authorization: login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

export type DialledChannel<Opened> = {
  readonly server: MediaServer;
  /** Of the form of a UUID. */
  readonly connectionId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Takes the socket at once: what Asterisk says first may have come with its handshake. */
  open(socket: WebSocket): Promise<Opened>;
};

/** Asterisk stands in the same network. */
const CONNECT_MS = 5000;
const { noServer: _server, clientTracking: _tracking, ...BOUNDS } = SOCKET_BOUNDS;

const unreachable = (what: string) => new AppError('leg_unreachable', `Asterisk ${what}.`);

/** What its answers mean: chan_websocket.c knows 404 and 409. */
function refusalOf(status: number | undefined): AppError {
  if (status === 404)
    return new AppError('leg_not_found', 'No channel of Asterisk waits for a connection of this id.');
  if (status === 409)
    return new AppError('leg_taken', 'Asterisk has a connection of this id already; each is good for one.');
  return unreachable(`refused the connection with status ${status}`);
}

/** A system's or TLS's code tells what is wrong; the library's own texts are about the handshake. */
const faultOf = (error: NodeJS.ErrnoException): AppError =>
  error.code === undefined || error.code.startsWith('WS_')
    ? unreachable('did not answer as a WebSocket of the subprotocol media')
    : unreachable(`cannot be reached (${error.code})`);

/** Resolves as `open` does; rejects with the refusal, or with the signal's reason. */
export function dialMediaSocket<Opened>(channel: DialledChannel<Opened>): Promise<Opened> {
  const { server, connectionId, clock, signal } = channel;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options: ClientOptions = {
      ...BOUNDS,
      maxPayload: MAX_LEG_BYTES,
      followRedirects: false,
      // Whatever the environment of the process says.
      rejectUnauthorized: true,
      headers: server.authorization === undefined ? {} : { authorization: server.authorization },
    };
    const socket = new WebSocket(`${server.url}/media/${connectionId}`, ['media'], options);
    const settle = () => {
      cancelDeadline();
      signal.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: Error) => {
      settle();
      reject(error);
      socket.terminate();
    };
    const onAbort = () => giveUp(signal.reason as Error);
    const cancelDeadline = clock.after(CONNECT_MS, () =>
      giveUp(unreachable(`did not take the connection within ${CONNECT_MS / 1000} s`)),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('unexpected-response', (request, { statusCode }) => {
      giveUp(refusalOf(statusCode));
      request.destroy();
    });
    // Stays: what was given up tells of its end as well.
    socket.on('error', (error) => giveUp(faultOf(error)));
    socket.once('open', () => {
      settle();
      resolve(channel.open(socket));
    });
  });
}
