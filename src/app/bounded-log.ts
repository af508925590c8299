// The log of a process, in front of what writes it. Lines that strangers or an outage can cause in any number are bounded,
// each by what it tells of: a flood of one leaves no other out, and what was left out is counted and told. All lines are
// counted as their table says, whatever the level of the log is.

import type { Clock } from '../base/clock.ts';
import type { Log, LogFields } from '../base/log.ts';
import { eventRow, type FailureOf, type LogEvent } from '../base/log-events.ts';

export type BoundedLogOptions = {
  readonly log: Log;
  readonly clock: Clock;
  /** A line told of a failure. */
  readonly onFailure: (of: FailureOf, code: string) => void;
  /** A line, written or not. */
  readonly onEvent: (event: LogEvent, level: keyof Log) => void;
};

/** Of lines of one event and one code: so many at once, and so many a second in the long run. */
export const MAX_BURST = 50;
export const MAX_PER_SECOND = 5;
/** What was left out is told after so long at the latest, also when no further line comes. */
const TELL_MS = 10_000;

type Bucket = {
  readonly event: LogEvent;
  readonly code: string | undefined;
  room: number;
  atMs: number;
  leftOut: number;
};

export type BoundedLog = Log & {
  /** Tells what was left out, and nothing by itself afterwards. */
  close(): void;
};

/** Codes are of the table of errors, so there is a bounded number of buckets. */
export function createBoundedLog({ log, clock, onFailure, onEvent }: BoundedLogOptions): BoundedLog {
  const buckets = new Map<string, Bucket>();
  let cancelTelling: (() => void) | undefined;

  const tellLeftOut = () => {
    cancelTelling = undefined;
    for (const bucket of buckets.values()) {
      const { event, code, leftOut } = bucket;
      if (leftOut === 0) continue;
      bucket.leftOut = 0;
      onEvent('lines_left_out', 'warn');
      log.warn('lines_left_out', { of: event, code, leftOut });
    }
  };
  const bucketOf = (event: LogEvent, code: string | undefined): Bucket => {
    const id = code === undefined ? event : `${event} ${code}`;
    const nowMs = clock.now();
    const known = buckets.get(id);
    if (known === undefined) {
      const made = { event, code, room: MAX_BURST, atMs: nowMs, leftOut: 0 };
      buckets.set(id, made);
      return made;
    }
    known.room = Math.min(MAX_BURST, known.room + ((nowMs - known.atMs) * MAX_PER_SECOND) / 1000);
    known.atMs = nowMs;
    return known;
  };
  /** The fields to write; undefined: the line is left out. */
  const bounded = (event: LogEvent, fields: LogFields | undefined): LogFields | undefined => {
    const code = fields?.code ?? fields?.reason;
    const bucket = bucketOf(event, code === undefined ? undefined : String(code));
    if (bucket.room < 1) {
      bucket.leftOut += 1;
      cancelTelling ??= clock.after(TELL_MS, tellLeftOut);
      return undefined;
    }
    bucket.room -= 1;
    const { leftOut } = bucket;
    bucket.leftOut = 0;
    return leftOut === 0 ? (fields ?? {}) : { ...fields, leftOut };
  };

  const at =
    (level: keyof Log): Log['info'] =>
    (event, fields) => {
      const { failureOf, isBounded } = eventRow(event) ?? {};
      onEvent(event, level);
      if (failureOf !== undefined && fields?.code !== undefined) onFailure(failureOf, String(fields.code));
      if (isBounded === undefined) return log[level](event, fields);
      const kept = bounded(event, fields);
      if (kept !== undefined) log[level](event, kept);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    close() {
      cancelTelling?.();
      tellLeftOut();
    },
  };
}
