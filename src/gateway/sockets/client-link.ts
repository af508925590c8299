// One socket of a client: what is written to it, whether the client reads it, and when it is given up. A session has one
// for its whole life; one that outlives its connection has one after another, and none in between.

import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Session } from '../../session/session.ts';
import type { ConnectionLimits } from './connection-options.ts';
import { FrameWriter, frameHeaderBytes, type SendBuffer } from './frame-writer.ts';
import { Heartbeat } from './heartbeat.ts';
import { createIntakeLimit } from './intake-limit.ts';
import { createReadingWatch, type ReadingWatch } from './reading-watch.ts';
import { endUnlessRead } from './socket-bounds.ts';

/** Above this the socket is given time before it gets more; far below the bound, so that one frame never hits it. */
const CONGESTED_BYTES = 128 * 1024;

const LAST_WORDS = 'last words';

export type LinkSocket = {
  readonly socket: WebSocket;
  /** What `socket` speaks through. */
  readonly wire: Duplex;
};

/** Why a client that does not read as it should is to be let go, and whether it may still read what was said last. */
export type Unread = { readonly lastWords: 'time-to-read' | 'no-time-to-read'; readonly why: string };

const unread = (lastWords: Unread['lastWords'], why: string): Unread => ({ lastWords, why });
const TAKES_NOTHING = unread('no-time-to-read', 'The client has taken none of its audio for a while.');
const ASKS_UNREAD = unread('no-time-to-read', 'The client does not read what it asks for.');
const READS_SLOWLY = unread('time-to-read', 'The client reads more slowly than its audio is heard.');
export const UNANSWERED = unread('no-time-to-read', 'The client has not answered a ping in time.');

/** A class, not closures: one object per client keeps cache misses low (decision 0041). */
export class ClientLink {
  readonly socket: WebSocket;
  private readonly clock: Clock;
  private readonly limits: ConnectionLimits;
  private readonly writer: FrameWriter;
  private readonly congestedBytes: number;
  private readonly reading: ReadingWatch;
  private readonly heartbeat: Heartbeat;
  /** Answers with `rate_limited` when a frame of so many bytes exceeds what a client may send. */
  readonly refuseIntake: (nowMs: number, bytes: number) => AppError | undefined;

  constructor({ socket, wire }: LinkSocket, limits: ConnectionLimits, clock: Clock, sendBuffer: SendBuffer) {
    this.socket = socket;
    this.clock = clock;
    this.limits = limits;
    this.writer = new FrameWriter(wire, sendBuffer);
    this.congestedBytes = Math.min(CONGESTED_BYTES, limits.maxBufferedBytes / 2);
    this.reading = createReadingWatch({
      congestedBytes: this.congestedBytes,
      drainDeadlineMs: limits.drainDeadlineMs,
    });
    this.heartbeat = new Heartbeat(limits, clock.now());
    this.refuseIntake = createIntakeLimit(limits);
  }

  send(message: string | Uint8Array): void {
    // After a close frame there is nothing to say (RFC 6455 5.5.1); `ws` knows of the other side's.
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.reading.handed(this.writer.write(message));
  }
  cork(): void {
    this.writer.cork();
  }
  uncork(): void {
    this.writer.uncork();
  }
  waitingBytes(): number {
    return this.socket.bufferedAmount + this.writer.heldBytes();
  }
  isCongested(): boolean {
    return this.waitingBytes() > this.congestedBytes;
  }
  /** It holds more than any client may let pile up. */
  overfull(): Unread | undefined {
    return this.socket.bufferedAmount > this.limits.maxBufferedBytes ? ASKS_UNREAD : undefined;
  }
  /** Whether its client takes what it is sent; called about once a second. */
  look(nowMs: number, sound: () => ReturnType<Session['soundToClient']>): Unread | undefined {
    const seen = this.reading.look(nowMs, this.socket.bufferedAmount);
    if (seen === 'reading') this.heartbeat.isBehind(nowMs);
    if (seen === 'stuck' || this.overfull() !== undefined) return TAKES_NOTHING;
    return this.lookAtLag(nowMs, sound());
  }
  /**
   * Pings when it is time, which is every `proofMs` at least where that is given; answers with the number of the ping that
   * was sent.
   */
  beat(nowMs: number, proofMs?: number): number | 'give-up' | undefined {
    const due = this.heartbeat.due(nowMs, proofMs);
    if (due.do !== 'ping') return due.do === 'give-up' ? due.do : undefined;
    this.writer.flush(); // what was sent before lies before it
    this.socket.ping(due.payload);
    this.reading.handed(frameHeaderBytes(due.payload.length) + due.payload.length);
    return Number(due.payload);
  }
  /** A pong came: the number of the ping that it answers, `last-words`, or undefined for one that nothing asked for. */
  answered(data: Buffer): number | typeof LAST_WORDS | undefined {
    const payload = data.toString('latin1');
    return payload === LAST_WORDS ? LAST_WORDS : this.heartbeat.answered(payload, this.clock.now());
  }
  /** What was sent until then is known to have been read. */
  readUntilMs(): number {
    return this.heartbeat.readUntilMs();
  }
  /** A client that is slow is given time to read what has been said; one that reads nothing is ended. */
  sayLastWords(): void {
    const readUntilMs = this.readUntilMs();
    this.writer.flush();
    this.socket.ping(LAST_WORDS);
    // One that is slow answers the pings that lie before the last one; one that is gone does not.
    endUnlessRead(this.socket, this.clock, () => this.readUntilMs() > readUntilMs);
  }
  /** `ws` ends the socket by itself when the other side does not answer the close in time. */
  close(code: number, reason: string): void {
    this.writer.flush(); // what was said before stands before the close frame
    this.socket.close(code, reason);
  }

  /** Sound in real time that is not read in time: what the kernel holds of it tells nothing, answers to pings do. */
  private lookAtLag(nowMs: number, sound: ReturnType<Session['soundToClient']>): Unread | undefined {
    const { heartbeat } = this;
    if (sound === 'none') heartbeat.sends(nowMs, 'nothing');
    else if (sound === 'other') heartbeat.sends(nowMs, 'other');
    else {
      const patienceMs = this.limits.drainDeadlineMs + sound.leadMs;
      heartbeat.sends(nowMs, 'sound-in-real-time', patienceMs);
      if (heartbeat.lagMs(nowMs) >= patienceMs) return READS_SLOWLY;
    }
    return undefined;
  }
}
