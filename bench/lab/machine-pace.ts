// How fast this machine is right now: two small measurements, so that figures of two days can be held side by side. Virtual
// machines share a processor's clock and its last-level cache with neighbours whom nobody sees, and both change within minutes.

import { monotonicMs } from './monotonic.ts';
import { medianOf } from './spread.ts';

export type MachinePace = {
  /** One read of 8 MB in an order that nothing foresees, ns: some 20 where the last-level cache is free, above 150 where it is taken. */
  readonly memoryNs: number;
  /** A second's worth of 24 kHz through a small filter, ms: arithmetic alone. */
  readonly filterMs: number;
};

const WALKED_BYTES = 8 * 1024 * 1024;
/** Of a line of the cache, so that each step reads another one. */
const LINE_WORDS = 16;
const STEPS = 500_000;
const SAMPLES = 24_000;
const TAPS = 48;
const TIMES = 5;

/** Each line holds the place of the next, all of them in one ring (Sattolo's shuffle). */
function ringOf(lines: number): Int32Array {
  const order = Int32Array.from({ length: lines }, (_, line) => line);
  let seed = 1;
  for (let last = lines - 1; last > 0; last--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    const other = seed % last;
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const ring = new Int32Array(lines * LINE_WORDS);
  for (let line = 0; line < lines; line++) ring[line * LINE_WORDS] = order[line]! * LINE_WORDS;
  return ring;
}

function walk(ring: Int32Array, steps: number): number {
  let at = 0;
  for (let step = 0; step < steps; step++) at = ring[at]!;
  return at;
}

function filter(samples: Float64Array, taps: Float64Array): number {
  let all = 0;
  for (let at = 0; at + TAPS <= samples.length; at++) {
    let sum = 0;
    for (let tap = 0; tap < TAPS; tap++) sum += samples[at + tap]! * taps[tap]!;
    all += sum;
  }
  return all;
}

/** What nobody reads might not be done at all. */
const results: number[] = [];

/** The middle one of several, after one that nobody counts. */
function middleMs(task: () => number): number {
  results.push(task());
  const took = Array.from({ length: TIMES }, () => {
    const beganMs = monotonicMs();
    results.push(task());
    return monotonicMs() - beganMs;
  });
  results.length = 0;
  return medianOf(took);
}

/** Takes about a second of a slow machine. */
export function machinePace(): MachinePace {
  const ring = ringOf(WALKED_BYTES / 4 / LINE_WORDS);
  const samples = Float64Array.from({ length: SAMPLES }, (_, at) => Math.sin(at));
  const taps = Float64Array.from({ length: TAPS }, (_, tap) => 1 / (tap + 1));
  return {
    memoryNs: (middleMs(() => walk(ring, STEPS)) * 1e6) / STEPS,
    filterMs: middleMs(() => filter(samples, taps)),
  };
}
