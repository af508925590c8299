// What is known of a session when it ends, for its one line in the log, and the line of each of its turns that failed.
// It sees what the session says, whatever protocol its client speaks: ids, codes and figures, never a text.

import { ERROR_TABLE, type ErrorCode } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type Log, levelOfStatus } from '../../base/log.ts';
import type { Outcome, ServerEvent } from '../../dialects/native-events.ts';
import type { UpgradeSeen } from './admit-upgrade.ts';

export type SessionRecordOptions = {
  readonly session: string;
  readonly seen: UpgradeSeen;
  readonly clock: Clock;
  readonly log: Log;
};

export type SessionEnd = {
  /** The WebSocket's close code: the gateway's own where it closed, also when its close frame was not answered. */
  close: number | undefined;
  /** What the gateway closed it for; undefined when the client did, or its protocol was done. */
  code: ErrorCode | undefined;
  /** Of turns that were being heard when it ended, ms. */
  heardMs: number;
};

/** A class, not closures: one object per session keeps cache misses low (decision 0041). */
export class SessionRecord {
  private readonly options: SessionRecordOptions;
  private readonly openedAtMs: number;
  /** Turns that have ended, by how. */
  readonly turns: Record<Outcome, number> = { complete: 0, cancelled: 0, truncated: 0, failed: 0 };
  private firstAudioMs: number | undefined;
  private heardMs = 0;
  private leg: { readonly leg: string; readonly kind: string } | undefined;
  /** The last failure that was said of a turn: what ends one is said right before its end. */
  private failure: { readonly turn: string; readonly code: ErrorCode } | undefined;

  constructor(options: SessionRecordOptions) {
    this.options = options;
    this.openedAtMs = options.clock.now();
  }

  /** The session says it. */
  note(event: ServerEvent): void {
    const { type } = event;
    if (type === 'started') this.firstAudioMs ??= event.timings.firstAudioMs;
    else if (type === 'heard') this.heardMs += event.playedMs;
    else if (type === 'attached') this.leg = { leg: event.leg, kind: event.kind };
    else if (type === 'error' && event.turn !== undefined)
      this.failure = { turn: event.turn, code: event.code as ErrorCode };
    else if (type === 'ended') {
      const { turn, outcome, sentMs } = event;
      this.turns[outcome] += 1;
      if (outcome === 'failed' || outcome === 'truncated') this.turnFailed(turn, outcome, sentMs);
    }
  }
  /** It has ended; once. */
  end({ close, code, heardMs }: SessionEnd & { readonly close: number }): void {
    const { session, seen, clock, log } = this.options;
    const { complete, cancelled, truncated, failed } = this.turns;
    log.info('session_ended', {
      session,
      ...seen,
      ...this.leg,
      outcome: outcomeOf(close, code),
      close,
      code,
      seconds: seconds(clock.now() - this.openedAtMs),
      turns: complete + cancelled + truncated + failed,
      cancelled,
      truncated,
      failed,
      lastFailure: this.failure?.code,
      firstAudioMs: this.firstAudioMs,
      heardSeconds: seconds(this.heardMs + heardMs),
    });
  }

  private turnFailed(turn: string, outcome: Outcome, sentMs: number): void {
    const { session, seen, log } = this.options;
    const code = this.failure?.turn === turn ? this.failure.code : 'internal';
    const { tenant, dialect } = seen;
    const fields = { session, turn, tenant, dialect, outcome, code, sentSeconds: seconds(sentMs) };
    log[levelOfStatus(ERROR_TABLE[code].http)]('turn_failed', fields);
  }
}

/** `closed`: by the client or its protocol; `lost`: without a word; `ended`: by the gateway. */
const outcomeOf = (close: number, code: ErrorCode | undefined): 'closed' | 'lost' | 'ended' => {
  if (code !== undefined) return 'ended';
  return close === LOST ? 'lost' : 'closed';
};

/** RFC 6455 7.4.1: no close frame came. */
const LOST = 1006;

const seconds = (ms: number): number => Math.round(ms) / 1000;
