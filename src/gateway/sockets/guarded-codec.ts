// The codec of one client's connection, whose faults end that connection alone.

import type { ErrorCode } from '../../base/app-error.ts';
import { faultKind, type Log } from '../../base/log.ts';
import type { DialectAudio, DialectCodec } from '../../dialects/dialect.ts';
import type { ServerEvent } from '../../dialects/native-events.ts';

// Codecs read what any caller may send. A fault in one ends the connection that it serves and no other; only its kind is
// logged, for its message may hold spoken text.

/** Wraps what a connection has its codec do, once per connection: nothing is made for each message. */
export type CodecGuard = <Value>(work: (value: Value) => void) => (value: Value) => void;

export const createCodecGuard =
  (log: Log, end: () => void): CodecGuard =>
  (work) =>
  (value) => {
    try {
      work(value);
    } catch (fault) {
      logCodecFault(log, fault);
      end();
    }
  };

const logCodecFault = (log: Log, fault: unknown): void =>
  log.error('a codec failed inside', { cause: faultKind(fault) });

/** A class with a guard in each method, not wrapped functions: every frame passes through it. */
export class GuardedCodec {
  private readonly codec: DialectCodec;
  private readonly log: Log;
  private readonly end: () => void;

  /** `end` ends the connection. */
  constructor(codec: DialectCodec, log: Log, end: () => void) {
    this.codec = codec;
    this.log = log;
    this.end = end;
  }

  receive(frame: string): void {
    try {
      this.codec.receive(frame);
    } catch (fault) {
      this.fail(fault);
    }
  }
  isUrgent(frame: string): boolean {
    return this.codec.isUrgent?.(frame) ?? false;
  }
  event(event: ServerEvent): void {
    try {
      this.codec.event(event);
    } catch (fault) {
      this.fail(fault);
    }
  }
  audio(audio: DialectAudio): void {
    try {
      this.codec.audio(audio);
    } catch (fault) {
      this.fail(fault);
    }
  }
  /** Does nothing where the protocol has no timers. */
  tick(nowMs: number): void {
    try {
      this.codec.tick?.(nowMs);
    } catch (fault) {
      this.fail(fault);
    }
  }
  /** Undefined: the gateway's own code. */
  closeCode(code: ErrorCode): number | undefined {
    return this.codec.closeCode?.(code);
  }

  private fail(fault: unknown): void {
    logCodecFault(this.log, fault);
    this.end();
  }
}
