// A client of the native protocol for the commands: connect, send, wait for what comes. One listener, no queue:
// messages are handed over as they arrive, audio with the turn that it belongs to.

import { WebSocket } from 'ws';
import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import type { EventOf, ServerEvent, ServerEventType } from '../dialects/native-events.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';
import { connectFault, silenceOf } from './connect-fault.ts';
import { refusalOf } from './voxgate-error.ts';

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
    throw connectFault(error, url);
  }
}

/** Resolves after `ready`; rejects with what the gateway answered when it refuses the upgrade. */
export async function connectSession(options: SessionClientOptions): Promise<SessionClient> {
  const socket = openSocket(options);
  let waiters: Waiter[] = [];
  let turn = '';
  /** Why the connection ended; what is waited for afterwards is told the same. */
  let fault: Error | undefined;

  const fail = (error: Error) => {
    fault ??= error;
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
        if (socket.readyState > WebSocket.OPEN) fail(fault ?? new Error('The connection is closed.'));
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

  const giveUp = (error: Error) => {
    fail(error);
    socket.terminate();
  };
  let unanswered = 0;
  const pings = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (unanswered === MAX_UNANSWERED_PINGS) return giveUp(silenceOf(options.url, PING_MS * unanswered));
    unanswered += 1;
    socket.ping();
  }, PING_MS);
  pings.unref();
  socket.on('pong', () => {
    unanswered = 0;
  });
  socket.on('message', (data, isBinary) => {
    if (isBinary) return options.onAudio?.(data as Buffer, turn);
    const event = parseJson((data as Buffer).toString('utf8'))?.value;
    if (isJsonObject(event) && typeof event.type === 'string' && isWhole(event))
      onEvent(event as ServerEvent);
    else
      giveUp(
        new Error(
          'What came is no message of the protocol voxgate.v1; check the address, and the versions at both ends.',
        ),
      );
  });
  socket.on('close', (code, reason) => {
    clearInterval(pings);
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
      body = (body + chunk.toString('utf8')).slice(0, MAX_REFUSAL_CHARACTERS);
    });
    const refuse = () => {
      clearTimeout(late);
      const { statusCode: status = 0, statusMessage } = response;
      const { by, words, errorId } = refusalOf(status, statusMessage, body);
      giveUp(
        new Error(
          by === 'gateway'
            ? `The gateway refused the session: ${status} ${String(errorId)}: ${words}`
            : `The session was refused: ${words}.`,
        ),
      );
    };
    // Its first words are enough where the end of them does not come.
    const late = setTimeout(refuse, CONNECT_DEADLINE_MS);
    response.on('end', refuse);
    response.on('error', refuse);
  });
  socket.on('error', (error) => fail(connectFault(error, options.url)));
  const late = setTimeout(
    () => giveUp(silenceOf(options.url, 2 * CONNECT_DEADLINE_MS)),
    2 * CONNECT_DEADLINE_MS,
  );
  try {
    return { ...client, ready: await client.next('ready') };
  } finally {
    clearTimeout(late);
  }
}
