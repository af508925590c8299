// A client of the native protocol for the commands: connect, send, wait for what comes. One listener, no queue:
// messages are handed over as they arrive, audio with the turn that it belongs to.

import { WebSocket } from 'ws';
import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import type { EventOf, ServerEvent, ServerEventType } from '../dialects/native-events.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';
import { parseRetryAfter } from '../limits/retry-after.ts';
import { connectFault, silenceOf } from './connect-fault.ts';
import { closedError, refusedError, SessionError, unreachableError } from './session-error.ts';
import { refusalOf } from './voxgate-error.ts';

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

/** To the answer to the upgrade, and from there to `ready`. */
const CONNECT_DEADLINE_MS = 10_000;
/** Whatever is at the other end of a WebSocket answers a ping by itself (RFC 6455, 5.5.2): two in a row are not missed by chance. */
const PING_MS = 20_000;
const MAX_UNANSWERED_PINGS = 2;
/** As much as a refusal can have. */
const MAX_REFUSAL_CHARACTERS = 2000;

/** Whoever speaks reads these limits at once; a gateway of a later version may say more in any message. */
const isWhole = (event: JsonObject): boolean => event.type !== 'ready' || isJsonObject(event.limits);

function openSocket({ url, headers }: SessionClientOptions): WebSocket {
  try {
    return new WebSocket(url, 'voxgate.v1', {
      headers: { ...headers },
      handshakeTimeout: CONNECT_DEADLINE_MS,
      perMessageDeflate: false,
    });
  } catch (error) {
    // Its words repeat the address.
    throw unreachableError(connectFault(error, url));
  }
}

/** Resolves after `ready`; rejects with a `SessionError` that has what the gateway answered when it refuses the upgrade. */
export async function connectSession(options: SessionClientOptions): Promise<SessionClient> {
  const socket = openSocket(options);
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

  const giveUp = (error: SessionError) => {
    end(error);
    socket.terminate();
  };
  let unanswered = 0;
  const pings = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (unanswered === MAX_UNANSWERED_PINGS)
      return giveUp(unreachableError(silenceOf(options.url, PING_MS * unanswered)));
    unanswered += 1;
    socket.ping();
  }, PING_MS);
  pings.unref();
  socket.on('pong', () => {
    unanswered = 0;
  });
  socket.on('message', (data, isBinary) => {
    unanswered = 0; // the answer to a ping stands behind what is on its way
    if (over !== undefined) return;
    if (isBinary) return options.onAudio?.(data as Buffer, turn);
    const event = parseJson((data as Buffer).toString('utf8'))?.value;
    if (isJsonObject(event) && typeof event.type === 'string' && isWhole(event))
      onEvent(event as ServerEvent);
    else giveUp(foreignMessage());
  });
  socket.on('close', (code, bytes) => {
    clearInterval(pings);
    const reason = bytes.toString('utf8');
    end(closedError(code, reason, fault));
    tellClosed({ code, reason, error: isClosedHere ? undefined : over });
  });
  socket.on('unexpected-response', (_request, response) => {
    const status = response.statusCode ?? 0;
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], response.headers.date);
    options.onRefused?.({ status, retryAfterMs });
    let body = '';
    response.on('data', (chunk: Buffer) => {
      body = (body + chunk.toString('utf8')).slice(0, MAX_REFUSAL_CHARACTERS);
    });
    const refuse = () => {
      clearTimeout(late);
      const { by, words, errorId } = refusalOf(status, response.statusMessage, body);
      giveUp(
        refusedError(by === 'gateway' ? `${status} ${String(errorId)}: ${words}` : words, {
          by,
          status,
          errorId,
          retryAfterMs,
        }),
      );
    };
    // Its first words are enough where the end of them does not come.
    const late = setTimeout(refuse, CONNECT_DEADLINE_MS);
    response.on('error', refuse);
    response.on('close', refuse);
  });
  socket.on('open', () => {
    hasOpened = true;
  });
  socket.on('error', (error) => {
    fault = error; // of a connection that there was, `close` follows
    if (!hasOpened) end(unreachableError(connectFault(error, options.url)));
  });
  const late = setTimeout(
    () => giveUp(unreachableError(silenceOf(options.url, 2 * CONNECT_DEADLINE_MS))),
    2 * CONNECT_DEADLINE_MS,
  );
  const ready = await next('ready').finally(() => clearTimeout(late));
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

const foreignMessage = () =>
  new SessionError(
    'What came is no message of the protocol voxgate.v1; check the address, and the versions at both ends.',
    { code: 'refused', isRetryable: false },
  );
