// A client of the native protocol for the commands: connect, send, wait for what comes. One listener, no queue:
// messages are handed over as they arrive, audio with the turn that it belongs to.

import { WebSocket } from 'ws';
import type { EventOf, ServerEvent, ServerEventType } from '../dialects/native-events.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';

export type SessionClient = {
  /** What the gateway said of itself first. */
  readonly ready: EventOf<'ready'>;
  send(command: ClientCommand): void;
  /** The next message of `type` that fits; rejects when the connection ends first. */
  next<T extends ServerEventType>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
  /** Resolve with the gateway's answer, and reject with what it refuses. */
  pause(turn: string, playedMs?: number): Promise<EventOf<'paused'>>;
  resume(turn: string): Promise<EventOf<'resumed'>>;
  seek(turn: string, paragraph: number, playedMs?: number): Promise<EventOf<'sought'>>;
  close(): void;
};

export type SessionClientOptions = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  onEvent?(event: ServerEvent): void;
  onAudio?(bytes: Uint8Array, turn: string): void;
  /** The upgrade was refused; told before `connectSession` rejects. */
  onRefused?(refusal: { readonly status: number; readonly retryAfterMs: number | undefined }): void;
};

type Waiter = {
  readonly fits: (event: ServerEvent) => boolean;
  resolve(event: ServerEvent): void;
  reject(error: Error): void;
};

const CONNECT_DEADLINE_MS = 10_000;

/** What the system says of a connection names neither the address as it was given nor that nobody is there. */
function unreachable(url: string, error: NodeJS.ErrnoException): Error {
  if (!URL.canParse(url) || !/^(connect|getaddrinfo)$/.test(error.syscall ?? '')) return error;
  const { protocol, host } = new URL(url);
  return new Error(`${protocol}//${host} cannot be reached (${error.code}); is the gateway running?`, {
    cause: error,
  });
}

/** Resolves after `ready`; rejects with what the gateway answered when it refuses the upgrade. */
export async function connectSession(options: SessionClientOptions): Promise<SessionClient> {
  const socket = new WebSocket(options.url, 'voxgate.v1', {
    headers: { ...options.headers },
    handshakeTimeout: CONNECT_DEADLINE_MS,
    perMessageDeflate: false,
  });
  let waiters: Waiter[] = [];
  let turn = '';

  const fail = (error: Error) => {
    const all = waiters;
    waiters = [];
    for (const waiter of all) waiter.reject(error);
  };
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'started') turn = event.turn;
    if (event.type === 'audio') options.onAudio?.(Buffer.from(event.data, 'base64'), event.turn);
    options.onEvent?.(event);
    const fitting = waiters.filter((waiter) => waiter.fits(event));
    waiters = waiters.filter((waiter) => !fitting.includes(waiter));
    for (const waiter of fitting) waiter.resolve(event);
  };
  const client: Omit<SessionClient, 'ready'> = {
    send: (command) => socket.send(JSON.stringify(command)),
    next: <T extends ServerEventType>(type: T, fits: (event: EventOf<T>) => boolean = () => true) =>
      new Promise<EventOf<T>>((resolve, reject) => {
        waiters.push({
          fits: (event) => event.type === type && fits(event as EventOf<T>),
          resolve: (event) => resolve(event as EventOf<T>),
          reject,
        });
        if (socket.readyState > WebSocket.OPEN) fail(new Error('The connection is closed.'));
      }),
    pause: (turn, playedMs) =>
      answered({ type: 'pause', turn, ...(playedMs !== undefined && { playedMs }) }, 'paused'),
    resume: (turn) => answered({ type: 'resume', turn }, 'resumed'),
    seek: (turn, paragraph, playedMs) =>
      answered({ type: 'seek', turn, paragraph, ...(playedMs !== undefined && { playedMs }) }, 'sought'),
    close: () => socket.close(1000),
  };
  /** What the gateway says to a command about a turn: what was asked for, or that it will not be. */
  const answered = async <T extends 'paused' | 'resumed' | 'sought'>(
    command: ClientCommand & { readonly turn: string },
    type: T,
  ): Promise<EventOf<T>> => {
    const isOfTurn = (event: { readonly turn?: string | undefined }) => event.turn === command.turn;
    const said = client.next(type, isOfTurn as (event: EventOf<T>) => boolean);
    const refused = client.next('error', isOfTurn);
    refused.catch(() => {}); // it waits on when nothing is refused, until the connection ends
    client.send(command);
    return Promise.race([
      said,
      refused.then(({ code, message }) => Promise.reject(new Error(`${code}: ${message}`))),
    ]);
  };

  socket.on('message', (data, isBinary) => {
    if (isBinary) options.onAudio?.(data as Buffer, turn);
    else onEvent(JSON.parse((data as Buffer).toString('utf8')) as ServerEvent);
  });
  socket.on('close', (code, reason) => {
    fail(
      new Error(
        `The gateway closed the connection (${code}${reason.length > 0 ? `, ${reason.toString()}` : ''}).`,
      ),
    );
  });
  socket.on('unexpected-response', (_request, response) => {
    const seconds = response.headers['retry-after'];
    options.onRefused?.({
      status: response.statusCode ?? 0,
      retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    });
    let body = '';
    response.on('data', (chunk: Buffer) => {
      body = (body + chunk.toString('utf8')).slice(0, 2000);
    });
    response.on('end', () =>
      fail(new Error(`The gateway refused the session: ${response.statusCode} ${body}`)),
    );
  });
  socket.on('error', (error) => fail(unreachable(options.url, error)));
  return { ...client, ready: await client.next('ready') };
}
