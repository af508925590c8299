// One client's socket: frames in → dialect → session, messages and audio out. It never stops reading, so that a
// cancel always gets through; a client that stops reading is noticed and closed, and nobody else feels it.
// `ws` owns the protocol. Messages alone are written past it, each a frame in one buffer: it writes synchronously, as
// nothing is compressed, so its control frames and ours keep their order, and neither ever fragments.

import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { AppError, ERROR_TABLE, type ErrorCode } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { DialectEntry } from '../dialects/dialect.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { createSession, type Session } from '../session/session.ts';
import { GREETING_TURN } from '../session/session-agent.ts';
import type { OutgoingAudio } from '../session/session-outlet.ts';
import type { SessionRuntime } from '../session/session-runtime.ts';
import type { TurnSettings } from '../session/turn-settings.ts';
import { createCodecGuard } from './codec-guard.ts';
import { createFrameWriter, type SendBuffer } from './frame-writer.ts';
import { createHeartbeat, type HeartbeatLimits } from './heartbeat.ts';
import { createIntakeLimit, type IntakeLimits } from './intake-limit.ts';
import { createReadingWatch } from './reading-watch.ts';
import { frameHeaderBytes } from './server-frame.ts';

export type ConnectionLimits = HeartbeatLimits &
  IntakeLimits & {
    /** A session without a message and without audio is closed after this; 0 is never. */
    readonly idleTimeoutMs: number;
    /** Bytes that may wait in this process for one client; whoever lets more pile up is closed. */
    readonly maxBufferedBytes: number;
    /** A socket that takes nothing for so long while audio is due is closed. */
    readonly drainDeadlineMs: number;
    readonly messageBytes: number;
  };

export type ClientConnection = {
  readonly id: string;
  readonly userId: string;
  readonly openedAtMs: number;
  turnsUnheard(): number;
  bufferedBytes(): number;
  readonly session: Pick<Session, 'sound' | 'leg' | 'audience'>;
  /** Speaks `text` as the session's first turn. */
  greet(text: string): void;
  /** Ends a session that failed inside: nothing more would come of it. */
  fail(): void;
  /** Heartbeat, idle time and slow reading; called about once a second for all connections. */
  sweep(nowMs: number): void;
  /** Takes no new turn and closes once the last one has been heard. */
  drain(deadlineMs: number): void;
  close(code: ErrorCode): void;
};

/** Above this the socket is given time before it gets more; far below the bound, so that one frame never hits it. */
const CONGESTED_BYTES = 128 * 1024;

export type ConnectionOptions = {
  readonly id: string;
  readonly userId: string;
  readonly version: string;
  readonly socket: WebSocket;
  /** What `socket` speaks through. */
  readonly wire: Duplex;
  /** Shared with the server's other connections. */
  readonly sendBuffer: SendBuffer;
  readonly settings: TurnSettings;
  readonly entry: DialectEntry;
  readonly runtime: SessionRuntime;
  readonly limits: ConnectionLimits;
  onClosed(code: number): void;
};

export function createClientConnection(options: ConnectionOptions): ClientConnection {
  const { socket, runtime, limits, entry } = options;
  const wire = createFrameWriter(options.wire, options.sendBuffer);
  const idleTimeoutMs = entry.idleTimeoutMs ?? limits.idleTimeoutMs;
  const clock: Clock = runtime.clock;
  const openedAtMs = clock.now();
  const refuseIntake = createIntakeLimit(limits);
  const congestedBytes = Math.min(CONGESTED_BYTES, limits.maxBufferedBytes / 2);
  const heartbeat = createHeartbeat(limits, openedAtMs);
  const reading = createReadingWatch({ congestedBytes, drainDeadlineMs: limits.drainDeadlineMs });
  let heardFromAtMs = openedAtMs;
  /** Why we closed: a peer that does not answer our close frame would be counted as lost. */
  let closedAs: number | undefined;
  let phase: 'open' | 'draining' | 'closing' = 'open';

  const send = (payload: string | Uint8Array) => {
    // After a close frame there is nothing to say (RFC 6455 5.5.1); `ws` knows of the other side's.
    if (phase === 'closing' || socket.readyState !== WebSocket.OPEN) return;
    reading.handed(wire.write(payload));
  };
  const codec = entry.open({
    newId: () => runtime.random.id(16),
    carryOut: (command) => session.handle(command),
    send,
    close: (code, reason) => closeAs(code, reason),
  });
  const guarded = createCodecGuard(runtime.log, () => closeAs(ERROR_TABLE.internal.close, 'internal'));
  const say = guarded((event: ServerEvent) => codec.event(event));
  const receive = guarded((frame: string) => codec.receive(frame));
  const tick = guarded((nowMs: number) => codec.tick?.(nowMs));
  const speaker = { tenant: options.userId, session: options.id };
  const session = createSession(runtime, speaker, options.settings, {
    say,
    sendAudio: guarded((audio: OutgoingAudio) => codec.audio(audio)),
    isCongested: () => socket.bufferedAmount + wire.heldBytes() > congestedBytes,
    cork: () => wire.cork(),
    uncork: () => wire.uncork(),
  });

  /** No word and no audio from now on, and the speech service is hung up on. */
  const fallSilent = () => {
    if (phase === 'closing') return;
    phase = 'closing';
    try {
      session.close();
    } catch (fault) {
      // What failed inside may not even end in order; its socket and its place must all the same.
      runtime.log.error('a session did not end in order', { cause: String(fault) });
    }
  };
  const closeAs = (code: number, reason: string) => {
    if (phase === 'closing') return;
    fallSilent();
    // `ws` ends the socket by itself when the other side does not answer the close in time.
    closedAs = code;
    wire.flush(); // what was said before stands before the close frame
    socket.close(code, reason);
  };
  const close = (code: ErrorCode) => closeAs(codec.closeCode?.(code) ?? ERROR_TABLE[code].close, code);
  const refuseAndClose = (error: AppError) => {
    say(errorEvent(error));
    close(error.code);
  };

  /** False when the frame is not to be looked at, because the connection ends. */
  const takesFrame = (frameBytes: number): boolean => {
    if (phase === 'closing') return false;
    const refused = refuseIntake(clock.now(), frameBytes);
    if (refused !== undefined) refuseAndClose(refused);
    // Answers to a client that asks and does not read would pile up between two sweeps.
    else if (socket.bufferedAmount > limits.maxBufferedBytes) close('slow_reader');
    else return true;
    return false;
  };
  const onMessage = (data: Buffer, isBinary: boolean) => {
    if (!takesFrame(data.length)) return;
    heardFromAtMs = clock.now();
    if (!isBinary) receive(data.toString('utf8'));
    else say(errorEvent(new AppError('unexpected_binary', 'Clients send JSON text frames only.')));
  };

  socket.on('message', (data, isBinary) => onMessage(data as Buffer, isBinary));
  socket.on('ping', (data: Buffer) => void takesFrame(data.length));
  socket.on('pong', (data: Buffer) => {
    if (takesFrame(data.length)) heartbeat.answered(data.toString('latin1'), clock.now());
  });
  // A protocol fault is answered and closed by `ws` itself; without a listener it would end the process.
  socket.on('error', (error) => {
    fallSilent();
    runtime.log.debug('socket fault', { session: options.id, fault: error.message });
  });
  socket.once('close', (code) => {
    fallSilent();
    options.onClosed(closedAs ?? code);
  });

  const beat = (nowMs: number) => {
    const due = heartbeat.due(nowMs);
    if (due.do === 'ping') {
      socket.ping(due.payload);
      reading.handed(frameHeaderBytes(due.payload.length) + due.payload.length);
    } else if (due.do === 'give-up') {
      // Whoever does not read does not pong; a close frame would only join what it does not read.
      fallSilent();
      socket.terminate();
    }
  };
  const watchReading = (nowMs: number) => {
    const { bufferedAmount } = socket;
    const seen = reading.look(nowMs, bufferedAmount);
    if (seen === 'reading') heartbeat.isBehind(nowMs);
    if (seen === 'stuck' || bufferedAmount > limits.maxBufferedBytes) close('slow_reader');
  };

  const ready: EventOf<'ready'> = {
    type: 'ready',
    session: options.id,
    version: options.version,
    attachToken: runtime.legs.tokenFor(options.userId, options.id),
    limits: {
      text: runtime.limits.textChars,
      pendingText: runtime.limits.pendingTextChars,
      turnsInFlight: runtime.limits.turnsInFlight,
      messageBytes: limits.messageBytes,
      messagesPerSecond: limits.messagesPerSecond,
      idleTimeoutMs,
    },
  };
  say(ready);

  return {
    id: options.id,
    userId: options.userId,
    openedAtMs,
    session,
    turnsUnheard: () => session.turnsUnheard(),
    bufferedBytes: () => session.bufferedBytes() + socket.bufferedAmount + wire.heldBytes(),
    greet: (text) => session.handle({ type: 'speak', turn: GREETING_TURN, text }),
    fail() {
      refuseAndClose(new AppError('internal', 'The session failed inside; open a new one.'));
    },
    sweep(nowMs) {
      if (phase === 'closing') return;
      if (session.turnsUnheard() > 0) heardFromAtMs = nowMs;
      if (phase === 'draining' && session.turnsUnheard() === 0) return close('shutting_down');
      if (idleTimeoutMs > 0 && nowMs - heardFromAtMs >= idleTimeoutMs) {
        return refuseAndClose(
          new AppError('idle_timeout', 'Nothing was said for a while; open a new session when needed.'),
        );
      }
      tick(nowMs);
      watchReading(nowMs);
      beat(nowMs);
    },
    drain(deadlineMs) {
      if (phase !== 'open') return;
      phase = 'draining';
      say({ type: 'goaway', deadlineMs });
      session.drain();
      if (session.turnsUnheard() === 0) close('shutting_down');
    },
    close,
  };
}
