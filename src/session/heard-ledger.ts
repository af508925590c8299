// What a listener has heard of one turn: by his own reports where he makes any, else by the clock. Never more
// than was sent, and never less than he reported before.

import { heardByClockMs } from '../playout/pacer.ts';

export type HeardLedger = {
  /** A `played` report or the mark of a leg, cumulative ms; what has not been sent cannot have been heard. */
  report(playedMs: number, position: Pick<Position, 'sentMs' | 'nowMs'>, by: ReportedBy): void;
  reportedMs(): number | undefined;
  /** When the last report came; the anchor while none has. */
  reportedAtMs(): number | undefined;
  heard(position: Position): { readonly playedMs: number; readonly playedBy: ReportedBy | 'clock' };
  /**
   * When all that was sent will have been heard, or no report can be expected any more; in the infinite past when the
   * listener has reported it all.
   */
  overMs(position: Omit<Position, 'nowMs'>, graceMs: number): number;
};

/** Clients report what they have played; marks come seldom, and between two of them the far side plays on. */
export type ReportedBy = 'client' | 'mark';

/** Media position 0 is heard at `anchorMs`; `sentMs` of audio have been sent. */
export type Position = { readonly anchorMs: number; readonly sentMs: number; readonly nowMs: number };

export function createHeardLedger(): HeardLedger {
  let reportedMs: number | undefined;
  let reportedAtMs: number | undefined;
  let reportedBy: ReportedBy = 'client';
  return {
    report(playedMs, { sentMs, nowMs }, by) {
      reportedBy = by;
      reportedMs = Math.max(reportedMs ?? 0, Math.min(playedMs, sentMs));
      reportedAtMs = nowMs;
    },
    reportedMs: () => reportedMs,
    reportedAtMs: () => reportedAtMs,
    heard({ anchorMs, sentMs, nowMs }) {
      if (reportedMs !== undefined) {
        const sinceMs = reportedBy === 'mark' ? Math.max(0, nowMs - reportedAtMs!) : 0;
        return { playedMs: Math.min(sentMs, reportedMs + sinceMs), playedBy: reportedBy };
      }
      return { playedMs: heardByClockMs(anchorMs, sentMs, nowMs), playedBy: 'clock' };
    },
    overMs({ anchorMs, sentMs }, graceMs) {
      if (reportedMs !== undefined && reportedMs >= sentMs) return Number.NEGATIVE_INFINITY;
      return Math.max(anchorMs + sentMs, reportedAtMs ?? 0) + graceMs;
    },
  };
}
