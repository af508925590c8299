// A session of the native protocol: connect, send, wait for what comes. One listener, no queue: messages are handed over as they
// arrive, audio with the turn that it belongs to. A resumable session outlives its connection: it comes back by itself, and
// whoever uses it meets the same messages and bytes as without the drop.

import type { ClientCommand, ServerEvent } from './messages.ts';
import type { WebSocketClass } from './open-socket.ts';
import { Session } from './session.ts';
import type { SessionError } from './session-error.ts';

export type ServerEventType = ServerEvent['type'];
export type EventOf<T extends ServerEventType> = Extract<ServerEvent, { type: T }>;

/** How a session ended; `error` says why, and is undefined when this side closed it. */
export type SessionClosed = {
  /** Of the WebSocket. */
  readonly code: number;
  readonly reason: string;
  readonly error: SessionError | undefined;
};

/** What becomes of the connection of a resumable session. */
export type ConnectionChange =
  | {
      readonly type: 'reconnecting';
      /** From 1. */
      readonly attempt: number;
      /** Until the attempt is made. */
      readonly delayMs: number;
      /** Why there is no connection. */
      readonly error: SessionError;
    }
  | {
      readonly type: 'resumed';
      /** False: some of what was missed is no longer there, or was spoken anew. */
      readonly exact: boolean;
      /** What comes next of the turn's audio begins a container of its own. */
      readonly newContainer: boolean;
      /** Without a connection, ms. */
      readonly awayMs: number;
    };

/** Everything that fails, fails with a `SessionError`. A promise of `next` that nobody waits for is no unhandled rejection. */
export type SessionClient = {
  /** What the gateway said of itself first. */
  readonly ready: EventOf<'ready'>;
  /** Until the session is closed by either side; then `send` throws. A resumable one is open while it comes back. */
  isOpen(): boolean;
  /** How long the gateway keeps the session for this client to come back, ms; 0: a drop ends it. */
  readonly resumableForMs: number;
  /** Resolves when the session is over, however; never rejects. */
  readonly closed: Promise<SessionClosed>;
  /** Throws when the session is over, the message larger than `limits.messageBytes`, or too much waits for a connection. */
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

export type SessionListeners = {
  onEvent?(event: ServerEvent): void;
  onAudio?(bytes: Uint8Array, turn: string): void;
  onConnection?(change: ConnectionChange): void;
};

export type SessionClientOptions = SessionListeners & {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside `voxgate.v1`: `token.…`. */
  readonly protocols?: readonly string[];
  /** The global one unless given. */
  readonly WebSocket?: WebSocketClass | undefined;
  /** Comes back after a drop, where the gateway keeps sessions. `resumable=1` in the address says the same. */
  readonly resumable?: boolean | undefined;
  /** The upgrade was refused; told before `connectSession` rejects. */
  onRefused?(refusal: { readonly status: number; readonly retryAfterMs: number | undefined }): void;
};

/** Resolves after `ready`; rejects with a `SessionError` that has what the gateway answered when it refuses the upgrade. */
export async function connectSession(options: SessionClientOptions): Promise<SessionClient> {
  const session = new Session(options);
  const ready = await session.opened();
  return {
    ready,
    isOpen: () => session.isOpen(),
    resumableForMs: session.forMs,
    closed: session.closed,
    send: (command) => session.send(command),
    next: (type, fits) => session.next(type, fits),
    pause: (turn, playedMs) =>
      session.answered({ type: 'pause', turn, ...(playedMs !== undefined && { playedMs }) }, 'paused'),
    resume: (turn) => session.answered({ type: 'resume', turn }, 'resumed'),
    seek: (turn, paragraph, playedMs) =>
      session.answered(
        { type: 'seek', turn, paragraph, ...(playedMs !== undefined && { playedMs }) },
        'sought',
      ),
    close: () => session.close(),
  };
}
