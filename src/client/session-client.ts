// A client of the native protocol for the commands: connect, send, wait for what comes. One listener, no queue:
// messages are handed over as they arrive, audio with the turn that it belongs to.

import { WebSocket } from 'ws';
import { isJsonObject, parseJson } from '../base/json.ts';
import type { EventOf, ServerEvent, ServerEventType } from '../dialects/native-events.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';
import { connectFault } from './connect-fault.ts';
import { closedError, refusedError, SessionError, unreachableError } from './session-error.ts';

/** How a session ended; `error` says why, and is undefined when this side closed it. */
export type SessionClosed = {
  /** Of the WebSocket. */
  readonly code: number;
  readonly reason: string;
  readonly error: SessionError | undefined;
};

/** Everything that fails, fails with a `SessionError`. A promise of `next` that nobody waits for is no unhandled rejection. */
export type SessionClient = {
  /** What the gateway said of itself first. */
  readonly ready: EventOf<'ready'>;
  /** Until the connection is closed by either side; then `send` throws. */
  isOpen(): boolean;
  /** Resolves when the connection is gone, however; never rejects. */
  readonly closed: Promise<SessionClosed>;
  /** Throws when the session is over, or the message larger than `limits.messageBytes`. */
  send(command: ClientCommand): void;
  /** The next message of `type` that fits; rejects when the session ends first. */
  next<T extends ServerEventType>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
  /** Resolve with the gateway's answer, and reject with what it refuses. */
  pause(turn: string, playedMs?: number): Promise<EventOf<'paused'>>;
  resume(turn: string): Promise<EventOf<'resumed'>>;
  seek(turn: string, paragraph: number, playedMs?: number): Promise<EventOf<'sought'>>;
  /** Nothing is handed on from here on, and what `next` promised rejects. */
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

/** The gateway's own words; whatever else, when something between us answered. */
function readRefusal(status: number, body: string): { readonly words: string; readonly errorId?: string } {
  const told = parseJson(body)?.value;
  if (!isJsonObject(told) || typeof told.errorMessage !== 'string')
    return { words: `${status} ${body}`.trim() };
  const errorId = String(told.errorId);
  return { words: `${status} ${errorId}: ${told.errorMessage}`, errorId };
}

/** Resolves after `ready`; rejects with a `SessionError` that has what the gateway answered when it refuses the upgrade. */
export async function connectSession(options: SessionClientOptions): Promise<SessionClient> {
  const socket = new WebSocket(options.url, 'voxgate.v1', {
    headers: { ...options.headers },
    handshakeTimeout: CONNECT_DEADLINE_MS,
    perMessageDeflate: false,
  });
  let waiters: Waiter[] = [];
  let turn = '';
  let mostBytes = Number.POSITIVE_INFINITY;
  /** The first reason counts: what follows comes of it. */
  let over: SessionError | undefined;
  let hasOpened = false;
  let isClosedHere = false;
  let fault: Error | undefined;
  let tellClosed = (_closed: SessionClosed) => {};
  const closed = new Promise<SessionClosed>((resolve) => {
    tellClosed = resolve;
  });

  const end = (error: SessionError) => {
    over ??= error;
    const all = waiters;
    waiters = [];
    for (const waiter of all) waiter.reject(over);
  };
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'started') turn = event.turn;
    if (event.type === 'ready') mostBytes = event.limits.messageBytes;
    if (event.type === 'audio') options.onAudio?.(Buffer.from(event.data, 'base64'), event.turn);
    options.onEvent?.(event);
    const fitting = waiters.filter((waiter) => waiter.fits(event));
    waiters = waiters.filter((waiter) => !fitting.includes(waiter));
    for (const waiter of fitting) waiter.resolve(event);
  };
  const isOpen = () => over === undefined && socket.readyState === WebSocket.OPEN;
  const send = (command: ClientCommand) => {
    if (!isOpen()) throw over ?? closedHere();
    const text = JSON.stringify(command);
    // The gateway would close the connection, and could not say why.
    if (text.length > mostBytes / 3 && Buffer.byteLength(text) > mostBytes)
      throw new SessionError(
        `The message has ${Buffer.byteLength(text)} bytes, of ${mostBytes} at most; send less at a time.`,
        {
          code: 'payload_too_large',
          isRetryable: false,
        },
      );
    socket.send(text);
  };
  const next = <T extends ServerEventType>(type: T, fits: (event: EventOf<T>) => boolean = () => true) => {
    const coming = new Promise<EventOf<T>>((resolve, reject) => {
      waiters.push({
        fits: (event) => event.type === type && fits(event as EventOf<T>),
        resolve: (event) => resolve(event as EventOf<T>),
        reject,
      });
    });
    coming.catch(() => {}); // whoever waits for it is told
    if (over !== undefined) end(over);
    return coming;
  };
  /** What the gateway says to a command about a turn: what was asked for, or that it will not be. */
  const answered = async <T extends 'paused' | 'resumed' | 'sought'>(
    command: ClientCommand & { readonly turn: string },
    type: T,
  ): Promise<EventOf<T>> => {
    const isOfTurn = (event: { readonly turn?: string | undefined }) => event.turn === command.turn;
    const said = next(type, isOfTurn as (event: EventOf<T>) => boolean);
    const refused = next('error', isOfTurn);
    send(command);
    return Promise.race([
      said,
      refused.then(({ code, message, retryable: isRetryable, retryAfterMs }) =>
        Promise.reject(new SessionError(`${code}: ${message}`, { code, isRetryable, retryAfterMs })),
      ),
    ]);
  };

  socket.on('message', (data, isBinary) => {
    if (over !== undefined) return;
    if (isBinary) options.onAudio?.(data as Buffer, turn);
    else onEvent(JSON.parse((data as Buffer).toString('utf8')) as ServerEvent);
  });
  socket.on('close', (code, bytes) => {
    const reason = bytes.toString('utf8');
    end(closedError(code, reason, fault));
    tellClosed({ code, reason, error: isClosedHere ? undefined : over });
  });
  socket.on('unexpected-response', (_request, response) => {
    const seconds = response.headers['retry-after'];
    const status = response.statusCode ?? 0;
    const retryAfterMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    options.onRefused?.({ status, retryAfterMs });
    let body = '';
    response.on('data', (chunk: Buffer) => {
      body = (body + chunk.toString('utf8')).slice(0, 2000);
    });
    response.on('error', () => {}); // `close` follows
    response.on('close', () => {
      const { words, errorId } = readRefusal(status, body);
      end(refusedError(words, { status, errorId, retryAfterMs }));
    });
  });
  socket.on('open', () => {
    hasOpened = true;
  });
  socket.on('error', (error) => {
    fault = error; // of a connection that there was, `close` follows
    if (!hasOpened) end(unreachableError(connectFault(error, options.url)));
  });
  const ready = await next('ready');
  return {
    ready,
    isOpen,
    closed,
    send,
    next,
    pause: (of, playedMs) =>
      answered({ type: 'pause', turn: of, ...(playedMs !== undefined && { playedMs }) }, 'paused'),
    resume: (of) => answered({ type: 'resume', turn: of }, 'resumed'),
    seek: (of, paragraph, playedMs) =>
      answered({ type: 'seek', turn: of, paragraph, ...(playedMs !== undefined && { playedMs }) }, 'sought'),
    close() {
      isClosedHere ||= isOpen();
      end(closedHere());
      socket.close(1000);
    },
  };
}

const closedHere = () =>
  new SessionError('The session is closed.', { code: 'connection_closed', isRetryable: true });
