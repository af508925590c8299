// What the far side of a leg may send, from its first byte on: messages, bytes and time. Before it has said which call it
// is, the bounds are small, for that takes one short message and some audio; then they are what a call in its audio
// format can need, with room.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { LegAudio, LegFrame } from '../../legs/leg.ts';
import { bytesPerMs } from '../../speech/plain-sound.ts';
import { createIntakeLimit, type IntakeLimits } from '../sockets/intake-limit.ts';
import type { IntakeMetrics } from '../sockets/intake-metrics.ts';
import { PacedIntake, textBytes } from '../sockets/paced-intake.ts';
import { loneShare, type TimeLimits } from '../sockets/time-shares.ts';

export type LegIntakeLimits = Pick<TimeLimits, 'connectionTimeMs'>;

export type LegIntakeOptions = {
  readonly clock: Clock;
  readonly limits: LegIntakeLimits;
  readonly metrics: IntakeMetrics;
  readonly handle: (frame: LegFrame) => void;
  /** Called once; nothing is handled after it. */
  readonly onRefused: (error: AppError) => void;
};

export type LegIntake = {
  /** `wireBytes`: of its payload. */
  take(frame: LegFrame, wireBytes: number): void;
  /** A ping or a pong, or what is not looked at. */
  count(wireBytes: number): void;
  started(audio: LegAudio): void;
  close(): void;
};

const KIB = 1024;
/** Platforms send 50 messages a second, one for each 20 ms; twice that when they send both tracks, and as much again. */
const MESSAGES_PER_SECOND = 200;
const MESSAGES_OF_TRACK = 50;
const TRACKS = 2;
/** Of base64. */
const EXPANSION = 4 / 3;
/** Names, ids and numbers around the audio of a message. */
const ENVELOPE_BYTES = 512;
/** For clocks that run fast, messages of another length, and marks. */
const ROOM = 2;
/** A connection that hung delivers at once what was sent meanwhile. */
const BURST_SECONDS = 30;

/** The first message is the largest there may be at most, and audio of 48 kHz may follow at once. */
const BEFORE_START: IntakeLimits = { messagesPerSecond: MESSAGES_PER_SECOND, bytesPerSecond: 256 * KIB };

export function limitsOfCall(audio: LegAudio): IntakeLimits {
  const trackBytes = bytesPerMs(audio) * 1000 * EXPANSION + MESSAGES_OF_TRACK * ENVELOPE_BYTES;
  return {
    messagesPerSecond: MESSAGES_PER_SECOND,
    bytesPerSecond: Math.ceil(ROOM * TRACKS * trackBytes),
    burstSeconds: BURST_SECONDS,
  };
}

export function createLegIntake(options: LegIntakeOptions): LegIntake {
  const { clock, limits, metrics } = options;
  let refusalOf = createIntakeLimit(BEFORE_START);
  let phase: 'open' | 'refused' = 'open';
  /** Of the widest audio so far: a far side that names one rate after the other gets no new burst each time. */
  let callBytesPerSecond = 0;

  const refuse = (limit: 'volume' | 'time', error: AppError) => {
    if (phase === 'refused') return;
    phase = 'refused';
    paced.close();
    metrics.intakeRefused('leg', limit);
    options.onRefused(error);
  };
  const paced = new PacedIntake<LegFrame>({
    ...loneShare(limits),
    clock,
    handle: options.handle,
    // A small message is a part of a large block that was read.
    toKeep: (frame) => (typeof frame === 'string' ? frame : new Uint8Array(frame)),
    isUrgent: () => false,
    onSpent: (ms) => metrics.intakeSpent(ms),
    onSlowed: () => metrics.intakeSlowed(),
    onOverflow: () =>
      refuse('time', new AppError('rate_limited', 'The messages of the leg take too much time; send less.')),
  });
  const count = (wireBytes: number) => {
    if (phase === 'refused') return;
    const refused = refusalOf(clock.now(), wireBytes);
    if (refused !== undefined) refuse('volume', refused);
  };

  return {
    take(frame, wireBytes) {
      count(wireBytes);
      paced.take(frame, typeof frame === 'string' ? textBytes(frame, wireBytes) : wireBytes);
    },
    count,
    started(audio) {
      const ofCall = limitsOfCall(audio);
      if (ofCall.bytesPerSecond <= callBytesPerSecond) return;
      callBytesPerSecond = ofCall.bytesPerSecond;
      refusalOf = createIntakeLimit(ofCall);
    },
    close: () => paced.close(),
  };
}
