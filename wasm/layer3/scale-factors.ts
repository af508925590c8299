// The scale factors of a granule (ISO 11172-3 2.4.2.7, ISO 13818-3 2.4.3.2), in the order in which they are sent: of
// long bands, of short bands window by window, or of a few long and then short ones.

import { readBits } from './bit-reader';
import { isIntensity, isMpeg1 } from './frame-header';
import {
  BLOCK_TYPE,
  HAS_PREEMPHASIS,
  IS_MIXED,
  SCALE_FACTOR_FORM,
  SHORT,
  sharedScaleFactors,
} from './side-info';

/** At most 39, in a mixed block of hostile length. */
const PLACES: usize = 64;
const factorsAt: usize = memory.data(2 * 64, 16);
/** For each factor of a second channel the value that is no position of intensity stereo. */
const illegalAt: usize = memory.data(64, 16);

const FIRST_LENGTHS: usize = memory.data<u8>([0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]);
const SECOND_LENGTHS: usize = memory.data<u8>([0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3]);
const ILLEGAL_POSITION: u8 = 7;
const NEVER: u8 = 255;

/** Six forms, each for long, short and mixed blocks: how many factors have each of four lengths. */
// biome-ignore format: a form a line
const COUNTS: usize = memory.data<u8>([
  6, 5, 5, 5, 9, 9, 9, 9, 6, 9, 9, 9,
  6, 5, 7, 3, 9, 9, 12, 6, 6, 9, 12, 6,
  11, 10, 0, 0, 18, 18, 0, 0, 15, 18, 0, 0,
  7, 7, 7, 0, 12, 12, 12, 0, 6, 15, 12, 0,
  6, 6, 6, 3, 12, 9, 9, 6, 6, 12, 9, 6,
  8, 8, 5, 0, 15, 12, 9, 0, 6, 18, 9, 0,
]);

export function factorOf(channel: u32, place: u32): u32 {
  return load<u8>(factorsAt + PLACES * channel + place);
}

export function isPosition(place: u32): bool {
  return load<u8>(factorsAt + PLACES + place) !== load<u8>(illegalAt + place);
}

function readRun(to: usize, count: u32, length: u32): usize {
  for (let i: u32 = 0; i < count; i++, to++) store<u8>(to, length === 0 ? 0 : (readBits(length) as u8));
  return to;
}

function readOfMpeg1(granule: usize, channel: u32, index: u32): void {
  const form = load<u32>(granule, SCALE_FACTOR_FORM);
  const first: u32 = load<u8>(FIRST_LENGTHS + form);
  const second: u32 = load<u8>(SECOND_LENGTHS + form);
  let to = factorsAt + PLACES * channel;
  if (load<u32>(granule, BLOCK_TYPE) === SHORT) {
    to = readRun(to, load<u32>(granule, IS_MIXED) === 1 ? 17 : 18, first);
    to = readRun(to, 18, second);
  } else {
    const shared = index === 0 ? 0 : sharedScaleFactors(channel);
    to = (shared & 8) === 0 ? readRun(to, 6, first) : to + 6;
    to = (shared & 4) === 0 ? readRun(to, 5, first) : to + 5;
    to = (shared & 2) === 0 ? readRun(to, 5, second) : to + 5;
    to = (shared & 1) === 0 ? readRun(to, 5, second) : to + 5;
  }
  memory.fill(to, 0, 3);
  if (channel === 1) memory.fill(illegalAt, ILLEGAL_POSITION, PLACES);
}

let length0: u32 = 0;
let length1: u32 = 0;
let length2: u32 = 0;
let length3: u32 = 0;

function lengths(a: u32, b: u32, c: u32, d: u32): void {
  length0 = a;
  length1 = b;
  length2 = c;
  length3 = d;
}

/** Which of the six forms it is, with its lengths. */
function formOf(granule: usize, isPositions: bool): u32 {
  let form = load<u32>(granule, SCALE_FACTOR_FORM);
  if (!isPositions) {
    if (form < 400) {
      lengths((form >> 4) / 5, (form >> 4) % 5, (form & 15) >> 2, form & 3);
      return 0;
    }
    if (form < 500) {
      form -= 400;
      lengths((form >> 2) / 5, (form >> 2) % 5, form & 3, 0);
      return 1;
    }
    form -= 500;
    lengths(form / 3, form % 3, 0, 0);
    store<u32>(granule, 1, HAS_PREEMPHASIS);
    return 2;
  }
  form >>= 1;
  if (form < 180) {
    lengths(form / 36, (form % 36) / 6, form % 6, 0);
    return 3;
  }
  if (form < 244) {
    form -= 180;
    lengths((form & 63) >> 4, (form & 15) >> 2, form & 3, 0);
    return 4;
  }
  form -= 244;
  lengths(form / 3, form % 3, 0, 0);
  return 5;
}

function readOfMpeg2(granule: usize, channel: u32): void {
  const isPositions = isIntensity && channel === 1;
  const form = formOf(granule, isPositions);
  const kind: u32 = load<u32>(granule, BLOCK_TYPE) !== SHORT ? 0 : load<u32>(granule, IS_MIXED) === 1 ? 2 : 1;
  const start = factorsAt + PLACES * channel;
  let to = start;
  for (let run: u32 = 0; run < 4; run++) {
    const length = run === 0 ? length0 : run === 1 ? length1 : run === 2 ? length2 : length3;
    const count: u32 = load<u8>(COUNTS + form * 12 + kind * 4 + run);
    const illegal: u32 = length === 0 ? NEVER : ((1 as u32) << length) - 1;
    if (isPositions) memory.fill(illegalAt + (to - start), illegal as u8, count);
    to = readRun(to, count, length);
  }
  memory.fill(to, 0, PLACES - (to - start));
  if (isPositions) memory.fill(illegalAt + (to - start), NEVER, PLACES - (to - start));
}

/** Reads those of a granule, the `index`th of its frame, from where the reader is. */
export function readScaleFactors(granule: usize, channel: u32, index: u32): void {
  if (isMpeg1) readOfMpeg1(granule, channel, index);
  else readOfMpeg2(granule, channel);
}
