// Upgrades and the connections that come of them. Whoever may not come in is told by an HTTP status at the
// upgrade, never by accept-then-close: clients read the first as a reason and the second as a fault to retry.

import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Credentials } from '../access/credentials.ts';
import { guardLoopback } from '../access/loopback-guard.ts';
import { AppError, toAppError, toErrorBody } from '../base/app-error.ts';
import type { SessionRuntime } from '../session/session-runtime.ts';
import { applySettings, type TurnSettings } from '../session/turn-settings.ts';
import { type ClientConnection, type ConnectionLimits, createClientConnection } from './client-connection.ts';
import { readPreset } from './session-preset.ts';

export type SocketServerOptions = {
  readonly version: string;
  readonly scheme: 'http' | 'https';
  readonly credentials: Credentials;
  readonly runtime: SessionRuntime;
  readonly settings: TurnSettings;
  readonly limits: ConnectionLimits & {
    readonly maxConnections: number;
    /** 0 is no limit of its own. */
    readonly maxConnectionsPerUser: number;
  };
  onOpened(): void;
  onClosed(code: number): void;
};

export type SocketServer = {
  attach(server: Server): void;
  readonly connections: ReadonlySet<ClientConnection>;
  /** Refuses upgrades, tells every session, and resolves when all have closed or `deadlineMs` have passed. */
  drain(deadlineMs: number): Promise<void>;
  close(): void;
};

const SWEEP_MS = 1000;
/** A socket whose other side does not answer the close frame is ended after this. */
const CLOSE_TIMEOUT_MS = 3000;
const SUBPROTOCOL = 'voxgate.v1';
const SESSION_PATH = '/v1/session';
/** Bounds on what one peer can make the receiver hold: tiny fragments cost a hundred bytes each. */
const MOST_FRAGMENTS = 32;
const MOST_BUFFERED_CHUNKS = 1024;
/** A peer that pings and does not read is ended by the library beyond this. */
const MOST_PENDING_PONGS = 8;

export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { runtime, limits } = options;
  const { clock } = runtime;
  const connections = new Set<ClientConnection>();
  const perUser = new Map<string, number>();
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let cancelSweep: (() => void) | undefined;

  // A constant of its own: the published types are behind the library's own options.
  const socketOptions = {
    noServer: true,
    maxPayload: limits.messageBytes,
    maxFragments: MOST_FRAGMENTS,
    maxBufferedChunks: MOST_BUFFERED_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    // Audio does not shrink; deflating it costs eight times the sending and 220 KB a connection.
    perMessageDeflate: false,
    handleProtocols: (offered: ReadonlySet<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    clientTracking: false,
    maxPendingAutoPongs: MOST_PENDING_PONGS,
  };
  const sockets = new WebSocketServer(socketOptions);

  const sweep = () => {
    const nowMs = clock.now();
    for (const connection of connections) connection.sweep(nowMs);
    cancelSweep = connections.size > 0 ? clock.after(SWEEP_MS, sweep) : undefined;
  };

  /** Everything that can be wrong with an upgrade, in the order in which a caller would mend it. */
  const admit = (request: IncomingMessage): { readonly userId: string; readonly settings: TurnSettings } => {
    if (phase !== 'open') {
      throw new AppError('shutting_down', 'The gateway is about to stop; try another instance.', {
        retryAfterMs: 1000,
      });
    }
    const { headers } = request;
    if (!options.credentials.areRequired) guardLoopback(headers, options.scheme);
    const url = new URL(request.url ?? '/', 'http://gateway');
    if (url.pathname !== SESSION_PATH) {
      throw new AppError('not_found', `There is no WebSocket at this path; sessions are at ${SESSION_PATH}.`);
    }
    const userIdHeader = headers['x-user-id'];
    const userId = options.credentials.identify(
      headers.authorization,
      Array.isArray(userIdHeader) ? userIdHeader[0] : userIdHeader,
    );
    const settings = applySettings(options.settings, readPreset(url.searchParams));
    const mine = perUser.get(userId) ?? 0;
    if (limits.maxConnectionsPerUser > 0 && mine >= limits.maxConnectionsPerUser) {
      const message = `This user has ${mine} connections already, the most allowed.`;
      throw new AppError('connection_limit', message, { retryAfterMs: 5000 });
    }
    if (connections.size >= limits.maxConnections) {
      throw new AppError('busy', 'The gateway has as many connections as it may.', { retryAfterMs: 5000 });
    }
    return { userId, settings };
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A peer that resets before the handshake must not end the process.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    let admitted: ReturnType<typeof admit>;
    try {
      admitted = admit(request);
    } catch (thrown) {
      return refuse(socket, toAppError(thrown));
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', onError);
      open(webSocket, admitted);
    });
  };

  const open = (
    socket: Parameters<typeof createClientConnection>[0]['socket'],
    { userId, settings }: ReturnType<typeof admit>,
  ) => {
    perUser.set(userId, (perUser.get(userId) ?? 0) + 1);
    const connection = createClientConnection({
      id: runtime.random.id(16),
      userId,
      version: options.version,
      socket,
      settings,
      runtime,
      limits,
      onClosed(code) {
        connections.delete(connection);
        const left = (perUser.get(userId) ?? 1) - 1;
        if (left > 0) perUser.set(userId, left);
        else perUser.delete(userId);
        options.onClosed(code);
        onDrained();
      },
    });
    connections.add(connection);
    options.onOpened();
    cancelSweep ??= clock.after(SWEEP_MS, sweep);
  };

  let onDrained = () => {};

  return {
    attach(server) {
      server.on('upgrade', onUpgrade);
    },
    connections,
    drain(deadlineMs) {
      phase = 'draining';
      for (const connection of connections) connection.drain(deadlineMs);
      return new Promise((resolve) => {
        const end = () => {
          cancelDeadline();
          for (const connection of connections) connection.close('shutting_down');
          resolve();
        };
        const cancelDeadline = clock.after(deadlineMs, end);
        onDrained = () => {
          if (connections.size === 0) end();
        };
        onDrained();
      });
    },
    close() {
      phase = 'closed';
      cancelSweep?.();
      for (const connection of connections) connection.close('shutting_down');
      sockets.close();
    },
  };
}

/** Answers an upgrade with a plain HTTP refusal and ends the socket. */
function refuse(socket: Duplex, error: AppError): void {
  const body = JSON.stringify(toErrorBody(error));
  const lines = [
    `HTTP/1.1 ${error.http} ${STATUS_CODES[error.http]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  if (error.retryAfterMs !== undefined) lines.push(`Retry-After: ${Math.ceil(error.retryAfterMs / 1000)}`);
  if (error.code === 'unauthorized') lines.push('WWW-Authenticate: Bearer');
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
