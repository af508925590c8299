// The sound path in AssemblyScript: channels mixed to one, a polyphase filter, G.711 and 16-bit companding, all in
// 128-bit SIMD over fixed places of one linear memory. No allocation and no runtime: the host hands out the memory
// behind `heapAt`, and a stream is a record there. `node scripts/build-wasm.mjs` makes src/audio/dsp/sound-path-wasm.ts.

const FLOAT: usize = 4;
/** The longest MPEG frame. */
const MOST_SAMPLES: usize = 1152;
/** The longest row of taps is 328 (48,000 → 8000 Hz); a stream keeps less than a row. */
const MOST_TAPS: usize = 336;
/** 1152 samples raised sixfold (8000 → 48,000 Hz), what a flush adds, and room to write in sixteens. */
const MOST_MADE: usize = 1152 * 6 + 64;

/** Decoded samples, one channel behind the other. */
export const rawAt: usize = 1024;
/** A stream's history ends where its new samples begin, so that a row runs over both without a seam. */
const historyEnd: usize = rawAt + 2 * MOST_SAMPLES * FLOAT + MOST_TAPS * FLOAT;
/** Samples to work on, mono. */
export const monoAt: usize = historyEnd;
/** Resampled floats. */
export const madeAt: usize = monoAt + MOST_SAMPLES * FLOAT;
/** Coded bytes. */
export const codedAt: usize = madeAt + MOST_MADE * FLOAT;
/** What follows a stream's last sample: nobody writes here but for its history in front. */
const silenceAt: usize = codedAt + MOST_MADE * 2 + MOST_TAPS * FLOAT;
/** The host's memory begins here. */
export const heapAt: usize = silenceAt + (MOST_TAPS / 2) * FLOAT;

/** A stream's record, in words of 32 bits; the host writes them at its beginning. */
const BANK: usize = 0; // address of the rows
const TAPS: usize = 4; // a multiple of 8
const UP: usize = 8;
const DOWN: usize = 12;
const PHASES: usize = 16;
const PART: usize = 20; // the next output lies part / up of a sample behind its row's centre
const HELD: usize = 24; // samples in the history
const STRIDE: usize = 28; // every so many samples that come in is one of the stream
const SKIP: usize = 32; // samples that come in before the next one of these
const HISTORY: usize = 48;
export const streamBytes: usize = HISTORY + MOST_TAPS * FLOAT;

/**
 * Averages `length` samples of one or two channels at `rawAt` into `monoAt`, clipped to −1…1, what is not finite as
 * 0. Returns the greatest magnitude before that, at least 1; infinity when anything was not finite. `length` is a
 * multiple of 4.
 */
export function mixDown(channels: i32, length: usize): f32 {
  const infinity = f32x4.splat(Infinity);
  const one = f32x4.splat(1);
  const minusOne = f32x4.splat(-1);
  const half = f32x4.splat(0.5);
  const second = rawAt + length * FLOAT;
  let peaks = one;
  for (let at: usize = 0; at < length * FLOAT; at += 16) {
    let samples = v128.load(rawAt + at);
    if (channels === 2) samples = f32x4.mul(f32x4.add(samples, v128.load(second + at)), half);
    const magnitudes = f32x4.abs(samples);
    const areFinite = f32x4.lt(magnitudes, infinity);
    peaks = f32x4.max(peaks, v128.bitselect(magnitudes, infinity, areFinite));
    samples = v128.and(samples, areFinite);
    v128.store(monoAt + at, f32x4.max(minusOne, f32x4.min(one, samples)));
  }
  return max(
    max(f32x4.extract_lane(peaks, 0), f32x4.extract_lane(peaks, 1)),
    max(f32x4.extract_lane(peaks, 2), f32x4.extract_lane(peaks, 3)),
  );
}

/** The sum across four lanes, (0 + 2) + (1 + 3). */
function across(sums: v128): f32 {
  const halves = f32x4.add(sums, v128.shuffle<f32>(sums, sums, 2, 3, 0, 1));
  return f32x4.extract_lane(halves, 0) + f32x4.extract_lane(halves, 1);
}

// One, two and four outputs of one row, whose taps are then loaded once for all. An output is the same sum in each:
// of every other four taps, then of both, then across.

function dot(samples: usize, row: usize, rowEnd: usize): f32 {
  let even = f32x4.splat(0);
  let odd = even;
  for (; row < rowEnd; row += 32, samples += 32) {
    even = f32x4.add(even, f32x4.mul(v128.load(samples), v128.load(row)));
    odd = f32x4.add(odd, f32x4.mul(v128.load(samples, 16), v128.load(row, 16)));
  }
  return across(f32x4.add(even, odd));
}

/** Outputs whose samples are `step` bytes apart go to places that are `stride` bytes apart. */
function twoDots(p: usize, step: usize, row: usize, rowEnd: usize, to: usize, stride: usize): void {
  let q = p + step;
  let p0 = f32x4.splat(0);
  let q0 = p0;
  let p1 = p0;
  let q1 = p0;
  for (; row < rowEnd; row += 32, p += 32, q += 32) {
    const even = v128.load(row);
    const odd = v128.load(row, 16);
    p0 = f32x4.add(p0, f32x4.mul(v128.load(p), even));
    q0 = f32x4.add(q0, f32x4.mul(v128.load(q), even));
    p1 = f32x4.add(p1, f32x4.mul(v128.load(p, 16), odd));
    q1 = f32x4.add(q1, f32x4.mul(v128.load(q, 16), odd));
  }
  store<f32>(to, across(f32x4.add(p0, p1)));
  store<f32>(to + stride, across(f32x4.add(q0, q1)));
}

function fourDots(p: usize, step: usize, row: usize, rowEnd: usize, to: usize, stride: usize): void {
  let q = p + step;
  let r = q + step;
  let s = r + step;
  let p0 = f32x4.splat(0);
  let q0 = p0;
  let r0 = p0;
  let s0 = p0;
  let p1 = p0;
  let q1 = p0;
  let r1 = p0;
  let s1 = p0;
  for (; row < rowEnd; row += 32) {
    const even = v128.load(row);
    const odd = v128.load(row, 16);
    p0 = f32x4.add(p0, f32x4.mul(v128.load(p), even));
    q0 = f32x4.add(q0, f32x4.mul(v128.load(q), even));
    r0 = f32x4.add(r0, f32x4.mul(v128.load(r), even));
    s0 = f32x4.add(s0, f32x4.mul(v128.load(s), even));
    p1 = f32x4.add(p1, f32x4.mul(v128.load(p, 16), odd));
    q1 = f32x4.add(q1, f32x4.mul(v128.load(q, 16), odd));
    r1 = f32x4.add(r1, f32x4.mul(v128.load(r, 16), odd));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(s, 16), odd));
    p += 32;
    q += 32;
    r += 32;
    s += 32;
  }
  // Four times `across` at once: lanes (0, 1) and (2, 3) of each pair, then both pairs.
  p0 = f32x4.add(p0, p1);
  q0 = f32x4.add(q0, q1);
  r0 = f32x4.add(r0, r1);
  s0 = f32x4.add(s0, s1);
  const pq = f32x4.add(v128.shuffle<f32>(p0, q0, 0, 4, 1, 5), v128.shuffle<f32>(p0, q0, 2, 6, 3, 7));
  const rs = f32x4.add(v128.shuffle<f32>(r0, s0, 0, 4, 1, 5), v128.shuffle<f32>(r0, s0, 2, 6, 3, 7));
  const all = f32x4.add(v128.shuffle<f32>(pq, rs, 0, 1, 4, 5), v128.shuffle<f32>(pq, rs, 2, 3, 6, 7));
  store<f32>(to, f32x4.extract_lane(all, 0));
  store<f32>(to + stride, f32x4.extract_lane(all, 1));
  store<f32>(to + 2 * stride, f32x4.extract_lane(all, 2));
  store<f32>(to + 3 * stride, f32x4.extract_lane(all, 3));
}

/** Behind the last output of this call. */
let madeEnd: usize = 0;

/** Every output of `row`: from `samples` to `to`, and on by `step` and `stride` bytes until `madeEnd`. */
function dotsOfRow(samples: usize, step: usize, row: usize, rowEnd: usize, to: usize, stride: usize): void {
  while (to + 3 * stride < madeEnd) {
    fourDots(samples, step, row, rowEnd, to, stride);
    samples += 4 * step;
    to += 4 * stride;
  }
  if (to + stride < madeEnd) {
    twoDots(samples, step, row, rowEnd, to, stride);
    samples += 2 * step;
    to += 2 * stride;
  }
  if (to < madeEnd) store<f32>(to, dot(samples, row, rowEnd));
}

/** An output between two rows of a table, blended from both. */
function blend(samples: usize, bank: usize, rowBytes: usize, place: f64): f32 {
  const phase = Math.floor(place);
  const row = bank + (phase as usize) * rowBytes;
  const first = dot(samples, row, row + rowBytes);
  if (place === phase) return first;
  const second = dot(samples, row + rowBytes, row + 2 * rowBytes);
  return first + ((place - phase) as f32) * (second - first);
}

/** Moves those of `count` samples at `monoAt` together that the stream reads; returns how many. */
function thin(stream: usize, count: usize): usize {
  const stride: usize = load<u32>(stream, STRIDE);
  if (stride === 1) return count;
  let at: usize = load<u32>(stream, SKIP);
  let kept: usize = 0;
  for (; at < count; at += stride, kept++) store<f32>(monoAt + kept * FLOAT, load<f32>(monoAt + at * FLOAT));
  store<u32>(stream, at - count, SKIP);
  return kept;
}

/** The outputs that `count` more samples at `monoAt` give the stream, to `madeAt`; returns how many. */
export function resample(stream: usize, count: usize): u32 {
  return produce(stream, monoAt, thin(stream, count), u32.MAX_VALUE);
}

/** The last outputs of the stream, so many, as far as half a filter of silence gives them; what is at `monoAt` stays. */
export function flush(stream: usize, count: u32): u32 {
  return produce(stream, silenceAt, load<u32>(stream, TAPS) / 2, count);
}

/**
 * The outputs that `count` more samples at `from` give the stream, at most `most`. The stream's history goes in front
 * of them. Output k lies (part + k · down) / up samples behind the first one's row, so each `up`th has the same row.
 */
function produce(stream: usize, from: usize, count: usize, most: u32): u32 {
  const bank: usize = load<u32>(stream, BANK);
  const rowBytes: usize = load<u32>(stream, TAPS) * FLOAT;
  const up = load<u32>(stream, UP);
  const down = load<u32>(stream, DOWN);
  const phases = load<u32>(stream, PHASES);
  const part = load<u32>(stream, PART);
  const heldBytes: usize = load<u32>(stream, HELD) * FLOAT;

  const first = from - heldBytes;
  memory.copy(first, stream + HISTORY, heldBytes);
  const bytes = heldBytes + count * FLOAT;
  // Where a whole row of samples lies behind; none as long as a stream has had few.
  const places: u32 = bytes < rowBytes ? 0 : (bytes - rowBytes) / FLOAT + 1;
  const outputs = places * up > part ? min((places * up - part - 1) / down + 1, most) : 0;

  madeEnd = madeAt + outputs * FLOAT;
  const apart: u32 = phases === up ? min(outputs, up) : outputs;
  for (let k: u32 = 0, offset = part; k < apart; k++, offset += down) {
    const samples = first + (offset / up) * FLOAT;
    const phase = offset % up;
    const to = madeAt + k * FLOAT;
    if (phases === up) {
      const row = bank + phase * rowBytes;
      dotsOfRow(samples, down * FLOAT, row, row + rowBytes, to, up * FLOAT);
    } else store<f32>(to, blend(samples, bank, rowBytes, ((phase as f64) * (phases as f64)) / (up as f64)));
  }

  const next = part + outputs * down;
  const used = (next / up) * FLOAT;
  // A flush stops at `most` with more than a row left; nothing comes after it.
  const left = min(bytes - used, MOST_TAPS * FLOAT);
  memory.copy(stream + HISTORY, first + used, left);
  store<u32>(stream, next % up, PART);
  store<u32>(stream, left / FLOAT, HELD);
  return outputs;
}

/** Four samples as 16-bit values: halves up, clipped, NaN is 0. The same for every float as pcm16.ts gives. */
function to16(from: usize): v128 {
  const scaled = f32x4.mul(v128.load(from), f32x4.splat(32768));
  const floor = f32x4.floor(scaled);
  const isHalf = f32x4.ge(f32x4.sub(scaled, floor), f32x4.splat(0.5));
  // A comparison's truth is −1. Out of reach of i32, `trunc_sat` clips, and nothing there has a half.
  const rounded = i32x4.sub(i32x4.trunc_sat_f32x4_s(floor), isHalf);
  return i32x4.max_s(i32x4.splat(-32768), i32x4.min_s(i32x4.splat(32767), rounded));
}

/** The bits of a positive whole number as a float: its exponent is the segment, its next four bits the step. */
function floatBits(magnitude: v128): v128 {
  return i32x4.shr_s(f32x4.convert_i32x4_s(magnitude), 19);
}

function mulaw(from: usize): v128 {
  const value = to16(from);
  const sign = i32x4.shr_s(value, 31);
  const biased = i32x4.min_s(
    i32x4.add(i32x4.shr_s(v128.xor(value, sign), 2), i32x4.splat(33)),
    i32x4.splat(0x1fff),
  );
  const code = i32x4.sub(floatBits(biased), i32x4.splat((127 + 5) << 4));
  return v128.xor(v128.or(v128.and(sign, i32x4.splat(0x80)), code), i32x4.splat(0xff));
}

function alaw(from: usize): v128 {
  const value = to16(from);
  const sign = i32x4.shr_s(value, 31);
  const magnitude = i32x4.shr_s(v128.xor(value, sign), 4);
  const above = i32x4.sub(floatBits(magnitude), i32x4.splat((127 + 3) << 4));
  const code = v128.bitselect(magnitude, above, i32x4.lt_s(magnitude, i32x4.splat(16)));
  const positive = v128.andnot(i32x4.splat(0x80), sign);
  return v128.xor(v128.or(positive, code), i32x4.splat(0x55));
}

function narrow8(a: v128, b: v128, c: v128, d: v128): v128 {
  return i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
}

/** `count` floats at `from` as µ-law at `codedAt`. As all three it writes in sixteens, beyond `count`. */
export function codeMulaw(from: usize, count: usize): void {
  for (let i: usize = 0; i < count; i += 16, from += 64)
    v128.store(codedAt + i, narrow8(mulaw(from), mulaw(from + 16), mulaw(from + 32), mulaw(from + 48)));
}

/** … as A-law. */
export function codeAlaw(from: usize, count: usize): void {
  for (let i: usize = 0; i < count; i += 16, from += 64)
    v128.store(codedAt + i, narrow8(alaw(from), alaw(from + 16), alaw(from + 32), alaw(from + 48)));
}

/** … as s16le. */
export function codePcm16(from: usize, count: usize): void {
  for (let i: usize = 0; i < count; i += 8, from += 32)
    v128.store(codedAt + i * 2, i16x8.narrow_i32x4_s(to16(from), to16(from + 16)));
}
