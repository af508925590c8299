// Callers who want more than there is, and the judgement on what they were granted.

import type { QuotaStore } from '../../src/upstream/quota/quota-store.ts';
import { pause } from './redis-quota-stores.ts';

/** Between these times (of the clock that all processes of a machine share) the store counted a send. */
export type Send = { readonly fromMs: number; readonly toMs: number };

/** CLOCK_MONOTONIC of the system: the same for every process, and no wall clock. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

export type Load = {
  readonly sends: Send[];
  /** How long each ask took. */
  readonly tookMs: number[];
  /** Returns when the last ask is answered. */
  stop(): Promise<void>;
};

const MOST_PAUSE_MS = 100;
let reservations = 0;

/** `callers` at a time ask on, without end. */
export function startLoad(store: QuotaStore, among: readonly string[], callers = 2): Load {
  const sends: Send[] = [];
  const tookMs: number[] = [];
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const fromMs = sharedNow();
      const reservation = `${process.pid}-${reservations++}`;
      const answer = await store.ask({ reservation, among, leave: 0, forecast: 1 });
      const toMs = sharedNow();
      tookMs.push(toMs - fromMs);
      if (answer.granted) sends.push({ fromMs, toMs });
      else await pause(Math.min(MOST_PAUSE_MS, answer.waitsMs[0]! + 1));
    }
  };
  const calls = Array.from({ length: callers }, call);
  return {
    sends,
    tookMs,
    async stop() {
      isOver = true;
      await Promise.all(calls);
    },
  };
}

/** Redis's time is counted in whole milliseconds, so two sends may be that much closer than it counts. */
const STEP_MS = 1;

/** The most sends that were surely counted within one span. */
export function mostWithin(sends: readonly Send[], spanMs: number): number {
  const surelyMs = spanMs - STEP_MS;
  const sorted = [...sends].sort((a, b) => a.fromMs - b.fromMs);
  let most = 0;
  for (const [i, { fromMs }] of sorted.entries()) {
    let count = 0;
    for (let k = i; k < sorted.length && sorted[k]!.fromMs < fromMs + surelyMs; k++) {
      if (sorted[k]!.toMs < fromMs + surelyMs) count += 1;
    }
    most = Math.max(most, count);
  }
  return most;
}

/** Sends between two times, as a part of what the limit allows. */
export const partUsed = (
  sends: readonly Send[],
  fromMs: number,
  toMs: number,
  { limit, spanMs }: { readonly limit: number; readonly spanMs: number },
): number =>
  sends.filter((send) => send.toMs >= fromMs && send.toMs < toMs).length /
  (((toMs - fromMs) / spanMs) * limit);
