// One client: frames in → dialect → session, messages and audio out. It never stops reading, so that a cancel always gets through; a client
// that stops reading is closed, without an effect on others. `ws` owns the protocol. Only messages bypass it, each a frame in one buffer: `ws`
// writes synchronously, as nothing is compressed, so its control frames and ours keep their order. A resumable session outlives its socket.

import { AppError, ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import { faultKind } from '../../base/log.ts';
import type { DialectCodec } from '../../dialects/dialect.ts';
import { errorEvent } from '../../dialects/error-event.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand } from '../../dialects/native-messages.ts';
import type { LiveSession } from '../../session/live-sessions.ts';
import { Session } from '../../session/session.ts';
import { GREETING_TURN } from '../../session/session-agent.ts';
import type { OutgoingAudio, SessionOutlet } from '../../session/session-outlet.ts';
import { ClientLink, type LinkSocket, UNANSWERED, type Unread } from './client-link.ts';
import { type ConnectionOptions, idleTimeoutOf, readyEvent, saidNothing } from './connection-options.ts';
import { Departure } from './departure.ts';
import { PacedIntake, textBytes } from './paced-intake.ts';
import type { ResumableConnection, Resumption } from './resumption.ts';
import { type SessionEnd, SessionRecord } from './session-record.ts';
import { isLost, NO_CLOSE_FRAME, socketFaultOf, stopReadingAfterClose } from './socket-bounds.ts';
import { tooMuchTime } from './time-shares.ts';
import type { SentAudio } from './unproven.ts';

/** A class, not closures: one object per client keeps cache misses low (decision 0041). */
export class ClientConnection implements LiveSession, ResumableConnection {
  readonly id: string;
  readonly userId: string;
  readonly dialect: string;
  readonly openedAtMs: number;
  readonly turnsEnded: SessionRecord['turns'];
  readonly session: Session;
  private readonly options: ConnectionOptions;
  /** Undefined while a resumable session waits for its client. */
  private link: ClientLink | undefined;
  /** Absent: the session ends with its socket. */
  readonly resumption: Resumption | undefined;
  /** What the codec is being given, so that it is known what its message carries. */
  private sending: SentAudio | undefined;
  private readonly codec: DialectCodec;
  private readonly intake: PacedIntake<string>;
  private readonly idleTimeoutMs: number;
  private heardFromAtMs: number;
  private readonly record: SessionRecord;
  private readonly ending: SessionEnd = { close: undefined, code: undefined, heardMs: 0 };
  /**
   * `giving-up`: turns end, and a close waits for that; `last-words`: all is sent, and the client is given time
   * to read it.
   */
  private phase: 'open' | 'giving-up' | 'last-words' | 'closing' = 'open';
  private readonly departure: Departure;
  /** What a dialect closes with when its turns are given up. */
  private lastClose: { readonly code: number; readonly reason: string } | undefined;

  constructor(options: ConnectionOptions) {
    const { runtime, limits, entry } = options;
    ({ id: this.id, userId: this.userId, dialect: this.dialect, resumption: this.resumption } = options);
    this.openedAtMs = runtime.clock.now();
    this.departure = new Departure(this, runtime.clock);
    this.options = options;
    this.idleTimeoutMs = idleTimeoutOf(options);
    this.heardFromAtMs = this.openedAtMs;
    this.codec = entry.open({
      newId: () => runtime.random.id(16),
      carryOut: (command, queue) => this.carryOut(command, queue),
      send: (message) => this.send(message),
      close: (code, reason, failure) => this.closeAs(code, reason, failure),
    });
    this.record = new SessionRecord({ ...runtime, session: this.id, seen: options.seen });
    this.turnsEnded = this.record.turns;
    this.intake = new PacedIntake({
      ...options.share,
      clock: runtime.clock,
      handle: (frame, when) => {
        if (!this.reads()) return;
        if (when === 'in-turn') this.resumption?.done();
        this.guarded(() => this.codec.receive(frame));
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
        if (this.resumption?.keeps(this, event) !== false) this.say(event);
      },
      sendAudio: (audio) => this.sendAudio(audio),
      isCongested: () => this.link?.isCongested() === true || this.resumption?.isFull() === true,
      cork: () => this.link?.cork(),
      uncork: () => this.link?.uncork(),
      leave: (deadlineMs) => this.drain(deadlineMs),
    };
    const life = this.resumption?.life();
    this.session = new Session({ ...runtime, work, life }, speaker, options.settings, outlet, entry.playout);
    const { link } = this.connect(options);
    if (this.resumption?.begin(this, link) !== 'taken-over') this.say(readyEvent(options));
  }

  turnsUnheard(): number {
    return this.session.turnsUnheard();
  }
  bufferedBytes(): number {
    const waiting = (this.resumption?.bytes() ?? 0) + (this.link?.waitingBytes() ?? 0);
    return this.session.bufferedBytes() + waiting + this.intake.waitingBytes();
  }
  state(): ReturnType<ResumableConnection['state']> {
    if (this.isSilent() || this.phase === 'giving-up') return 'over';
    return this.link === undefined ? 'waiting' : 'connected';
  }
  connect(from: LinkSocket): { readonly link: ClientLink; readonly older: ClientLink | undefined } {
    const { limits, runtime, sendBuffer } = this.options;
    const older = this.link;
    const link = new ClientLink(from, limits, runtime.clock, sendBuffer);
    this.link = link;
    this.heardFromAtMs = runtime.clock.now();
    const { socket } = link;
    // What comes by a link that another has replaced is not heard.
    const heard = (task: () => void) => (this.link === link ? task() : undefined);
    socket.on('message', (data, isBinary) => heard(() => this.onMessage(link, data as Buffer, isBinary)));
    socket.on('ping', (data: Buffer) => heard(() => void this.takesFrame(link, data.length)));
    socket.on('pong', (data: Buffer) => heard(() => this.onPong(link, data)));
    // A protocol fault is answered and closed by `ws` itself; without a listener it would end the process.
    socket.on('error', (error) => heard(() => this.onFault(error)));
    socket.once('close', (code) => heard(() => this.onClose(code)));
    return { link, older };
  }
  // A codec reads what any caller may send: a fault in it ends this connection and no other.
  say(event: ServerEvent): void {
    this.guarded(() => this.codec.event(event));
  }
  finish(close: number): void {
    this.fallSilent();
    this.resumption?.close();
    this.record.end({ ...this.ending, close });
    this.options.onClosed(close);
  }
  /** Speaks `text` as the session's first turn. */
  greet(text: string): void {
    this.carryOut({ type: 'speak', turn: GREETING_TURN, text });
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
    const { session, idleTimeoutMs, link } = this;
    if (this.isSilent()) return;
    this.resumption?.tend(nowMs);
    if (session.turnsUnheard() > 0) this.heardFromAtMs = nowMs;
    this.departure.tend(nowMs);
    if (this.isSilent() || this.departure.isMoving()) return;
    if (link === undefined) return this.resumption?.sweep(this, nowMs);
    if (idleTimeoutMs > 0 && nowMs - this.heardFromAtMs >= idleTimeoutMs)
      return this.refuseAndClose(saidNothing());
    this.guarded(() => this.codec.tick?.(nowMs));
    if (this.isSilent()) return;
    const unread = link.look(nowMs, () => session.soundToClient());
    if (unread !== undefined) return this.endSlowReader(unread);
    this.beat(link, nowMs);
    if (this.link === link) this.resumption?.acknowledge(link, nowMs);
  }
  drain(deadlineMs: number): void {
    if (this.phase === 'open') this.departure.begin(deadlineMs);
  }
  close(code: ErrorCode): void {
    this.closeAs(this.closeCodeOf(code), code, code);
  }

  private carryOut(command: ClientCommand, queue?: string): void {
    this.resumption?.carriedOut(command);
    this.session.handle(command, queue);
  }
  private onFault(error: Error): void {
    const fault = socketFaultOf(error);
    if (fault !== undefined && !this.isSilent()) Object.assign(this.ending, fault);
    if (fault !== undefined || this.resumption === undefined) this.fallSilent();
    this.options.runtime.log.debug('socket fault', { session: this.id, fault: error.message });
  }
  private onClose(code: number): void {
    if (this.mayWait() && isLost(code)) return this.detach(code);
    this.link = undefined;
    const leaves = this.phase === 'open' && isLost(code) && this.departure.lost();
    if (!leaves) this.finish(this.ending.close ?? code);
  }
  private mayWait(): boolean {
    return this.resumption !== undefined && this.phase === 'open' && !this.departure.isLeaving();
  }
  private detach(code: number): void {
    this.link = undefined;
    this.resumption?.detached(this, code);
  }
  private sendAudio(audio: OutgoingAudio): void {
    if (this.resumption !== undefined) this.sending = audio;
    // As `guarded`, without a closure for each frame.
    try {
      this.codec.audio(audio);
    } catch (fault) {
      this.codecFailed(fault);
    }
    this.sending = undefined;
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
    if (this.isSilent()) return;
    if (this.resumption === undefined) this.link?.send(message);
    else this.resumption.send(this.link, message, this.sending);
  }

  /** False when the frame is not to be looked at, because the connection ends. */
  private takesFrame(link: ClientLink, frameBytes: number): boolean {
    if (this.phase === 'closing') return false;
    const refused = link.refuseIntake(this.options.runtime.clock.now(), frameBytes);
    if (this.phase === 'last-words') {
      if (refused !== undefined) link.socket.terminate();
      return false;
    }
    if (refused !== undefined) this.refuseIntakeAs('volume', refused);
    else return this.reads();
    return false;
  }
  /** Answers to a client that asks and does not read would pile up between two sweeps, and while its messages wait. */
  private reads(): boolean {
    if (this.departure.isMoving()) return false;
    const unread = this.link?.overfull();
    if (unread !== undefined) this.endSlowReader(unread);
    return unread === undefined;
  }
  private onMessage(link: ClientLink, data: Buffer, isBinary: boolean): void {
    if (!this.takesFrame(link, data.length)) return;
    const nowMs = this.options.runtime.clock.now();
    this.heardFromAtMs = nowMs;
    if (!isBinary) {
      this.resumption?.took(link, nowMs);
      const text = data.toString('utf8');
      this.intake.take(text, textBytes(text, data.length));
    } else this.say(errorEvent(new AppError('unexpected_binary', 'Clients send JSON text frames only.')));
  }
  private onPong(link: ClientLink, data: Buffer): void {
    const isTaken = this.takesFrame(link, data.length);
    if (!isTaken && this.phase !== 'last-words') return;
    const answered = link.answered(data);
    if (typeof answered === 'number') this.resumption?.proved(answered);
    else if (answered !== undefined && this.phase === 'last-words') this.closeAfterLastWords('slow_reader');
  }

  private beat(link: ClientLink, nowMs: number): void {
    if ((this.resumption?.beat(link, nowMs) ?? link.beat(nowMs)) !== 'give-up') return;
    const waits = this.mayWait();
    if (!waits && this.session.turnsUnheard() > 0) return this.endSlowReader(UNANSWERED);
    if (waits) this.detach(NO_CLOSE_FRAME);
    else this.fallSilent();
    // A client that does not read does not pong; a close frame would only join what it does not read.
    link.socket.terminate();
  }
  /** Its turns end as what they are: only what is known to have been read has been heard. */
  private endSlowReader({ lastWords, why }: Unread): void {
    const { link } = this;
    if (link === undefined || this.isSilent() || this.phase === 'giving-up') return;
    const close = this.closeCodeOf('slow_reader');
    if (this.mayWait()) {
      // What it has not read it gets when it comes back.
      this.detach(close);
      link.close(close, 'slow_reader');
      return stopReadingAfterClose(link.socket, this.options.runtime.clock);
    }
    this.giveUp(new AppError('slow_reader', why), this.options.runtime.clock.now() - link.readUntilMs());
    if (lastWords === 'no-time-to-read') return this.closeAfterLastWords('slow_reader');
    this.fallSilent('last-words');
    this.ending.close = close;
    link.sayLastWords();
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
    const { link } = this;
    this.fallSilent();
    this.ending.close = code;
    if (link === undefined) this.finish(code);
    else link.close(code, reason);
  }
  private refuseIntakeAs(limit: 'volume' | 'time', error: AppError): void {
    if (this.isSilent()) return;
    this.options.intake.intakeRefused('session', limit);
    this.refuseAndClose(error);
    if (this.link !== undefined) stopReadingAfterClose(this.link.socket, this.options.runtime.clock);
  }
  private refuseAndClose(error: AppError): void {
    this.say(errorEvent(error));
    this.close(error.code);
  }
}
