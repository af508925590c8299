// The life of a session: its connection, and where the gateway keeps it the next ones, until either side ends it. What comes on any
// of them is handed on as if there were one.

import { isJsonObject, type JsonObject, parseJson } from '../../../src/base/json.ts';
import { connectFault, silenceOf } from './connect-fault.ts';
import type { ClientCommand, ConnectionEvent, ServerEvent } from './messages.ts';
import { type OpenSocket, openSocket, type UpgradeRefusal } from './open-socket.ts';
import { isLost, MAX_WAITING_BYTES, ResumeLedger, reconnectDelayMs } from './resume-ledger.ts';
import type { EventOf, ServerEventType, SessionClientOptions, SessionClosed } from './session-client.ts';
import {
  closedError,
  closedHere,
  foreignMessage,
  lostError,
  refusedError,
  SessionError,
  tooLarge,
  tooMuchWaits,
  unreachableError,
} from './session-error.ts';
import { refusalOf } from './voxgate-error.ts';

type Waiter = {
  readonly fits: (event: ServerEvent) => boolean;
  resolve(event: ServerEvent): void;
  reject(error: Error): void;
};
type Told = (ServerEvent | ConnectionEvent) & { readonly n?: number };

/** What is of the session; numbers and tokens are of its connections. */
function bare(told: ServerEvent): ServerEvent {
  const { n: _n, ...event } = told as ServerEvent & { readonly n?: number };
  if (event.type === 'ready') delete (event as { resume?: unknown }).resume;
  return event as ServerEvent;
}

const PROTOCOL = 'voxgate.v1';
/** To the answer to the upgrade, and from there to the first message. */
const CONNECT_DEADLINE_MS = 10_000;
/** Whatever is at the other end of a WebSocket answers a ping by itself (RFC 6455, 5.5.2): two in a row are not missed by chance. */
const PING_MS = 20_000;
const MAX_UNANSWERED_PINGS = 2;
/** A resumable session asks after half of it whether the gateway is there, and comes back after the whole. */
const SILENCE_MS = 8000;
const LOOK_MS = 1000;
/** Of our own `ping`, whose answer is nobody's. */
const OWN_PING = 'voxgate-client';
/** No token comes back by these: nothing is left, or nobody may. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 404, 410]);

/** Of a browser; elsewhere nothing tells of a network. */
const page = globalThis as {
  addEventListener?(type: 'online', listener: () => void): void;
  removeEventListener?(type: 'online', listener: () => void): void;
};

/** Whoever speaks reads these limits at once; a gateway of a later version may say more in any message. */
const isWhole = (event: JsonObject): boolean =>
  (event.type !== 'ready' || isJsonObject(event.limits)) &&
  (event.type !== 'session_resumed' || isJsonObject(event.resume));

/** Base64 as bytes, in browsers and Node. */
const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (code) => code.charCodeAt(0));

export class Session {
  private readonly options: SessionClientOptions;
  private readonly url: URL;
  readonly closed: Promise<SessionClosed>;
  private tellClosed: (closed: SessionClosed) => void = () => {};
  private socket: OpenSocket | undefined;
  private phase: 'connecting' | 'connected' | 'away' = 'connecting';
  /** The first reason counts: what follows comes of it. */
  private over: SessionError | undefined;
  private isClosedHere = false;
  private waiters: Waiter[] = [];
  private turn = '';
  private mostBytes = Number.POSITIVE_INFINITY;
  /** Only of a session that the gateway keeps. */
  private ledger: ResumeLedger | undefined;
  private token = '';
  forMs = 0;
  private lostAtMs = 0;
  private lastClose = { code: 1006, reason: '' };
  private attempts = 0;
  private heardAtMs = 0;
  private unanswered = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;

  constructor(options: SessionClientOptions) {
    this.options = options;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    try {
      this.url = new URL(options.url);
    } catch (error) {
      // Its words repeat the address.
      throw unreachableError(connectFault(error, options.url));
    }
    if (options.resumable === true) this.url.searchParams.set('resumable', '1');
    if (options.resumable === false) this.url.searchParams.delete('resumable');
    this.connect(this.url, options.protocols ?? [], CONNECT_DEADLINE_MS);
  }

  async opened(): Promise<EventOf<'ready'>> {
    const late = setTimeout(
      () => this.giveUp(unreachableError(silenceOf(this.options.url, 2 * CONNECT_DEADLINE_MS))),
      2 * CONNECT_DEADLINE_MS,
    );
    return this.next('ready').finally(() => clearTimeout(late));
  }
  isOpen(): boolean {
    return this.over === undefined && (this.ledger !== undefined || this.socket?.isOpen() === true);
  }
  send(command: ClientCommand): void {
    if (!this.isOpen()) throw this.over ?? closedHere();
    const text = JSON.stringify(command);
    // The gateway would close the connection, and could not say why.
    if (text.length > this.mostBytes / 3) {
      const bytes = new TextEncoder().encode(text).length;
      if (bytes > this.mostBytes) throw tooLarge(bytes, this.mostBytes);
    }
    if (this.ledger?.add(command, text) === false) throw tooMuchWaits(MAX_WAITING_BYTES);
    if (this.phase === 'connected') this.socket?.send(text);
  }
  next<T extends ServerEventType>(
    type: T,
    fits: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    const coming = new Promise<EventOf<T>>((resolve, reject) => {
      this.waiters.push({
        fits: (event) => event.type === type && fits(event as EventOf<T>),
        resolve: (event) => resolve(event as EventOf<T>),
        reject,
      });
    });
    coming.catch(() => {}); // whoever waits for it is told
    if (this.over !== undefined) this.end(this.over);
    return coming;
  }
  /** What the gateway says to a command about a turn: what was asked for, or that it will not be. */
  async answered<T extends 'paused' | 'resumed' | 'sought'>(
    command: ClientCommand & { readonly turn: string },
    type: T,
  ): Promise<EventOf<T>> {
    const isOfTurn = (event: { readonly turn?: string | undefined }) => event.turn === command.turn;
    const said = this.next(type, isOfTurn as (event: EventOf<T>) => boolean);
    const refused = this.next('error', isOfTurn);
    this.send(command);
    return Promise.race([
      said,
      refused.then(({ code, message, retryable: isRetryable, retryAfterMs }) =>
        Promise.reject(new SessionError(`${code}: ${message}`, { code, isRetryable, retryAfterMs })),
      ),
    ]);
  }
  close(): void {
    this.isClosedHere ||= this.isOpen();
    this.end(closedHere());
    this.socket?.close(1000);
    if (this.phase === 'away') this.gone(1000, '');
  }

  private end(error: SessionError): void {
    this.over ??= error;
    const { over, waiters } = this;
    this.waiters = [];
    for (const waiter of waiters) waiter.reject(over);
  }
  /** There is no connection any more, and none will be. */
  private gone(code: number, reason: string): void {
    clearTimeout(this.timer);
    clearInterval(this.watch);
    page.removeEventListener?.('online', this.hurry);
    this.tellClosed({ code, reason, error: this.isClosedHere ? undefined : this.over });
  }
  private giveUp(error: SessionError): void {
    this.end(error);
    this.socket?.terminate();
  }

  private connect(url: URL, protocols: readonly string[], connectMs: number, inquiry?: string): void {
    const { headers = {}, WebSocket } = this.options;
    // What an older connection still says is not heard.
    const isLatest = () => this.socket === socket || socket === undefined;
    let socket: OpenSocket | undefined;
    try {
      socket = openSocket(
        { url: url.href, protocols: [PROTOCOL, ...protocols], headers, WebSocket, connectMs, inquiry },
        {
          onText: (text) => isLatest() && this.text(text),
          onBytes: (bytes) => isLatest() && this.audio(bytes),
          onPong: () => {
            this.unanswered = 0;
          },
          onClosed: (code, reason, fault) =>
            isLatest() && this.lost(closedError(code, reason, fault), code, reason),
          onFailed: (fault) => {
            if (isLatest()) this.lost(unreachableError(connectFault(fault, this.options.url)), 1006, '');
          },
          onRefused: (refusal) => isLatest() && this.refused(refusal),
        },
      );
    } catch (error) {
      throw unreachableError(connectFault(error, this.options.url));
    }
    this.socket = socket;
  }
  private refused(refusal: UpgradeRefusal): void {
    const { status, statusText, body, retryAfterMs } = refusal;
    this.options.onRefused?.({ status, retryAfterMs });
    const { by, words, errorId } = refusalOf(status, statusText, body);
    const said = by === 'gateway' ? `${status} ${String(errorId)}: ${words}` : words;
    const error = refusedError(said, { by, status, errorId, retryAfterMs });
    if (this.phase === 'away' && !(by === 'gateway' && FINAL_STATUSES.has(status)))
      return this.tryAgain(error, retryAfterMs);
    this.end(error);
    this.gone(1006, '');
  }
  /** The connection has ended, or there was none. */
  private lost(error: SessionError, code: number, reason: string): void {
    if (this.phase === 'away') return this.tryAgain(error, undefined);
    if (this.ledger === undefined || this.over !== undefined || !isLost(code, reason)) {
      this.end(error);
      return this.gone(code, reason);
    }
    this.phase = 'away';
    this.lostAtMs = performance.now();
    this.lastClose = { code, reason };
    this.attempts = 0;
    page.addEventListener?.('online', this.hurry);
    this.tryAgain(error, undefined);
  }
  private tryAgain(error: SessionError, retryAfterMs: number | undefined): void {
    if (this.over !== undefined) return; // closed here while it was away
    const leftMs = this.lostAtMs + this.forMs - performance.now();
    if (this.attempts > 0 && leftMs <= 0) {
      this.end(lostError(this.forMs, error));
      return this.gone(this.lastClose.code, this.lastClose.reason);
    }
    const backOffMs = Math.max(reconnectDelayMs(this.attempts, Math.random()), retryAfterMs ?? 0);
    const delayMs = Math.round(Math.min(backOffMs, Math.max(0, leftMs)));
    this.attempts += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.comeBack, delayMs);
    this.options.onConnection?.({ type: 'reconnecting', attempt: this.attempts, delayMs, error });
  }
  /** The system says that there is a network again. */
  private readonly hurry = (): void => {
    if (this.phase !== 'away' || this.over !== undefined || this.socket?.isOpen() === true) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.comeBack, reconnectDelayMs(0, Math.random()));
  };
  private readonly comeBack = (): void => {
    const url = new URL(this.url.pathname, this.url);
    url.search = new URLSearchParams(this.ledger!.claim()).toString();
    const inquiry = new URL(url.href.replace(/^ws/, 'http'));
    inquiry.searchParams.set('resume', this.token);
    // One that hangs must not take all the time that is left.
    this.timer = setTimeout(() => this.socket?.terminate(), CONNECT_DEADLINE_MS);
    this.connect(url, [`resume.${this.token}`], CONNECT_DEADLINE_MS, inquiry.href);
  };
  private resumed(event: Extract<ConnectionEvent, { type: 'session_resumed' }>): void {
    const { exact, taken, resume } = event;
    const { newContainer = false } = event as { readonly newContainer?: boolean };
    clearTimeout(this.timer);
    page.removeEventListener?.('online', this.hurry);
    this.phase = 'connected';
    this.keep(resume);
    const ledger = this.ledger!;
    ledger.acknowledge(taken);
    for (const text of ledger.unacknowledged()) this.socket?.send(text);
    const awayMs = Math.round(performance.now() - this.lostAtMs);
    this.options.onConnection?.({ type: 'resumed', exact, newContainer, awayMs });
  }
  private keep({ token, forMs }: { readonly token: string; readonly forMs: number }): void {
    this.token = token;
    this.forMs = forMs;
  }

  private audio(bytes: Uint8Array): void {
    this.heardAtMs = performance.now();
    this.unanswered = 0; // the answer to a ping stands behind what is on its way
    if (this.over !== undefined) return;
    this.ledger?.audio(bytes.length);
    this.options.onAudio?.(bytes, this.turn);
  }
  private text(text: string): void {
    this.heardAtMs = performance.now();
    this.unanswered = 0;
    if (this.over !== undefined) return;
    const event = parseJson(text)?.value;
    if (isJsonObject(event) && typeof event.type === 'string' && isWhole(event)) this.told(event as Told);
    else this.giveUp(foreignMessage());
  }
  private begin({ limits, resume }: EventOf<'ready'>): void {
    this.mostBytes = limits.messageBytes;
    this.phase = 'connected';
    if (resume !== undefined) {
      this.ledger = new ResumeLedger();
      this.keep(resume);
    }
    this.watch = setInterval(() => this.look(), this.ledger === undefined ? PING_MS : LOOK_MS);
    (this.watch as { unref?: () => void }).unref?.();
  }
  private told(told: Told): void {
    if (told.type === 'session_resumed') return this.resumed(told);
    if (told.type === 'ack') return this.ledger?.acknowledge(told.n);
    if (told.type === 'ready') this.begin(told);
    if (this.ledger?.message(told) === false) return;
    const event = this.ledger === undefined ? told : bare(told);
    if (event.type === 'pong' && event.id === OWN_PING) return;
    if (event.type === 'started') this.turn = event.turn;
    if (event.type === 'audio') {
      const bytes = bytesOf(event.data);
      this.ledger?.audio(bytes.length);
      this.options.onAudio?.(bytes, event.turn);
    }
    this.options.onEvent?.(event);
    const fitting = this.waiters.filter((waiter) => waiter.fits(event));
    this.waiters = this.waiters.filter((waiter) => !fitting.includes(waiter));
    for (const waiter of fitting) waiter.resolve(event);
  }

  /** Whether there still is somebody at the other end. */
  private look(): void {
    const { ledger, socket } = this;
    if (this.over !== undefined || this.phase !== 'connected' || socket?.isOpen() !== true) return;
    if (ledger === undefined) {
      if (socket.ping === undefined) return;
      if (this.unanswered === MAX_UNANSWERED_PINGS)
        return this.giveUp(unreachableError(silenceOf(this.options.url, PING_MS * this.unanswered)));
      this.unanswered += 1;
      return socket.ping();
    }
    if (!ledger.isExpecting()) {
      this.heardAtMs = performance.now();
      this.unanswered = 0;
      return;
    }
    const silentMs = performance.now() - this.heardAtMs;
    if (silentMs >= SILENCE_MS) return socket.terminate();
    if (silentMs < SILENCE_MS / 2 || this.unanswered > 0) return;
    this.unanswered = 1;
    const ping = { type: 'ping', id: OWN_PING };
    const text = JSON.stringify(ping);
    if (ledger.add(ping, text)) socket.send(text);
  }
}
