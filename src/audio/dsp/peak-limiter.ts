// Gain, and a ceiling that no peak passes: 5 ms before a peak the gain begins to fall, in a straight line, so that
// nothing is clipped or clicks, and it recovers over a twentieth of a second. What goes in comes out at the same place.

import type { Stage } from '../stage.ts';
import { createPeakFinder, PEAK_DELAY } from './true-peak.ts';

const LOOK_AHEAD_SECONDS = 0.005;
/** The time in which a lowered gain comes back by 63 %. */
const RELEASE_SECONDS = 0.05;

export type PeakLimit = {
  readonly sampleRate: number;
  /** Factor on every sample. */
  readonly gain: number;
  /** The greatest magnitude that comes out, between samples too. */
  readonly ceiling: number;
};

/**
 * As many samples come out as go in; `flush` gives the last 5 ms and ends the stage. `emit` gets scratch memory.
 *
 * Each sample asks for a gain of its own. A gain follows the lowest of them at once and rises slowly. The least of it
 * over a window, averaged over a window as long, is a ramp that is down in time: every value in the average has the
 * peak in its window (a usual design of look-ahead limiters).
 */
export function createPeakLimiter(
  { sampleRate, gain, ceiling }: PeakLimit,
  emit: (samples: Float32Array) => void,
): Stage<Float32Array> {
  const window = Math.max(1, Math.round(sampleRate * LOOK_AHEAD_SECONDS));
  const rise = 1 - Math.exp(-1 / (sampleRate * RELEASE_SECONDS));
  const delay = window - 1 + PEAK_DELAY;
  const finder = createPeakFinder();
  const delayed = new Float32Array(delay + 1);
  const lowest = createSlidingMinimum(window);
  const averaged = new Float64Array(window).fill(1);
  let sum = window;
  let follower = 1;
  let count = 0;
  let made = new Float32Array(0);

  const limit = (samples: Float32Array): void => {
    if (made.length < samples.length) made = new Float32Array(samples.length);
    let ready = 0;
    finder.find(samples, ceiling / gain, (from, length, peaks) => {
      for (let i = 0; i < length; i++) {
        const asked = Math.min(1, ceiling / (gain * peaks[i]!));
        follower = Math.min(asked, follower + (1 - follower) * rise);
        const least = lowest(follower);
        const slot = count % window;
        sum += least - averaged[slot]!;
        averaged[slot] = least;
        delayed[count % delayed.length] = samples[from + i]!;
        count += 1;
        if (count > delay) made[ready++] = delayed[count % delayed.length]! * gain * (sum / window);
      }
    });
    if (ready > 0) emit(made.subarray(0, ready));
  };

  return {
    push: limit,
    flush() {
      limit(new Float32Array(delay));
    },
  };
}

/** From a value to the least of the last `window` ones. */
function createSlidingMinimum(window: number): (value: number) => number {
  // Candidates in rising order, each with its place: a ring, because the oldest leaves at the front.
  const values = new Float64Array(window + 1);
  const places = new Float64Array(window + 1);
  const size = window + 1;
  let [front, length, place] = [0, 0, 0];
  return (value) => {
    while (length > 0 && values[(front + length - 1) % size]! >= value) length -= 1;
    values[(front + length) % size] = value;
    places[(front + length) % size] = place;
    length += 1;
    if (places[front]! <= place - window) {
      front = (front + 1) % size;
      length -= 1;
    }
    place += 1;
    return values[front]!;
  };
}
