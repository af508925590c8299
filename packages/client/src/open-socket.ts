// One WebSocket, whoever made its class: a browser, Node (22 and later), or the package `ws`. The standard interface tells
// nothing of a refused upgrade (WHATWG WebSockets, 7); `ws` does, and Node takes headers.

import { isJsonObject } from '../../../src/base/json.ts';
import { parseRetryAfter } from '../../../src/limits/retry-after.ts';

/** A class of WebSockets: the standard one, or that of `ws`. */
export type WebSocketClass = new (url: string, ...more: never[]) => object;

export type UpgradeRefusal = {
  readonly status: number;
  readonly statusText: string | undefined;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
};

/** One of `refused`, `failed` and `closed` is the last that is called. */
export type SocketListener = {
  onText(text: string): void;
  onBytes(bytes: Uint8Array): void;
  /** The peer lives: it has answered a ping. */
  onPong(): void;
  onClosed(code: number, reason: string, fault?: Error): void;
  /** There was no connection; `fault` is undefined where nothing is said of it. */
  onFailed(fault: unknown): void;
  onRefused(refusal: UpgradeRefusal): void;
};

export type SocketRequest = {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly WebSocket: WebSocketClass | undefined;
  readonly connectMs: number;
  /** Asked by plain HTTP why there was no connection, where the class does not tell. */
  readonly inquiry?: string | undefined;
};

export type OpenSocket = {
  isOpen(): boolean;
  send(text: string): void;
  close(code: number): void;
  /** At once; the listener is told as of a connection that was lost. */
  terminate(): void;
  /** Absent where the class cannot. */
  readonly ping?: () => void;
};

type Emitter = {
  readonly readyState: number;
  // biome-ignore lint/suspicious/noExplicitAny: events of `ws` have arguments of their own
  on(event: string, listener: (...args: any[]) => void): void;
  send(data: string): void;
  close(code: number): void;
  terminate(): void;
  ping(): void;
};
type Response = {
  readonly statusCode?: number;
  readonly statusMessage?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  on(event: string, listener: (chunk: { toString(encoding: string): string }) => void): void;
};
type Standard = {
  binaryType: string;
  readonly readyState: number;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: object) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onopen: (() => void) | null;
  send(data: string): void;
  close(code?: number): void;
};

const OPEN = 1;
/** As much as a refusal can have. */
const MAX_REFUSAL_CHARACTERS = 2000;
/** RFC 6455 7.1.5: there was no close frame. */
const LOST = 1006;
const INQUIRY_MS = 5000;
const UPGRADE_REQUIRED = 426;

const global: { readonly WebSocket?: WebSocketClass } = globalThis as never;
/** Headers of an upgrade are for servers: a browser lets nobody set them. */
const isBrowser = 'document' in globalThis || 'importScripts' in globalThis;

/** Throws where there is no class to be had, or `url` is none. */
export function openSocket(request: SocketRequest, listener: SocketListener): OpenSocket {
  const { WebSocket = global.WebSocket } = request;
  if (WebSocket === undefined)
    throw new TypeError(
      'There is no WebSocket here (Node has one from version 22 on); give that of the package ws as the option WebSocket.',
    );
  return 'on' in (WebSocket.prototype as object)
    ? openEmitter(WebSocket, request, listener)
    : openStandard(WebSocket, request, listener);
}

function openEmitter(
  WebSocket: WebSocketClass,
  request: SocketRequest,
  listener: SocketListener,
): OpenSocket {
  const { url, protocols, headers, connectMs } = request;
  const options = { headers: { ...headers }, handshakeTimeout: connectMs, perMessageDeflate: false };
  const socket = new (WebSocket as new (...args: unknown[]) => Emitter)(url, [...protocols], options);
  let phase: 'opening' | 'open' | 'over' = 'opening';
  let fault: Error | undefined;
  const last = (tell: () => void) => {
    if (phase === 'over') return;
    phase = 'over';
    tell();
  };
  socket.on('open', () => {
    phase = 'open';
  });
  socket.on('pong', () => listener.onPong());
  socket.on('message', (data: Uint8Array, isBinary: boolean) => {
    if (phase === 'over') return;
    if (isBinary) listener.onBytes(data);
    else listener.onText(data.toString());
  });
  socket.on('error', (error: Error) => {
    fault = error; // of a connection that there was, `close` follows
    if (phase === 'opening') last(() => listener.onFailed(error));
  });
  socket.on('close', (code: number, reason: Uint8Array) =>
    last(() => listener.onClosed(code, reason.toString(), fault)),
  );
  socket.on('unexpected-response', (_request: unknown, response: Response) => {
    const { 'retry-after': retryAfter, date } = response.headers;
    let body = '';
    const refuse = () =>
      last(() => {
        clearTimeout(late);
        listener.onRefused({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage,
          body,
          retryAfterMs: parseRetryAfter(retryAfter, date),
        });
        socket.terminate();
      });
    response.on('data', (chunk) => {
      body = (body + chunk.toString('utf8')).slice(0, MAX_REFUSAL_CHARACTERS);
    });
    // Its first words are enough where the end of them does not come.
    const late = setTimeout(refuse, connectMs);
    response.on('error', refuse);
    response.on('close', refuse);
  });
  return {
    isOpen: () => socket.readyState === OPEN,
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
    terminate() {
      last(() => listener.onClosed(LOST, '', fault));
      socket.terminate();
    },
    ping: () => socket.ping(),
  };
}

/** What `inquiry` answers to a plain request: undefined when that says nothing. */
async function askWhy(
  inquiry: string,
  headers: SocketRequest['headers'],
): Promise<UpgradeRefusal | undefined> {
  const reply = await fetch(inquiry, {
    headers,
    signal: AbortSignal.timeout(INQUIRY_MS),
    cache: 'no-store',
  } as RequestInit);
  const body = (await reply.text()).slice(0, MAX_REFUSAL_CHARACTERS);
  if (reply.ok || reply.status === UPGRADE_REQUIRED) return undefined;
  const { status, statusText } = reply;
  const retryAfterMs = parseRetryAfter(
    reply.headers.get('retry-after') ?? undefined,
    reply.headers.get('date') ?? undefined,
  );
  return { status, statusText, body, retryAfterMs };
}

function openStandard(
  WebSocket: WebSocketClass,
  request: SocketRequest,
  listener: SocketListener,
): OpenSocket {
  const { url, protocols, headers, connectMs, inquiry } = request;
  const hasHeaders = Object.keys(headers).length > 0 && !isBrowser;
  const socket = new (WebSocket as new (...args: unknown[]) => Standard)(
    url,
    hasHeaders ? { protocols: [...protocols], headers: { ...headers } } : [...protocols],
  );
  socket.binaryType = 'arraybuffer';
  let isOver = false;
  let fault: Error | undefined;
  const last = (tell: () => void) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    tell();
  };
  const fail = () => {
    if (inquiry === undefined) return listener.onFailed(fault);
    askWhy(inquiry, hasHeaders ? headers : {}).then(
      (refusal) => (refusal === undefined ? listener.onFailed(fault) : listener.onRefused(refusal)),
      (thrown: unknown) => listener.onFailed(thrown),
    );
  };
  const late = setTimeout(() => {
    last(() => listener.onFailed(new Error('handshake has timed out')));
    socket.close();
  }, connectMs);
  let hasOpened = false;
  socket.onopen = () => {
    hasOpened = true;
    clearTimeout(late);
  };
  socket.onmessage = ({ data }) => {
    if (isOver) return;
    if (typeof data === 'string') listener.onText(data);
    else listener.onBytes(new Uint8Array(data as ArrayBuffer));
  };
  socket.onerror = (event) => {
    // Node says why; browsers say nothing.
    const { error, message } = event as { readonly error?: unknown; readonly message?: unknown };
    if (isJsonObject(error)) fault = error as unknown as Error;
    else if (typeof message === 'string' && message !== '') fault = new Error(message);
  };
  socket.onclose = ({ code, reason }) =>
    last(() => (hasOpened ? listener.onClosed(code, reason, fault) : fail()));
  return {
    isOpen: () => socket.readyState === OPEN,
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
    terminate() {
      last(() => (hasOpened ? listener.onClosed(LOST, '', fault) : listener.onFailed(fault)));
      socket.close();
    },
  };
}
