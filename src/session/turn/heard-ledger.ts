// What a listener has heard of one turn: by the listener's own reports if there are any, else by the clock. Never more
// than was sent, and never less than was reported before.

import { heardByClockMs } from '../../playout/pacer.ts';

/** Clients report what they have played; marks come seldom, and between two of them the far side plays on. */
export type ReportedBy = 'client' | 'mark';

/** Media position 0 is heard at `anchorMs`; `sentMs` of audio have been sent. */
export type Position = { readonly anchorMs: number; readonly sentMs: number; readonly nowMs: number };

export class HeardLedger {
  private lastMs: number | undefined;
  private lastAtMs: number | undefined;
  private lastBy: ReportedBy = 'client';
  /** When the first report came, or the last that told of more than the one before. */
  private advancedAtMs: number | undefined;

  /** A `played` report or the mark of a leg, cumulative ms; what has not been sent cannot have been heard. */
  report(playedMs: number, { sentMs, nowMs }: Pick<Position, 'sentMs' | 'nowMs'>, by: ReportedBy): void {
    this.lastBy = by;
    const beforeMs = this.lastMs ?? 0;
    this.lastMs = Math.max(beforeMs, Math.min(playedMs, sentMs));
    if (this.advancedAtMs === undefined || this.lastMs > beforeMs) this.advancedAtMs = nowMs;
    this.lastAtMs = nowMs;
  }
  reportedMs(): number | undefined {
    return this.lastMs;
  }
  /** When the last report came; the anchor while none has. */
  reportedAtMs(): number | undefined {
    return this.lastAtMs;
  }
  heard({ anchorMs, sentMs, nowMs }: Position): {
    readonly playedMs: number;
    readonly playedBy: ReportedBy | 'clock';
  } {
    if (this.lastMs === undefined)
      return { playedMs: heardByClockMs(anchorMs, sentMs, nowMs), playedBy: 'clock' };
    const sinceMs = this.lastBy === 'mark' ? Math.max(0, nowMs - this.lastAtMs!) : 0;
    return { playedMs: Math.min(sentMs, this.lastMs + sinceMs), playedBy: this.lastBy };
  }
  /**
   * When all that was sent will have been heard, or no report can be expected any more; in the infinite past when the
   * listener has reported it all.
   */
  overMs({ anchorMs, sentMs }: Omit<Position, 'nowMs'>, graceMs: number): number {
    if (this.lastMs !== undefined && this.lastMs >= sentMs) return Number.NEGATIVE_INFINITY;
    return Math.max(anchorMs + sentMs, this.lastAtMs ?? 0) + graceMs;
  }
  /**
   * When all that was sent has been heard, or will have been. Reports that repeat what is known do not put it off: a
   * player that has stopped may go on reporting for ever.
   */
  dryMs({ anchorMs, sentMs }: Omit<Position, 'nowMs'>, graceMs: number): number {
    const advancedAtMs = this.advancedAtMs ?? 0;
    if (this.lastMs !== undefined && this.lastMs >= sentMs) return advancedAtMs;
    return Math.max(anchorMs + sentMs, advancedAtMs) + graceMs;
  }
}
