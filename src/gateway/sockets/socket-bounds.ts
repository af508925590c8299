// Bounds on what one peer can make a WebSocket of ours hold, and for how long: the same for sessions and for calls.

import type { WebSocket } from 'ws';
import type { ErrorCode } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';

/** What one client may send. These are no settings: nobody has needed to change them. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
export const MAX_MESSAGES_PER_SECOND = 5000;
/** Thirty times what a thousand tokens a second need. */
export const MAX_BYTES_PER_SECOND = 2 * 1024 * 1024;

/** A socket whose other side does not answer the close frame, or reads on after a refusal, is ended after this. */
export const CLOSE_TIMEOUT_MS = 3000;

// Without a type: the published ones are behind the library's own options.
export const SOCKET_BOUNDS = {
  noServer: true,
  clientTracking: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
  // Tiny fragments cost the receiver a hundred bytes each.
  maxFragments: 32,
  maxBufferedChunks: 1024,
  // A peer that pings and does not read is ended by the library beyond this.
  maxPendingAutoPongs: 8,
  // Audio does not shrink; deflating it costs eight times the sending and 220 KB a connection.
  perMessageDeflate: false,
} as const;

/** By then a close frame has arrived. */
const LAST_WORDS_MS = 1000;

/** A peer that was closed for sending too much is not read any more, and may send on for a moment only. */
export function stopReadingAfterClose(socket: WebSocket, clock: Clock): void {
  socket.pause();
  const cancel = clock.after(LAST_WORDS_MS, () => socket.terminate());
  socket.once('close', cancel);
}

/**
 * For how long a client that is too slow may still read what lies before its last messages: at a quarter of real time it has
 * some 40 s of it to read when it is noticed.
 */
const MAX_SLOW_MS = 60_000;
/**
 * For how long such a client may leave all pings unanswered. At a quarter of real time the last ping, some
 * 6 s of sound after the one before, is answered 25 s later.
 */
const FIRST_ANSWER_MS = 30_000;

/** A peer that reads too slowly is ended when it has read nothing for a while (`hasRead`), or not all of it in time. */
export function endUnlessRead(socket: WebSocket, clock: Clock, hasRead: () => boolean): void {
  const cancelFirst = clock.after(FIRST_ANSWER_MS, () => {
    if (!hasRead()) socket.terminate();
  });
  const cancelLast = clock.after(MAX_SLOW_MS, () => socket.terminate());
  socket.once('close', () => {
    cancelFirst();
    cancelLast();
  });
}

export type SocketFault = {
  /** Of the close frame that the library has sent; its own event says 1006. */
  readonly close: number;
  readonly code: Extract<ErrorCode, 'invalid_json' | 'invalid_request' | 'payload_too_large'>;
};

/** The codes of the library (ws, doc/ws.md, "Error codes") that are closed with anything but 1002. */
const SOCKET_FAULTS: Readonly<Record<string, SocketFault>> = {
  WS_ERR_INVALID_UTF8: { close: 1007, code: 'invalid_json' },
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: { close: 1009, code: 'payload_too_large' },
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: { close: 1009, code: 'payload_too_large' },
  WS_ERR_TOO_MANY_BUFFERED_PARTS: { close: 1008, code: 'payload_too_large' },
};
const PROTOCOL_FAULT: SocketFault = { close: 1002, code: 'invalid_request' };

/** What the peer of a WebSocket did that the library has closed it for; undefined for a connection that was lost. */
export function socketFaultOf({ code }: NodeJS.ErrnoException): SocketFault | undefined {
  if (code === undefined || !code.startsWith('WS_ERR_')) return undefined;
  return SOCKET_FAULTS[code] ?? PROTOCOL_FAULT;
}

/** The subprotocols that lines of `Sec-WebSocket-Protocol` offer, in order. */
export const offeredProtocols = (lines: readonly string[] = []): string[] =>
  lines.flatMap((line) => line.split(',').map((name) => name.trim()));

/** RFC 6455 7.4.1: what a connection is closed with that is lost without a word. */
export const NO_CLOSE_FRAME = 1006;
/**
 * Of a connection that was lost: without a close frame, by a page or a computer that went away, by a server or a proxy in
 * between that stopped (RFC 6455 7.4.1 and the IANA registry). With any other code the client has closed the session.
 */
const LOST: ReadonlySet<number> = new Set([1001, NO_CLOSE_FRAME, 1011, 1012, 1013, 1014]);

export const isLost = (closeCode: number): boolean => LOST.has(closeCode);
