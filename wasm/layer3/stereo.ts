// Two channels that were coded together, brought apart (ISO 11172-3 2.4.3.4.9, ISO 13818-3 2.4.3.2), and two channels
// mixed to the one that is heard.

import { BAND_BYTES, bandCount, bandsAt, END, PLACE, STEP, TO, WINDOW } from './bands';
import { isMidSide, isMpeg1 } from './frame-header';
import { factorOf, isPosition } from './scale-factors';
import { SCALE_FACTOR_FORM } from './side-info';

const LINES: usize = 576;
const WINDOWS: u32 = 3;
const HALF_ROOT: f32 = Math.SQRT1_2 as f32;

/** Where the last bands of each window that the second channel has are, as sent. */
const reachesAt: usize = memory.data(4 * 4, 16);
/** For the seven positions of MPEG-1 what the first channel gets; the second one gets the rest. */
const sharesAt: usize = memory.data(4 * 8, 16);

export function buildShares(): void {
  for (let position: u32 = 0; position < 6; position++) {
    const ratio = Math.tan(((position as f64) * Math.PI) / 12);
    store<f32>(sharesAt + position * 4, (ratio / (1 + ratio)) as f32);
  }
  store<f32>(sharesAt + 6 * 4, 1);
}

/** `first` becomes the sum of both, line by line. */
export function addLines(first: usize, second: usize): void {
  for (let at: usize = 0; at < LINES * 4; at += 16)
    v128.store(first + at, f32x4.add(v128.load(first + at), v128.load(second + at)));
}

/** Middle and side become left and right. */
export function partMidSide(first: usize, second: usize): void {
  const half = f32x4.splat(HALF_ROOT);
  for (let at: usize = 0; at < LINES * 4; at += 16) {
    const middle = f32x4.mul(v128.load(first + at), half);
    const side = f32x4.mul(v128.load(second + at), half);
    v128.store(first + at, f32x4.add(middle, side));
    v128.store(second + at, f32x4.sub(middle, side));
  }
}

/** How loud the first or second channel is at a position of MPEG-2: the one that is quieter by steps. */
function quieter(steps: u32, granule: usize): f32 {
  const step: f64 = (load<u32>(granule, SCALE_FACTOR_FORM) & 1) === 1 ? 0.5 : 0.25;
  return (2 ** (-step * (steps as f64))) as f32;
}

/** One band's lines, which were sent in the first channel alone, in both. */
function share(band: usize, count: u32, granule: usize, apart: isize): void {
  const position = factorOf(1, load<u32>(band, PLACE));
  let left: f32 = 1;
  let right: f32 = 1;
  if (isMpeg1) {
    left = load<f32>(sharesAt + min<u32>(position, 6) * 4);
    right = 1 - left;
  } else if ((position & 1) === 1) left = quieter((position + 1) >> 1, granule);
  else right = quieter(position >> 1, granule);
  const step: usize = load<u32>(band, STEP);
  let to: usize = load<u32>(band, TO);
  for (let i: u32 = 0; i < count; i++, to += step) {
    const line = load<f32>(to - apart);
    store<f32>(to - apart, line * left);
    store<f32>(to, line * right);
  }
}

function separate(band: usize, count: u32, apart: isize): void {
  const step: usize = load<u32>(band, STEP);
  let to: usize = load<u32>(band, TO);
  for (let i: u32 = 0; i < count; i++, to += step) {
    const middle = load<f32>(to - apart) * HALF_ROOT;
    const side = load<f32>(to) * HALF_ROOT;
    store<f32>(to - apart, middle + side);
    store<f32>(to, middle - side);
  }
}

function hasLines(band: usize, count: u32): bool {
  const step: usize = load<u32>(band, STEP);
  let at: usize = load<u32>(band, TO);
  for (let i: u32 = 0; i < count; i++, at += step) if (load<f32>(at) !== 0) return true;
  return false;
}

/**
 * Intensity stereo, and middle and side where that is not. `bandsAt` has the bands of the second channel, whose
 * lines lie `apart` bytes behind those of the first. Bands above its last line are the first channel's, shared by
 * position. What lies in long bands of a mixed block is above only when nothing lies in the short ones.
 */
export function partIntensity(granule: usize, apart: isize): void {
  memory.fill(reachesAt, 0, 16);
  let line: u32 = 0;
  let shortReach: u32 = 0;
  let band = bandsAt;
  for (let i: u32 = 0; i < bandCount; i++, band += BAND_BYTES) {
    const end = load<u32>(band, END);
    if (hasLines(band, end - line)) {
      if (load<u32>(band, STEP) === 4) store<u32>(reachesAt + WINDOWS * 4, i + 1);
      else {
        store<u32>(reachesAt + load<u32>(band, WINDOW) * 4, i + 1);
        shortReach = i + 1;
      }
    }
    line = end;
  }
  if (shortReach > 0) store<u32>(reachesAt + WINDOWS * 4, bandCount);

  line = 0;
  band = bandsAt;
  for (let i: u32 = 0; i < bandCount; i++, band += BAND_BYTES) {
    const end = load<u32>(band, END);
    const window = load<u32>(band, STEP) === 4 ? WINDOWS : load<u32>(band, WINDOW);
    const isAbove = i >= load<u32>(reachesAt + window * 4);
    if (isAbove && isPosition(load<u32>(band, PLACE))) share(band, end - line, granule, apart);
    else if (isMidSide) separate(band, end - line, apart);
    line = end;
  }
}
