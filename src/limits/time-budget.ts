// How much of a thread's time a client's work may take: milliseconds a second, with a burst. Work is done first and charged
// then, so a budget may go below zero; the client waits until it is above zero again. Time is an argument.

/** No allowed work takes longer. Work that does, alone, was delayed: garbage collection, a busy machine. */
const LONG_WORK_MS = 10;
/** Long work counts as alone when there was no other for this long. */
const ALONE_MS = 10_000;
/** Upper bound of the debt. */
const MAX_DEBT_SECONDS = 10;

export class TimeBudget {
  private readonly msPerSecond: number;
  private readonly burstMs: number;
  private leftMs: number;
  private filledAtMs: number | undefined;
  private longWorkAtMs = Number.NEGATIVE_INFINITY;

  /** `msPerSecond` come back each second, at most `burstMs` are kept; it starts full. */
  constructor(msPerSecond: number, burstMs: number) {
    this.msPerSecond = msPerSecond;
    this.burstMs = burstMs;
    this.leftMs = burstMs;
  }

  /** How long until work may be done again, ms; 0: now. */
  waitMs(nowMs: number): number {
    this.fill(nowMs);
    return this.leftMs > 0 ? 0 : Math.max(1, (-this.leftMs * 1000) / this.msPerSecond);
  }

  /** Work that took `spentMs` and ended at `nowMs`. */
  charge(nowMs: number, spentMs: number): void {
    this.fill(nowMs);
    let chargedMs = spentMs;
    if (spentMs > LONG_WORK_MS) {
      if (nowMs - this.longWorkAtMs > ALONE_MS) chargedMs = LONG_WORK_MS;
      this.longWorkAtMs = nowMs;
    }
    this.leftMs = Math.max(-MAX_DEBT_SECONDS * this.msPerSecond, this.leftMs - chargedMs);
  }

  private fill(nowMs: number): void {
    if (this.filledAtMs !== undefined) {
      const backMs = ((nowMs - this.filledAtMs) * this.msPerSecond) / 1000;
      this.leftMs = Math.min(this.burstMs, this.leftMs + backMs);
    }
    this.filledAtMs = nowMs;
  }
}
