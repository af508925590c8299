// The polyphase synthesis filter bank (ISO 11172-3 annex A.2): 32 subband samples → 32 samples of sound. The DCT of each
// time is a record; a sample is a sum over the records of sixteen times. Samples j and 32 − j are made of the same values.

import { transformTimes } from './dct32';
import { samplesAt } from './hybrid';
import { windowAt } from './synthesis-window';

/** Bytes of one record, and of one time's samples. */
const TIME: usize = 32 * 4;
/** Times before the present ones that are heard in them. */
const EARLIER: usize = 15;
export const HISTORY_BYTES: usize = EARLIER * TIME;
/** Floats that are free in front of the first record, so that vectors lie evenly. */
const FIRST: usize = 16;

/** Records of sixteen earlier times, of a frame's, and of two that fill the last four up. */
const recordsAt: usize = memory.data((16 + 36 + 4) * 128, 16);
/** Value 16 of each record, and what that adds to a time's first sample. */
const middlesAt: usize = memory.data((16 + 36 + 4) * 4, 16);
const firstsAt: usize = memory.data((36 + 4) * 4, 16);
/** For four samples each, for eight pairs of times: four vectors. */
const weightsAt: usize = memory.data(4 * 8 * 64, 16);
/** Eight floats, for the first sample. */
const firstWeightsAt: usize = memory.data(4 * 8, 16);

/** Decoded samples; a vector may be written behind the last one. */
export const soundAt: usize = memory.data(4 * (1152 + 8), 16);

export function buildWeights(): void {
  for (let pair: u32 = 0; pair < 8; pair++) {
    const i = pair * 64;
    store<f32>(firstWeightsAt + pair * 4, -windowAt(i + 32));
    for (let j: u32 = 0; j < 16; j++) {
      const at = weightsAt + ((j >> 2) * 8 + pair) * 64 + (j & 3) * 4;
      const isFirst = j === 0;
      store<f32>(at, windowAt(i + j));
      store<f32>(at, isFirst ? 0 : -windowAt(i + 32 + j), 16);
      // Of sample 32 − j; there is none of 32, so sample 16 has its place.
      store<f32>(at, isFirst ? 0 : -windowAt(i + 32 - j), 32);
      store<f32>(at, isFirst ? -windowAt(i + 48) : -windowAt(i + 64 - j), 48);
    }
  }
}

/** What earlier records' value 16 adds to the first sample of each of four times. */
function addFirsts(time: usize): void {
  const at = middlesAt + (FIRST + time) * 4;
  let sum = f32x4.splat(0);
  for (let pair: usize = 0; pair < 8; pair++)
    sum = f32x4.add(
      sum,
      f32x4.mul(v128.load(at - (2 * pair + 1) * 4), v128.load32_splat(firstWeightsAt + pair * 4)),
    );
  v128.store(firstsAt + time * 4, sum);
}

/** Samples 4g to 4g + 3, and those that mirror them, of three times; returns the greatest magnitudes with `peaks`. */
function weigh(time: usize, group: usize, peaks: v128): v128 {
  let record = recordsAt + (FIRST + time) * TIME + group * 16;
  let weights = weightsAt + group * 512;
  const end = weights + 512;
  let sound0 = f32x4.splat(0);
  let sound1 = sound0;
  let sound2 = sound0;
  let mirror0 = sound0;
  let mirror1 = sound0;
  let mirror2 = sound0;
  for (; weights < end; weights += 64, record -= 2 * TIME) {
    let even = v128.load(weights);
    let mirrorEven = v128.load(weights, 32);
    let values = v128.load(record);
    sound0 = f32x4.add(sound0, f32x4.mul(values, even));
    mirror0 = f32x4.add(mirror0, f32x4.mul(values, mirrorEven));
    values = v128.load(record, 128);
    sound1 = f32x4.add(sound1, f32x4.mul(values, even));
    mirror1 = f32x4.add(mirror1, f32x4.mul(values, mirrorEven));
    values = v128.load(record, 256);
    sound2 = f32x4.add(sound2, f32x4.mul(values, even));
    mirror2 = f32x4.add(mirror2, f32x4.mul(values, mirrorEven));
    even = v128.load(weights, 16);
    mirrorEven = v128.load(weights, 48);
    values = v128.load(record - TIME, 64);
    sound0 = f32x4.add(sound0, f32x4.mul(values, even));
    mirror0 = f32x4.add(mirror0, f32x4.mul(values, mirrorEven));
    values = v128.load(record, 64);
    sound1 = f32x4.add(sound1, f32x4.mul(values, even));
    mirror1 = f32x4.add(mirror1, f32x4.mul(values, mirrorEven));
    values = v128.load(record, 64 + 128);
    sound2 = f32x4.add(sound2, f32x4.mul(values, even));
    mirror2 = f32x4.add(mirror2, f32x4.mul(values, mirrorEven));
  }
  const at = soundAt + time * TIME;
  if (group === 0) {
    sound0 = f32x4.add(sound0, v128.load32_zero(firstsAt + time * 4));
    sound1 = f32x4.add(sound1, v128.load32_zero(firstsAt + time * 4, 4));
    sound2 = f32x4.add(sound2, v128.load32_zero(firstsAt + time * 4, 8));
    v128.store_lane<f32>(at + 64, mirror0, 0);
    v128.store_lane<f32>(at + 64 + 128, mirror1, 0);
    v128.store_lane<f32>(at + 64 + 256, mirror2, 0);
  }
  // In this order: the last lane of group 0 lies on the first sample of the time behind, which is written after it.
  const low = at + group * 16;
  const high = at + 29 * 4 - group * 16;
  v128.store(low, sound0);
  v128.store(high, v128.shuffle<f32>(mirror0, mirror0, 3, 2, 1, 0));
  v128.store(low, sound1, 128);
  v128.store(high, v128.shuffle<f32>(mirror1, mirror1, 3, 2, 1, 0), 128);
  v128.store(low, sound2, 256);
  v128.store(high, v128.shuffle<f32>(mirror2, mirror2, 3, 2, 1, 0), 256);
  peaks = f32x4.max(peaks, f32x4.max(f32x4.abs(sound0), f32x4.abs(mirror0)));
  peaks = f32x4.max(peaks, f32x4.max(f32x4.abs(sound1), f32x4.abs(mirror1)));
  return f32x4.max(peaks, f32x4.max(f32x4.abs(sound2), f32x4.abs(mirror2)));
}

/**
 * The sound of `times` (18 or 36) times 32 subband samples to `soundAt`. `history` has the records of the fifteen times
 * before. Returns the greatest magnitude.
 */
export function synthesize(history: usize, times: usize): f32 {
  memory.copy(recordsAt + TIME, history, HISTORY_BYTES);
  for (let time: usize = 1; time < FIRST; time++)
    store<f32>(middlesAt + time * 4, load<f32>(recordsAt + time * TIME));
  for (let time: usize = 0; time < times; time += 4) {
    transformTimes(
      samplesAt + time * TIME,
      recordsAt + (FIRST + time) * TIME,
      middlesAt + (FIRST + time) * 4,
    );
    addFirsts(time);
  }
  let peaks = f32x4.splat(0);
  for (let time: usize = 0; time < times; time += 3)
    for (let group: usize = 0; group < 4; group++) peaks = weigh(time, group, peaks);
  memory.copy(history, recordsAt + (times + 1) * TIME, HISTORY_BYTES);
  return max(
    max(f32x4.extract_lane(peaks, 0), f32x4.extract_lane(peaks, 1)),
    max(f32x4.extract_lane(peaks, 2), f32x4.extract_lane(peaks, 3)),
  );
}
