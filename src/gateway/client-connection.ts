// One client's socket: frames in → dialect → session, messages and audio out. It never stops reading, so that a
// cancel always gets through; a client that stops reading is noticed and closed, and nobody else feels it.

import type { WebSocket } from 'ws';
import { AppError, ERROR_TABLE, type ErrorCode } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { decodeNative, encodeAudio, encodeNative } from '../dialects/native-dialect.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { createTokenBucket } from '../limits/token-bucket.ts';
import { createSession } from '../session/session.ts';
import { errorEvent, type SessionRuntime } from '../session/session-runtime.ts';
import type { TurnSettings } from '../session/turn-settings.ts';

export type ConnectionLimits = {
  readonly heartbeatMs: number;
  readonly pongTimeoutMs: number;
  /** A session without a message and without audio is closed after this; 0 is never. */
  readonly idleTimeoutMs: number;
  /** Bytes that may wait in this process for one client. */
  readonly maxBufferedBytes: number;
  /** A socket that takes nothing for so long while audio is due is closed. */
  readonly drainDeadlineMs: number;
  readonly messageBytes: number;
  readonly messagesPerSecond: number;
};

export type ClientConnection = {
  readonly id: string;
  readonly userId: string;
  readonly openedAtMs: number;
  readonly turnsUnheard: number;
  readonly bufferedBytes: number;
  /** Heartbeat, idle time and slow reading; called about once a second for all connections. */
  sweep(nowMs: number): void;
  /** Takes no new turn and closes once the last one has been heard. */
  drain(deadlineMs: number): void;
  close(code: ErrorCode): void;
};

/** Above this the socket is given time before it gets more; far below the bound, so that one frame never hits it. */
const CONGESTED_BYTES = 128 * 1024;
/** A burst of messages is normal: a client that was cut off sends what it has saved up. */
const BURST_SECONDS = 2;

export type ConnectionOptions = {
  readonly id: string;
  readonly userId: string;
  readonly version: string;
  readonly socket: WebSocket;
  readonly settings: TurnSettings;
  readonly runtime: SessionRuntime;
  readonly limits: ConnectionLimits;
  onClosed(code: number): void;
};

export function createClientConnection(options: ConnectionOptions): ClientConnection {
  const { socket, runtime, limits } = options;
  const clock: Clock = runtime.clock;
  const openedAtMs = clock.now();
  const messages = createTokenBucket(limits.messagesPerSecond, limits.messagesPerSecond * BURST_SECONDS);
  let heardFromAtMs = openedAtMs;
  let pingedAtMs = openedAtMs;
  let isAwaitingPong = false;
  let congestedSinceMs: number | undefined;
  let phase: 'open' | 'draining' | 'closing' = 'open';

  const say = (event: ServerEvent) => {
    if (phase !== 'closing') socket.send(encodeNative(event));
  };
  const session = createSession(runtime, options.settings, {
    say,
    sendAudio({ turn, encoding, seq, atMs, bytes }) {
      if (phase === 'closing') return;
      if (encoding === 'binary') socket.send(bytes);
      else socket.send(encodeAudio(turn, seq, atMs, bytes));
    },
    isCongested: () => socket.bufferedAmount > CONGESTED_BYTES,
  });

  const close = (code: ErrorCode) => {
    if (phase === 'closing') return;
    phase = 'closing';
    session.close();
    // `ws` ends the socket by itself when the other side does not answer the close in time.
    socket.close(ERROR_TABLE[code].close, code);
  };
  const refuseAndClose = (error: AppError) => {
    say(errorEvent(error));
    close(error.code);
  };

  const onMessage = (data: Buffer, isBinary: boolean) => {
    heardFromAtMs = clock.now();
    if (!messages.take(heardFromAtMs)) {
      const message = `More than ${limits.messagesPerSecond} messages a second; send text in larger pieces.`;
      return refuseAndClose(new AppError('rate_limited', message));
    }
    if (isBinary) {
      return say(errorEvent(new AppError('unexpected_binary', 'Clients send JSON text frames only.')));
    }
    const decoded = decodeNative(data.toString('utf8'));
    if (decoded.ok) session.handle(decoded.command);
    else say(errorEvent(new AppError(decoded.code, decoded.message), decoded.turn));
  };

  socket.on('message', (data, isBinary) => {
    if (phase !== 'closing') onMessage(data as Buffer, isBinary);
  });
  socket.on('pong', () => {
    isAwaitingPong = false;
  });
  // A protocol fault is answered and closed by `ws` itself; without a listener it would end the process.
  socket.on('error', (error) =>
    runtime.log.debug('socket fault', { session: options.id, fault: error.message }),
  );
  socket.once('close', (code) => {
    phase = 'closing';
    session.close();
    options.onClosed(code);
  });

  const heartbeat = (nowMs: number) => {
    if (isAwaitingPong && nowMs - pingedAtMs >= limits.pongTimeoutMs) {
      // Whoever does not read does not pong; a close frame would only join what it does not read.
      phase = 'closing';
      session.close();
      socket.terminate();
    } else if (!isAwaitingPong && nowMs - pingedAtMs >= limits.heartbeatMs) {
      isAwaitingPong = true;
      pingedAtMs = nowMs;
      socket.ping();
    }
  };
  const watchReading = (nowMs: number) => {
    const { bufferedAmount } = socket;
    congestedSinceMs = bufferedAmount > CONGESTED_BYTES ? (congestedSinceMs ?? nowMs) : undefined;
    const isStuck = congestedSinceMs !== undefined && nowMs - congestedSinceMs >= limits.drainDeadlineMs;
    if (isStuck || bufferedAmount > limits.maxBufferedBytes) close('slow_reader');
  };

  const ready: EventOf<'ready'> = {
    type: 'ready',
    session: options.id,
    version: options.version,
    limits: {
      textChars: runtime.limits.textChars,
      pendingTextChars: runtime.limits.pendingTextChars,
      turnsInFlight: runtime.limits.turnsInFlight,
      messageBytes: limits.messageBytes,
      messagesPerSecond: limits.messagesPerSecond,
      idleTimeoutMs: limits.idleTimeoutMs,
    },
  };
  say(ready);

  return {
    id: options.id,
    userId: options.userId,
    openedAtMs,
    get turnsUnheard() {
      return session.turnsUnheard;
    },
    get bufferedBytes() {
      return session.bufferedBytes + socket.bufferedAmount;
    },
    sweep(nowMs) {
      if (phase === 'closing') return;
      if (session.turnsUnheard > 0) heardFromAtMs = nowMs;
      if (phase === 'draining' && session.turnsUnheard === 0) return close('shutting_down');
      if (limits.idleTimeoutMs > 0 && nowMs - heardFromAtMs >= limits.idleTimeoutMs) {
        return refuseAndClose(
          new AppError('idle_timeout', 'Nothing was said for a while; open a new session when needed.'),
        );
      }
      watchReading(nowMs);
      heartbeat(nowMs);
    },
    drain(deadlineMs) {
      if (phase !== 'open') return;
      phase = 'draining';
      say({ type: 'goaway', deadlineMs });
      session.drain();
      if (session.turnsUnheard === 0) close('shutting_down');
    },
    close,
  };
}
