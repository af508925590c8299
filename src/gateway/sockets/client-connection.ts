// One client's socket: frames in → dialect → session, messages and audio out. It never stops reading, so that a cancel
// always gets through, even while other messages wait for a budget of time; a client that stops reading is noticed and
// closed, without an effect on others. `ws` owns the protocol. Only messages bypass it, each a frame in one buffer: `ws`
// writes synchronously, as nothing is compressed, so its control frames and ours keep their order, and neither ever
// fragments.

import { WebSocket } from 'ws';
import { AppError, ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import { faultKind } from '../../base/log.ts';
import type { DialectAudio, DialectCodec } from '../../dialects/dialect.ts';
import { errorEvent } from '../../dialects/error-event.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { LiveSession } from '../../session/live-sessions.ts';
import { Session } from '../../session/session.ts';
import { GREETING_TURN } from '../../session/session-agent.ts';
import type { SessionOutlet } from '../../session/session-outlet.ts';
import { type ConnectionOptions, idleTimeoutOf, readyEvent, saidNothing } from './connection-options.ts';
import { FrameWriter, frameHeaderBytes } from './frame-writer.ts';
import { Heartbeat } from './heartbeat.ts';
import { createIntakeLimit } from './intake-limit.ts';
import { PacedIntake, textBytes } from './paced-intake.ts';
import { createReadingWatch, type ReadingWatch } from './reading-watch.ts';
import { type SessionEnd, SessionRecord } from './session-record.ts';
import { endUnlessRead, socketFaultOf, stopReadingAfterClose } from './socket-bounds.ts';
import { tooMuchTime } from './time-shares.ts';

/** Above this the socket is given time before it gets more; far below the bound, so that one frame never hits it. */
const CONGESTED_BYTES = 128 * 1024;

const LAST_WORDS = 'last words';

/** A class, not closures: one object per client keeps cache misses low (decision 0041). */
export class ClientConnection implements LiveSession {
  readonly id: string;
  readonly userId: string;
  readonly dialect: string;
  readonly openedAtMs: number;
  readonly turnsEnded: SessionRecord['turns'];
  readonly session: Session;
  private readonly options: ConnectionOptions;
  private readonly socket: WebSocket;
  private readonly wire: FrameWriter;
  private readonly codec: DialectCodec;
  private readonly reading: ReadingWatch;
  private readonly heartbeat: Heartbeat;
  private readonly refuseIntake: ReturnType<typeof createIntakeLimit>;
  private readonly intake: PacedIntake<string>;
  private readonly congestedBytes: number;
  private readonly idleTimeoutMs: number;
  private heardFromAtMs: number;
  private readonly record: SessionRecord;
  private readonly ending: SessionEnd = { close: undefined, code: undefined, heardMs: 0 };
  /**
   * `giving-up`: turns end, and a close waits for that; `last-words`: all is sent, and the client is given time
   * to read it.
   */
  private phase: 'open' | 'draining' | 'giving-up' | 'last-words' | 'closing' = 'open';
  /** What a dialect closes with when its turns are given up. */
  private lastClose: { readonly code: number; readonly reason: string } | undefined;

  constructor(options: ConnectionOptions) {
    const { socket, runtime, limits, entry } = options;
    this.id = options.id;
    this.userId = options.userId;
    this.dialect = options.dialect;
    this.openedAtMs = runtime.clock.now();
    this.options = options;
    this.socket = socket;
    this.wire = new FrameWriter(options.wire, options.sendBuffer);
    this.congestedBytes = Math.min(CONGESTED_BYTES, limits.maxBufferedBytes / 2);
    this.reading = createReadingWatch({
      congestedBytes: this.congestedBytes,
      drainDeadlineMs: limits.drainDeadlineMs,
    });
    this.heartbeat = new Heartbeat(limits, this.openedAtMs);
    this.refuseIntake = createIntakeLimit(limits);
    this.idleTimeoutMs = idleTimeoutOf(options);
    this.heardFromAtMs = this.openedAtMs;
    this.codec = entry.open({
      newId: () => runtime.random.id(16),
      carryOut: (command, queue) => this.session.handle(command, queue),
      send: (message) => this.send(message),
      close: (code, reason, failure) => this.closeAs(code, reason, failure),
    });
    this.record = new SessionRecord({ ...runtime, session: this.id, seen: options.seen });
    this.turnsEnded = this.record.turns;
    this.intake = new PacedIntake({
      ...options.share,
      clock: runtime.clock,
      handle: (frame) => {
        if (this.reads()) this.guarded(() => this.codec.receive(frame));
      },
      toKeep: (frame) => frame,
      isUrgent: (frame) => this.codec.isUrgent?.(frame) ?? false,
      onSpent: (ms) => options.intake.intakeSpent(ms),
      onSlowed: () => options.intake.intakeSlowed(),
      onOverflow: () => this.refuseIntakeAs('time', tooMuchTime(limits)),
    });
    const speaker = { tenant: options.userId, session: options.id };
    const work = { charge: (ms: number) => this.intake.charge(runtime.clock.now(), ms) };
    const outlet: SessionOutlet = {
      say: (event) => {
        this.record.note(event);
        this.say(event);
      },
      sendAudio: (audio) => this.sendAudio(audio),
      isCongested: () => this.waitingBytes() > this.congestedBytes,
      cork: () => this.wire.cork(),
      uncork: () => this.wire.uncork(),
    };
    this.session = new Session({ ...runtime, work }, speaker, options.settings, outlet, entry.playout);
    this.listen();
    this.say(readyEvent(options));
  }

  turnsUnheard(): number {
    return this.session.turnsUnheard();
  }
  bufferedBytes(): number {
    return this.session.bufferedBytes() + this.waitingBytes() + this.intake.waitingBytes();
  }
  /** Speaks `text` as the session's first turn. */
  greet(text: string): void {
    this.session.handle({ type: 'speak', turn: GREETING_TURN, text });
  }
  /** Ends a session that failed with an internal error. */
  fail(): void {
    this.refuseAndClose(new AppError('internal', 'The session failed inside; open a new one.'));
  }
  /** An operator ends it: its turns end as what was heard of them, and nothing is left open. */
  end(): void {
    if (this.isSilent() || this.phase === 'giving-up') return;
    this.giveUp(new AppError('ended_by_operator', 'An operator of the gateway has ended this session.'), 0);
    this.closeAfterLastWords('ended_by_operator');
  }
  /** Heartbeat, idle time and slow reading; called about once a second for all connections. */
  sweep(nowMs: number): void {
    const { session, idleTimeoutMs } = this;
    if (this.isSilent()) return;
    if (session.turnsUnheard() > 0) this.heardFromAtMs = nowMs;
    if (this.phase === 'draining' && session.turnsUnheard() === 0) return this.close('shutting_down');
    if (idleTimeoutMs > 0 && nowMs - this.heardFromAtMs >= idleTimeoutMs) {
      return this.refuseAndClose(saidNothing());
    }
    this.guarded(() => this.codec.tick?.(nowMs));
    this.watchReading(nowMs);
    this.watchLag(nowMs);
    this.beat(nowMs);
  }
  /** Takes no new turn and closes once the last one has been heard. */
  drain(deadlineMs: number): void {
    if (this.phase !== 'open') return;
    this.phase = 'draining';
    this.say({ type: 'goaway', deadlineMs });
    this.session.drain();
    if (this.session.turnsUnheard() === 0) this.close('shutting_down');
  }
  close(code: ErrorCode): void {
    this.closeAs(this.closeCodeOf(code), code, code);
  }

  private listen(): void {
    const { socket, options } = this;
    const { clock, log } = options.runtime;
    socket.on('message', (data, isBinary) => this.onMessage(data as Buffer, isBinary));
    socket.on('ping', (data: Buffer) => void this.takesFrame(data.length));
    socket.on('pong', (data: Buffer) => {
      const payload = data.toString('latin1');
      const isTaken = this.takesFrame(data.length);
      if (this.phase === 'last-words' && payload === LAST_WORDS) this.closeAfterLastWords('slow_reader');
      else if (isTaken || this.phase === 'last-words') this.heartbeat.answered(payload, clock.now());
    });
    // A protocol fault is answered and closed by `ws` itself; without a listener it would end the process.
    socket.on('error', (error) => {
      const fault = socketFaultOf(error);
      if (fault !== undefined && !this.isSilent()) Object.assign(this.ending, fault);
      this.fallSilent();
      log.debug('socket fault', { session: this.id, fault: error.message });
    });
    socket.once('close', (code) => {
      this.fallSilent();
      const close = this.ending.close ?? code;
      this.record.end({ ...this.ending, close });
      options.onClosed(close);
    });
  }
  // A codec reads what any caller may send: a fault in it ends this connection and no other.
  private say(event: ServerEvent): void {
    this.guarded(() => this.codec.event(event));
  }
  private sendAudio(audio: DialectAudio): void {
    // As `guarded`, without a closure for each frame.
    try {
      this.codec.audio(audio);
    } catch (fault) {
      this.codecFailed(fault);
    }
  }
  private guarded(work: () => void): void {
    try {
      work();
    } catch (fault) {
      this.codecFailed(fault);
    }
  }
  /** Only the kind is logged: the message may hold spoken text. */
  private codecFailed(fault: unknown): void {
    this.options.runtime.log.error('a codec failed inside', { cause: faultKind(fault) });
    this.closeAs(ERROR_TABLE.internal.close, 'internal', 'internal');
  }
  private send(message: string | Uint8Array): void {
    // After a close frame there is nothing to say (RFC 6455 5.5.1); `ws` knows of the other side's.
    if (this.isSilent() || this.socket.readyState !== WebSocket.OPEN) return;
    this.reading.handed(this.wire.write(message));
  }
  private waitingBytes(): number {
    return this.socket.bufferedAmount + this.wire.heldBytes();
  }

  /** False when the frame is not to be looked at, because the connection ends. */
  private takesFrame(frameBytes: number): boolean {
    const { runtime } = this.options;
    if (this.phase === 'closing') return false;
    const refused = this.refuseIntake(runtime.clock.now(), frameBytes);
    if (this.phase === 'last-words') {
      if (refused !== undefined) this.socket.terminate();
      return false;
    }
    if (refused !== undefined) this.refuseIntakeAs('volume', refused);
    else return this.reads();
    return false;
  }
  /** Answers to a client that asks and does not read would pile up between two sweeps, and while its messages wait. */
  private reads(): boolean {
    if (this.socket.bufferedAmount <= this.options.limits.maxBufferedBytes) return true;
    this.endSlowReader('no-time-to-read', 'The client does not read what it asks for.');
    return false;
  }
  private onMessage(data: Buffer, isBinary: boolean): void {
    if (!this.takesFrame(data.length)) return;
    this.heardFromAtMs = this.options.runtime.clock.now();
    if (!isBinary) {
      const text = data.toString('utf8');
      this.intake.take(text, textBytes(text, data.length));
    } else this.say(errorEvent(new AppError('unexpected_binary', 'Clients send JSON text frames only.')));
  }

  private beat(nowMs: number): void {
    if (this.isSilent()) return;
    const due = this.heartbeat.due(nowMs);
    if (due.do === 'ping') {
      this.socket.ping(due.payload);
      this.reading.handed(frameHeaderBytes(due.payload.length) + due.payload.length);
    } else if (due.do === 'give-up') {
      if (this.session.turnsUnheard() > 0)
        return this.endSlowReader('no-time-to-read', 'The client has not answered a ping in time.');
      // A client that does not read does not pong; a close frame would only join what it does not read.
      this.fallSilent();
      this.socket.terminate();
    }
  }
  private watchReading(nowMs: number): void {
    const { bufferedAmount } = this.socket;
    const seen = this.reading.look(nowMs, bufferedAmount);
    if (seen === 'reading') this.heartbeat.isBehind(nowMs);
    if (seen === 'stuck' || bufferedAmount > this.options.limits.maxBufferedBytes)
      this.endSlowReader('no-time-to-read', 'The client has taken none of its audio for a while.');
  }
  /** Sound in real time that is not read in time: what the kernel holds of it tells nothing, answers to pings do. */
  private watchLag(nowMs: number): void {
    if (this.isSilent()) return;
    const { heartbeat } = this;
    const sound = this.session.soundToClient();
    if (sound === 'none') return heartbeat.sends(nowMs, 'nothing');
    if (sound === 'other') return heartbeat.sends(nowMs, 'other');
    const patienceMs = this.options.limits.drainDeadlineMs + sound.leadMs;
    heartbeat.sends(nowMs, 'sound-in-real-time', patienceMs);
    if (heartbeat.lagMs(nowMs) >= patienceMs)
      this.endSlowReader('time-to-read', 'The client reads more slowly than its audio is heard.');
  }
  /** Its turns end as what they are: only what is known to have been read has been heard. */
  private endSlowReader(lastWords: 'time-to-read' | 'no-time-to-read', why: string): void {
    if (this.isSilent() || this.phase === 'giving-up') return;
    const { clock } = this.options.runtime;
    const readUntilMs = this.heartbeat.readUntilMs();
    this.giveUp(new AppError('slow_reader', why), clock.now() - readUntilMs);
    if (lastWords === 'no-time-to-read') return this.closeAfterLastWords('slow_reader');
    this.fallSilent('last-words');
    this.ending.close = this.closeCodeOf('slow_reader');
    this.wire.flush();
    this.socket.ping(LAST_WORDS);
    // One that is slow answers the pings that lie before the last one; one that is gone does not.
    endUnlessRead(this.socket, clock, () => this.heartbeat.readUntilMs() > readUntilMs);
  }
  /** Tells why, and ends all turns; the client has heard nothing of the last `behindMs`. */
  private giveUp(error: AppError, behindMs: number): void {
    this.phase = 'giving-up';
    this.ending.code ??= error.code;
    this.say(errorEvent(error));
    this.session.giveUp(error, behindMs);
  }
  private closeAfterLastWords(why: 'slow_reader' | 'ended_by_operator'): void {
    const { lastClose = { code: this.closeCodeOf(why), reason: why } } = this;
    this.closeNow(lastClose.code, lastClose.reason);
  }

  private closeCodeOf(code: ErrorCode): number {
    return this.codec.closeCode?.(code) ?? ERROR_TABLE[code].close;
  }
  private isSilent(): boolean {
    return this.phase === 'closing' || this.phase === 'last-words';
  }
  /** No message and no audio from now on; requests to the speech service are aborted. */
  private fallSilent(next: 'last-words' | 'closing' = 'closing'): void {
    const wasSilent = this.isSilent();
    if (this.phase !== 'closing') this.phase = next;
    if (wasSilent) return;
    this.intake.close();
    try {
      this.ending.heardMs = this.session.heardMs();
      this.session.close();
    } catch (fault) {
      // A session that failed may not even end in order; its socket and its slot must be freed all the same.
      this.options.runtime.log.error('a session did not end in order', { cause: String(fault) });
    }
  }
  private closeAs(code: number, reason: string, failure: ErrorCode | undefined): void {
    if (this.phase !== 'closing') this.ending.code ??= failure;
    if (this.phase === 'giving-up') this.lastClose ??= { code, reason };
    else this.closeNow(code, reason);
  }
  private closeNow(code: number, reason: string): void {
    if (this.phase === 'closing') return;
    this.fallSilent();
    // `ws` ends the socket by itself when the other side does not answer the close in time.
    this.ending.close = code;
    this.wire.flush(); // what was said before stands before the close frame
    this.socket.close(code, reason);
  }
  private refuseIntakeAs(limit: 'volume' | 'time', error: AppError): void {
    if (this.isSilent()) return;
    this.options.intake.intakeRefused('session', limit);
    this.refuseAndClose(error);
    stopReadingAfterClose(this.socket, this.options.runtime.clock);
  }
  private refuseAndClose(error: AppError): void {
    this.say(errorEvent(error));
    this.close(error.code);
  }
}
