// Legs that this gateway dials: a channel waits in Asterisk, a user names its connection id, and the leg belongs to that
// user, like one that has dialled in with the user's token. No caller can name an address.

import { type ClientOptions, WebSocket } from 'ws';
import type { AttachTokens } from '../../access/attach-tokens.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { chanWebSocketLeg } from '../../legs/chan-websocket-leg.ts';
import type { CallLeg } from '../../playout/call-leg.ts';
import { SOCKET_BOUNDS } from '../sockets/socket-bounds.ts';
import type { LegEnd } from './leg-connection.ts';
import { type LegSockets, MAX_LEG_BYTES } from './leg-sockets.ts';

// The WebSocket of a media channel that waits in Asterisk's HTTP server (chan_websocket, `WebSocket/INCOMING`) at
// /media/CONNECTION-ID. Only the one server that the settings name is ever dialled, no redirect is followed, and what it
// answers beyond its status is not read.

export type MediaServer = {
  /** Without user and password, and without a slash at its end. */
  readonly url: string;
  readonly authorization: string | undefined;
};

/** `address` is that of the settings: ws or wss, with or without `user:password@`. */
function readMediaServer(address: string): MediaServer {
  const { protocol, host, pathname, username, password } = new URL(address);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url: `${protocol}//${host}${pathname.replace(/\/+$/, '')}`,
    authorization: login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

type DialledChannel<Opened> = {
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
function dialMediaSocket<Opened>(channel: DialledChannel<Opened>): Promise<Opened> {
  const { server, connectionId, clock, signal } = channel;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options: ClientOptions = {
      ...BOUNDS,
      maxPayload: MAX_LEG_BYTES,
      followRedirects: false,
      // Regardless of the environment of the process.
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
    // Not removed: an abandoned socket emits its end, too.
    socket.on('error', (error) => giveUp(faultOf(error)));
    socket.once('open', () => {
      settle();
      resolve(channel.open(socket));
    });
  });
}

type WantedChannel = {
  readonly userId: string;
  /** Of the form of a UUID. */
  readonly connectionId: string;
  /** What the leg is to be called; by default the channel's own id. */
  readonly callSid?: string | undefined;
};

type LegDialler = {
  /** Resolves when Asterisk has said what the call is. Rejects with the refusal, or with the signal's reason. */
  readonly dial: (wanted: WantedChannel, signal: AbortSignal) => Promise<CallLeg>;
  /** Dials no more, and aborts what is under way. */
  drain(): void;
};

type LegDiallerOptions = {
  /** The address of Asterisk's HTTP server; undefined: nothing is dialled. */
  readonly asteriskUrl: string | undefined;
  readonly sockets: LegSockets;
  readonly tokens: AttachTokens;
  readonly clock: Clock;
};

/** Asterisk sends it first. */
const START_MS = 5000;

const brokeRules = () => unreachable('sent what no WebSocket may send');

const REFUSALS: Readonly<Record<LegEnd, (reason: string) => AppError>> = {
  leg_codec: (reason) => new AppError('leg_codec', reason),
  unauthorized: () =>
    new AppError(
      'forbidden',
      'The channel brings a VOXGATE_TOKEN that belongs to no session of this user; give it the attachToken of one.',
    ),
  idle_timeout: () =>
    new AppError(
      'leg_unreachable',
      `Asterisk took the connection and did not say within ${START_MS / 1000} s what the call is.`,
    ),
  shutting_down: () => new AppError('shutting_down', 'The gateway is about to stop; try another instance.'),
  rate_limited: () => new AppError('leg_unreachable', 'Asterisk sent more than a call can need.'),
  busy: () => new AppError('busy', 'The gateway has as many legs as it may.', { retryAfterMs: 5000 }),
  slow_reader: () => unreachable('takes nothing of what it is sent'),
  payload_too_large: brokeRules,
  invalid_json: brokeRules,
  invalid_request: brokeRules,
  internal: () => new AppError('internal', 'The leg failed inside.'),
  over: () => new AppError('leg_unreachable', 'Asterisk closed the connection before the call began.'),
};

export function createLegDialler(options: LegDiallerOptions): LegDialler {
  const { asteriskUrl, sockets, tokens, clock } = options;
  const server = asteriskUrl === undefined ? undefined : readMediaServer(asteriskUrl);
  const stopping = new AbortController();

  return {
    async dial({ userId, connectionId, callSid }, given) {
      if (server === undefined)
        throw new AppError(
          'unsupported',
          'Set VOXGATE_ASTERISK_URL to the address of Asterisk’s HTTP server: without it nothing is dialled.',
        );
      const signal = AbortSignal.any([given, stopping.signal]);
      signal.throwIfAborted();
      const giveRoomBack = sockets.takeRoom();
      const begin = (socket: WebSocket) =>
        new Promise<CallLeg>((resolve, reject) => {
          giveRoomBack();
          const onAbort = () => connection.close('given up');
          const connection = sockets.open(socket, {
            leg: chanWebSocketLeg,
            standing: 'proved',
            address: undefined,
            token: undefined,
            userOf: (token) => (token === undefined || tokens.userOf(token) === userId ? userId : undefined),
            callId: callSid,
            startWithinMs: START_MS,
            onStarted(leg) {
              signal.removeEventListener('abort', onAbort);
              resolve(leg);
            },
            onEnded(end, reason) {
              signal.removeEventListener('abort', onAbort);
              reject(REFUSALS[end](reason));
            },
          });
          signal.addEventListener('abort', onAbort, { once: true });
        });
      return dialMediaSocket({ server, connectionId, clock, signal, open: begin }).finally(giveRoomBack);
    },
    drain: () => stopping.abort(REFUSALS.shutting_down('')),
  };
}
