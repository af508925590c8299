// The cheapest path of a speech through the frames of its reference, frame by frame (dynamic time warping, Sakoe and Chiba
// 1978), as a Viterbi beam search. Between words it may wait in a pause. Its memory does not grow with the speech: the steps
// of a path are forgotten after some seconds.

import { BETWEEN_WORDS, NO_PAUSE, type ReferenceSpeech } from './reference-speech.ts';
import { DIMENSIONS } from './speech-vectors.ts';

export type AlignmentSearch = {
  /** The vector of the next frame of speech, as `writeFeatures` makes it, and what it costs to call it a pause. */
  advance(vector: Float32Array, pauseCost: number): void;
  /** Frames taken so far. */
  frames(): number;
  /** What the best path costs so far: sum of the distances and of the penalties of its steps. */
  cost(): number;
  /** The same for the best path that has reached the end of the reference, or the pause after it; infinite: none has. */
  costToEnd(): number;
  /**
   * Finds the best path that leads to now, `'open'`, or to the end of the reference if any does, `'closed'`. Gives the
   * first frame of speech whose place has changed since the last call: no more than `REMEMBERED_FRAMES` ago.
   */
  trace(end: 'open' | 'closed'): number;
  /** Where in the reference the path of the last trace is at a frame of speech; pauses are half a frame before a frame. */
  placeAt(frame: number): number;
};

/** Frames of speech whose places are kept: ten seconds. */
export const REMEMBERED_FRAMES = 512;
/** Frames of reference that are looked at in one step, at most, of which these many are new. */
const WIDEST = 256;
const NEW_FRAMES = 4;
/** Bytes for the steps of the remembered frames. At the full width they last five seconds, usually ten. */
const STEP_BYTES = 2 ** 16;

/**
 * Paths that cost this much more than the best one are given up: more of them are kept where even the best fits badly, which is
 * when the text is not what is spoken. A frame costs 3 to 11 on the right path, depending on how similar the voices are.
 */
const HOPELESS = 60;
const HOPELESS_PER_COST = 180;
const GOOD_COST = 8;
/** Frames that the cost of the last ones is averaged over. */
const LATELY = 6;
/** Penalties of going on by 0, 2 and 3 frames of the reference instead of one. */
const STAY = 3;
const SKIP_ONE = 5;
const SKIP_TWO = 10;
/** Penalty of a pause where the reference has none. */
const ENTER_PAUSE = 20;

/** Penalty of a word that is not spoken. */
const LEAVE_OUT_WORD = 40;

/** No path comes here. */
const FAR = 1e12;
/** Step into a frame: 0 to 3 frames further, or out of the pause before it. Pauses keep theirs above, in two bits. */
const OUT_OF_PAUSE = 4;
/** From the first frame of the word before, all of which is left out. */
const OVER_WORD = 5;
const PAUSE_SHIFT = 3;

export function createAlignmentSearch(reference: ReferenceSpeech): AlignmentSearch {
  const { features, frames: states, pausing, wordBack } = reference;
  // Costs of the paths that end in each frame of the reference, or in the pause before it: a ring over the looked-at ones.
  const ring = 2 * WIDEST;
  const inRing = ring - 1;
  const ways = new Float64Array(ring).fill(FAR);
  const pauses = new Float64Array(ring).fill(FAR);
  let low = 0;
  let high = 0;
  let frames = 0;
  let cost = 0;
  let lately = 0;
  let margin = HOPELESS;

  const steps = new Uint8Array(STEP_BYTES);
  let stepsWritten = 0;
  const rowStart = new Float64Array(REMEMBERED_FRAMES);
  const rowLow = new Int32Array(REMEMBERED_FRAMES);
  /** Nodes of the last trace: twice the frame of the reference, and one more for the pause before it. */
  const nodes = new Int32Array(REMEMBERED_FRAMES);
  let traced = 0;
  const rowOf = (frame: number) => frame & (REMEMBERED_FRAMES - 1);
  const place = (node: number) => (node >> 1) - (node & 1) / 2;

  /** Euclidean distance, by four independent sums. */
  const distance = (vector: Float32Array, state: number): number => {
    const at = state * DIMENSIONS;
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let d = 0; d < DIMENSIONS; d += 4) {
      const apart0 = vector[d]! - features[at + d]!;
      const apart1 = vector[d + 1]! - features[at + d + 1]!;
      const apart2 = vector[d + 2]! - features[at + d + 2]!;
      const apart3 = vector[d + 3]! - features[at + d + 3]!;
      sum0 += apart0 * apart0;
      sum1 += apart1 * apart1;
      sum2 += apart2 * apart2;
      sum3 += apart3 * apart3;
    }
    return Math.sqrt(sum0 + sum1 + sum2 + sum3);
  };

  /** Gives up what costs more than `limit`, then the more expensive end until the rest is narrow enough. */
  const narrow = (limit: number) => {
    const isHopeless = (state: number) => ways[state & inRing]! > limit && pauses[state & inRing]! > limit;
    while (low < high - 1 && isHopeless(low)) low += 1;
    // The frame behind the last one is the pause at the end.
    while (high > low + 1 && isHopeless(high - 1) && (high < states || isHopeless(states))) high -= 1;
    while (high - low > WIDEST - NEW_FRAMES) {
      if (ways[low & inRing]! > ways[(high - 1) & inRing]!) low += 1;
      else high -= 1;
    }
  };

  const advance = (vector: Float32Array, pauseCost: number) => {
    const from = low;
    const to = Math.min(states, high + NEW_FRAMES);
    for (let state = high; state <= to; state += 1)
      if (state > high || high < states || frames === 0) {
        ways[state & inRing] = FAR;
        pauses[state & inRing] = FAR;
      }
    const isFirst = frames === 0;
    // The best path does not become cheaper.
    const hopeless = cost + margin;
    let best = FAR;
    // Backwards, so that costs of the frame of speech before are still there for those that follow on them.
    const last = to === states ? states : to - 1;
    for (let state = last; state >= from; state -= 1) {
      const at = state & inRing;
      const before1 = state > from ? ways[(state - 1) & inRing]! : FAR;
      const before2 = state > from + 1 ? ways[(state - 2) & inRing]! + SKIP_ONE : FAR;
      const mayPause = pausing[state]!;
      const paused = pauses[at]!;
      let step = 0;
      if (state < states) {
        let least = ways[at]! + STAY;
        if (before1 < least) {
          least = before1;
          step = 1;
        }
        if (before2 < least) {
          least = before2;
          step = 2;
        }
        const before3 = state > from + 2 ? ways[(state - 3) & inRing]! + SKIP_TWO : FAR;
        if (before3 < least) {
          least = before3;
          step = 3;
        }
        if (paused < least) {
          least = paused;
          step = OUT_OF_PAUSE;
        }
        const back = wordBack[state]!;
        if (back !== 0 && state - back >= from && ways[(state - back) & inRing]! + LEAVE_OUT_WORD < least) {
          least = ways[(state - back) & inRing]! + LEAVE_OUT_WORD;
          step = OVER_WORD;
        }
        if (isFirst) least = state * SKIP_ONE;
        least = least < hopeless ? least + distance(vector, state) : FAR;
        if (least < best) best = least;
        ways[at] = least;
      }
      if (mayPause !== NO_PAUSE) {
        const enter = mayPause === BETWEEN_WORDS ? ENTER_PAUSE : 0;
        let least = isFirst && state === 0 ? 0 : paused;
        let pauseStep = 0;
        if (before1 + enter < least) {
          least = before1 + enter;
          pauseStep = 1;
        }
        if (before2 + enter < least) {
          least = before2 + enter;
          pauseStep = 2;
        }
        if (least < FAR) least += pauseCost;
        if (least < best) best = least;
        pauses[at] = least;
        step |= pauseStep << PAUSE_SHIFT;
      }
      steps[(stepsWritten + state - from) & (STEP_BYTES - 1)] = step;
    }
    rowStart[rowOf(frames)] = stepsWritten;
    rowLow[rowOf(frames)] = from;
    stepsWritten += last - from + 1;
    frames += 1;
    lately += (best - cost - lately) / LATELY;
    margin = HOPELESS + HOPELESS_PER_COST * Math.max(0, lately - GOOD_COST);
    cost = best;
    high = to;
    narrow(best + margin);
  };

  /** The node in which the best path ends. */
  const bestEnd = (end: 'open' | 'closed'): number => {
    const atEnd = high === states;
    let best = atEnd ? pauses[states & inRing]! : FAR;
    let node = best < FAR ? 2 * states + 1 : 2 * low;
    for (let state = end === 'closed' && atEnd ? states - 1 : low; state < high; state += 1) {
      if (ways[state & inRing]! < best) {
        best = ways[state & inRing]!;
        node = 2 * state;
      }
      if (end === 'open' && pauses[state & inRing]! < best) {
        best = pauses[state & inRing]!;
        node = 2 * state + 1;
      }
    }
    return node;
  };

  const nodeBefore = (node: number, frame: number): number => {
    const state = node >> 1;
    const step = steps[(rowStart[rowOf(frame)]! + state - rowLow[rowOf(frame)]!) & (STEP_BYTES - 1)]!;
    if ((node & 1) === 1) {
      const back = step >> PAUSE_SHIFT;
      return back === 0 ? node : 2 * (state - back);
    }
    const back = step & ((1 << PAUSE_SHIFT) - 1);
    if (back === OVER_WORD) return 2 * (state - wordBack[state]!);
    return back === OUT_OF_PAUSE ? node + 1 : 2 * (state - back);
  };

  const isForgotten = (frame: number) =>
    frame <= frames - REMEMBERED_FRAMES || rowStart[rowOf(frame)]! < stepsWritten - STEP_BYTES;

  return {
    advance,
    frames: () => frames,
    cost: () => cost,
    costToEnd() {
      if (frames === 0 || high < states) return Number.POSITIVE_INFINITY;
      const atEnd = Math.min(ways[(states - 1) & inRing]!, pauses[states & inRing]!);
      return atEnd < FAR ? atEnd : Number.POSITIVE_INFINITY;
    },
    trace(end) {
      if (frames === 0) return 0;
      let node = bestEnd(end);
      let frame = frames - 1;
      for (;;) {
        // Where two paths meet, they have the same past.
        if (frame < traced && nodes[rowOf(frame)] === node) break;
        nodes[rowOf(frame)] = node;
        if (frame === 0 || isForgotten(frame)) break;
        node = nodeBefore(node, frame);
        frame -= 1;
      }
      traced = frames;
      return frame;
    },
    placeAt: (frame) => place(nodes[rowOf(frame)]!),
  };
}
