// Many deadlines behind one timer: short waits of many sessions do not need a timer each.

import type { Clock } from './clock.ts';

type Deadline = { readonly dueMs: number; readonly expire: () => void };

export class Deadlines {
  private readonly clock: Pick<Clock, 'now' | 'after'>;
  private readonly open = new Set<Deadline>();
  private timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.clock = clock;
  }

  /** Calls `expire` in so many ms, unless what is returned has been called by then. */
  after(ms: number, expire: () => void): () => void {
    const deadline: Deadline = { dueMs: this.clock.now() + ms, expire };
    this.open.add(deadline);
    if (this.timer === undefined || deadline.dueMs < this.timer.dueMs) this.set(deadline.dueMs);
    return () => {
      this.open.delete(deadline);
      if (this.open.size === 0) this.set(undefined);
    };
  }

  private set(dueMs: number | undefined): void {
    this.timer?.cancel();
    this.timer =
      dueMs === undefined
        ? undefined
        : { dueMs, cancel: this.clock.after(Math.max(0, dueMs - this.clock.now()), () => this.look()) };
  }
  private look(): void {
    this.timer = undefined;
    const nowMs = this.clock.now();
    // What expires may make others, and cancel some.
    for (const deadline of [...this.open])
      if (deadline.dueMs <= nowMs && this.open.delete(deadline)) deadline.expire();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.open) nextMs = Math.min(nextMs, dueMs);
    this.set(this.open.size === 0 ? undefined : nextMs);
  }
}
