// How a session outlives its connection: it waits for its client, who comes back with a token, says what it has and gets the
// rest. Kept are what is not proven received and how many of the client's messages were taken.

import { type ResumeTokens, sessionGone, tokenReplaced } from '../../access/resume-tokens.ts';
import { type AppError, ERROR_TABLE } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ResumeClaim } from '../../dialects/dialect.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand } from '../../dialects/native-messages.ts';
import type { Session } from '../../session/session.ts';
import type { SessionLife } from '../../session/session-runtime.ts';
import type { SessionFormat } from '../../speech/audio-format.ts';
import { JournalWriter, type JournalWriterOptions } from '../journal/journal-writer.ts';
import type { ReturnPlan } from '../journal/return-plan.ts';
import type { JournalState } from '../journal/session-journal.ts';
import type { UpgradeSeen } from './admit-upgrade.ts';
import type { ClientLink, LinkSocket } from './client-link.ts';
import { NO_CLOSE_FRAME, stopReadingAfterClose } from './socket-bounds.ts';
import { type SentAudio, Unproven } from './unproven.ts';

export type ResumptionOptions = {
  readonly session: string;
  readonly userId: string;
  /** The name of the caller's key, and the id of its token. */
  readonly key: string | undefined;
  readonly caller: string | undefined;
  readonly seen: UpgradeSeen;
  readonly tokens: ResumeTokens;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the session waits for its client, ms. */
  readonly forMs: number;
  /** What may be kept until it is proven received. */
  readonly maxBytes: number;
  readonly onDetached: (connection: ResumableConnection) => void;
  /** Nobody has come back. */
  readonly onGone: () => void;
  /** Where another instance may go on with it; absent: it ends with this one. */
  readonly journal?: Pick<JournalWriterOptions, 'hold' | 'begins' | 'metrics'> | undefined;
  /** It was taken over from another instance. */
  readonly takenOver?: TakenOver | undefined;
};

/** With what a session goes on whose instance is gone. */
export type TakenOver = {
  readonly state: JournalState;
  readonly claim: ResumeClaim;
  readonly plan: ReturnPlan;
  /** The number of the token that it was claimed with. */
  readonly token: number;
};

/** The connection, as its resumption sees it. */
export type ResumableConnection = {
  readonly id: string;
  readonly session: Pick<Session, 'hold' | 'goOn' | 'leg' | 'hearing' | 'sound' | 'handle'>;
  /** From now on the session's client is behind `from`; answers with what stood there before, too. */
  connect(from: LinkSocket): { readonly link: ClientLink; readonly older: ClientLink | undefined };
  /** `waiting`: nobody is connected, and somebody may come back; `over`: nobody can any more. */
  state(): 'connected' | 'waiting' | 'over';
  /** The session ends, nobody being connected. */
  finish(closeCode: number): void;
  close(code: 'session_taken'): void;
  /** To the client. */
  say(event: ServerEvent): void;
};

/** Between two pings that prove what lies before them: two seconds of telephone audio are 16 KB. */
const PROOF_MS = 2000;
/** Their beginning is not sent twice by itself. */
const CONTAINERS: ReadonlySet<SessionFormat> = new Set(['wav', 'ogg', 'flac']);
/** A message that comes later than this behind the last `ack` is acknowledged at once, others within a second. */
const ACK_MS = 500;

export class Resumption {
  private readonly options: ResumptionOptions;
  private readonly unproven: Unproven;
  /** Numbers of the token that was given out last, and of the oldest one that still holds. */
  private last = 0;
  private oldest = 1;
  /** Its answer proves that the client has the last one. */
  private tokenPing = Number.POSITIVE_INFINITY;
  private takenMessages = 0;
  /** Of those taken, the ones that have taken effect. */
  private doneMessages = 0;
  private acknowledged = 0;
  /** What is said now has been received. */
  private isQuiet = false;
  /** Says and does what another instance has left to be done; nothing in a session that began here. */
  goOn = () => {};
  /** Of the instance before, as long as it is not known whether it is still there. */
  private earlierLeg: ReturnPlan['leg'];
  private journal: JournalWriter | undefined;
  private acknowledgedAtMs = Number.NEGATIVE_INFINITY;
  private awaySinceMs = 0;
  private closedWith = NO_CLOSE_FRAME;

  constructor(options: ResumptionOptions) {
    const { takenOver } = options;
    this.options = options;
    this.unproven = new Unproven(options.maxBytes, takenOver?.claim);
    if (takenOver === undefined) return;
    this.takenMessages = takenOver.state.taken;
    this.doneMessages = this.takenMessages;
    this.acknowledged = this.takenMessages;
    this.last = takenOver.token;
    this.oldest = takenOver.state.token;
  }

  /** What its turns need to know so that another instance can go on with them, or this one can. */
  life(): SessionLife | undefined {
    const { journal, takenOver } = this.options;
    if (journal === undefined) return undefined;
    const { salt } = 'opening' in journal.begins ? journal.begins.opening : journal.begins;
    const { had, over = [], state } = takenOver?.plan ?? {};
    return { salt, over, heard: state?.heard, had: (turn) => (turn === had?.turn ? had : undefined) };
  }
  isTakenOver(): boolean {
    return this.options.takenOver !== undefined;
  }
  /** The session is there: from now on it is journaled. One that was taken over waits for `goOn`. */
  begin(connection: ResumableConnection, link: ClientLink): 'new' | 'taken-over' {
    const { journal, clock, forMs, takenOver } = this.options;
    if (journal === undefined) return 'new';
    const { session, seen, log } = this.options;
    const journalLeft = () => {
      log.warn('session_not_journaled', { session, ...seen });
      journal.metrics.journalLeft();
    };
    this.journal = new JournalWriter({
      ...journal,
      metrics: { journalWritten: (bytes) => journal.metrics.journalWritten(bytes), journalLeft },
      clock,
      forMs,
      look: () => ({
        told: this.unproven.sent(),
        provenN: this.unproven.proven(),
        token: this.oldest,
        heard: connection.session.hearing(),
      }),
      onLost: () => this.lost(connection),
    });
    if (takenOver === undefined) return 'new';
    this.goOn = () => this.takeUp(takenOver, connection, link);
    return 'taken-over';
  }
  /** Another instance can go on with it. */
  isJournaled(): boolean {
    return this.journal?.isOn() === true;
  }
  /** Has another instance go on with it from where it is; resolves when it may. */
  async release(): Promise<void> {
    await this.journal?.release();
  }
  /** Resolves when nothing that a client is told to be taken can be lost any more; as `JournalWriter.settled`. */
  async settled(): ReturnType<JournalWriter['settled']> {
    return (await this.journal?.settled()) ?? 'settled';
  }
  /** The next message of the client takes effect. */
  done(): void {
    this.doneMessages += 1;
    this.journal?.took(this.doneMessages, undefined);
  }
  /** It says this; or the session says it by itself. */
  carriedOut(command: ClientCommand): void {
    this.journal?.took(this.doneMessages, command);
  }

  /** A new token; the one before it holds until the client has said something, or answered a ping, on its new connection. */
  renew(): { readonly token: string; readonly forMs: number } {
    const { tokens, session, userId, key, caller, forMs } = this.options;
    this.last += 1;
    this.tokenPing = Number.POSITIVE_INFINITY;
    const token = tokens.sign({ session, userId, key, caller, number: this.last });
    return { token, forMs };
  }
  bytes(): number {
    return this.unproven.bytes();
  }
  /** Nothing that can wait is to be sent. */
  isFull(): boolean {
    return this.unproven.isFull();
  }
  /** The session says something; false where it is not to be sent, as there is no room to keep it. */
  keeps(connection: ResumableConnection, event: ServerEvent): boolean {
    const { type } = event;
    if (this.isQuiet || this.tellsOfEarlierLeg(connection, event)) return false;
    this.journal?.tell(this.unproven.sent() + 1, event);
    if (connection.state() === 'waiting') {
      // A call goes on without the client, and without a call nothing does.
      if (type === 'detached') connection.session.hold();
      if (type === 'attached') connection.session.goOn(0);
    }
    // Its own numbers tell what is left out.
    return type !== 'inbound' || !this.unproven.isFull();
  }
  /** A message of the session, which is kept until it is proven received. `audio`: what it carries. */
  send(link: ClientLink | undefined, message: string | Uint8Array, audio: SentAudio | undefined): void {
    const { unproven } = this;
    if (typeof message === 'string') {
      const numbered = unproven.message(message, audio);
      link?.send(numbered);
    } else {
      unproven.audio(audio!, message);
      link?.send(message);
    }
    // A burst does not wait for the next sweep.
    if (link !== undefined && unproven.isHalfFull()) this.beat(link, this.options.clock.now(), 0);
  }
  /** As `ClientLink.beat`, with a proof of what is not proven. */
  beat(link: ClientLink, nowMs: number, proofMs = PROOF_MS): 'give-up' | 'alive' {
    const { unproven } = this;
    const ping = link.beat(nowMs, unproven.isEmpty() ? undefined : proofMs);
    if (typeof ping === 'number') {
      unproven.pinged(ping);
      this.tokenPing = Math.min(this.tokenPing, ping);
    }
    return ping === 'give-up' ? ping : 'alive';
  }
  /** The ping of this number is answered. */
  proved(ping: number): void {
    this.unproven.proved(ping);
    if (ping >= this.tokenPing) this.oldest = this.last;
  }
  /** A message of the client has been taken: from now on only its newest token holds. */
  took(link: ClientLink, nowMs: number): void {
    this.takenMessages += 1;
    this.oldest = this.last;
    if (nowMs - this.acknowledgedAtMs >= ACK_MS) this.acknowledge(link, nowMs);
  }
  /** Says how many messages were taken, if that is news. */
  acknowledge(link: ClientLink, nowMs: number): void {
    const n = this.journal?.acknowledged() ?? this.takenMessages;
    if (n <= this.acknowledged) return;
    this.acknowledged = n;
    this.acknowledgedAtMs = nowMs;
    link.send(JSON.stringify({ type: 'ack', n }));
  }
  /** The connection is lost: what is said from now on is kept, and turns that no call plays stand still. */
  detached(connection: ResumableConnection, closeCode: number): void {
    const { session, seen, clock, log, onDetached } = this.options;
    this.awaySinceMs = clock.now();
    this.closedWith = closeCode;
    connection.session.hold();
    log.info('session_detached', { session, ...seen, close: closeCode, unprovenBytes: this.bytes() });
    onDetached(connection);
  }
  /** Why the bearer of its token of this number cannot go on with it. */
  refusal(connection: ResumableConnection, token: number, claim: ResumeClaim): AppError | undefined {
    if (connection.state() === 'over') return sessionGone();
    if (token < this.oldest || token > this.last) return tokenReplaced();
    return this.unproven.refusal(claim);
  }
  /** The client, who was not refused, is back on another connection; an older one is fenced off. */
  comeBack(connection: ResumableConnection, from: LinkSocket, claim: ResumeClaim): void {
    const { session, seen, clock, log } = this.options;
    const awayMs = connection.state() === 'waiting' ? clock.now() - this.awaySinceMs : 0;
    const { link, older } = connection.connect(from);
    if (older !== undefined) {
      // One that does not read would go on holding what it was sent: a client may come back a hundred times a second.
      if (older.isCongested()) older.socket.terminate();
      else {
        older.close(ERROR_TABLE.session_taken.close, 'session_taken');
        stopReadingAfterClose(older.socket, clock);
      }
    }
    const { exact, messages, ms } = this.unproven.missed(claim);
    const taken = this.takenMessages;
    this.acknowledged = taken;
    link.cork();
    link.send(JSON.stringify({ type: 'session_resumed', session, exact, taken, resume: this.renew() }));
    for (const message of messages) link.send(message);
    link.uncork();
    const awaySeconds = Math.round(awayMs) / 1000;
    log.info('session_resumed', { session, ...seen, awaySeconds, exact, missed: messages.length });
    if (connection.session.leg() !== undefined) return;
    connection.session.hold();
    connection.session.goOn(ms);
  }
  /** About once a second, whether a client is connected or not. */
  tend(nowMs: number): void {
    this.journal?.sweep(nowMs);
  }
  /** Nobody being connected, about once a second: ends what the client has not come back to in time, or what cannot be kept for it. */
  sweep(connection: ResumableConnection, nowMs: number): void {
    const { forMs, maxBytes } = this.options;
    if (nowMs - this.awaySinceMs >= forMs || this.bytes() > 2 * maxBytes) this.vanish(connection);
  }
  /** Nobody is waited for any more. */
  vanish(connection: ResumableConnection): void {
    if (connection.state() !== 'waiting') return;
    this.options.onGone();
    connection.finish(this.closedWith);
  }
  /** What let its client in has been taken back: nobody comes back to it. */
  revoke(connection: ResumableConnection): void {
    this.oldest = Number.POSITIVE_INFINITY;
    this.vanish(connection);
  }
  close(): void {
    this.journal?.close();
    this.unproven.close();
  }

  private takeUp({ claim, plan, state }: TakenOver, connection: ResumableConnection, link: ClientLink): void {
    const { session, seen, log } = this.options;
    const { isExact: exact } = plan;
    const isNew = !exact && claim.received > 0 && CONTAINERS.has(connection.session.sound().format);
    const newContainer = isNew ? { newContainer: true } : {};
    const { taken } = state;
    const resume = this.renew();
    link.cork();
    link.send(JSON.stringify({ type: 'session_resumed', session, exact, taken, resume, ...newContainer }));
    log.info('session_taken_over', { session, ...seen, exact });
    this.earlierLeg = plan.leg;
    for (const event of plan.said) connection.say(event);
    for (const { command, isQuiet } of plan.commands) {
      this.isQuiet = isQuiet;
      connection.session.handle(command);
    }
    this.isQuiet = false;
    link.uncork();
  }
  /** Whether what is said is about the call that the session had, and the client is told otherwise or knows it. */
  private tellsOfEarlierLeg(connection: ResumableConnection, event: ServerEvent): boolean {
    const { earlierLeg } = this;
    if (earlierLeg === undefined) return false;
    const isLost = event.type === 'error' && event.turn === undefined && event.code.startsWith('leg_');
    if (isLost) {
      this.earlierLeg = undefined;
      const { leg, kind, callSid } = earlierLeg;
      const detached = { type: 'detached', leg, kind, reason: 'instance_lost' } as const;
      const told = { ...detached, ...(callSid === undefined ? {} : { callSid }) };
      this.journal?.tell(this.unproven.sent() + 1, told);
      connection.say(told);
      return true;
    }
    if (event.type !== 'attached') return false;
    this.earlierLeg = undefined;
    return event.leg === earlierLeg.leg;
  }
  /** Another instance goes on with it: nothing more is said or played here, and its call is let go. */
  private lost(connection: ResumableConnection): void {
    const { session, seen, log } = this.options;
    log.warn('session_lost', { session, ...seen });
    if (connection.state() === 'waiting') connection.finish(ERROR_TABLE.session_taken.close);
    else connection.close('session_taken');
  }
}
