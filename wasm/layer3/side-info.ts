// The side information of a frame (ISO 11172-3 2.4.1.7, ISO 13818-3 2.4.1.7): a record for each granule of each channel,
// and whether it can be true.

import { longEdge, shortEdge } from './band-edges';
import { readBits, readFrom, turnWords } from './bit-reader';
import { channels, isMpeg1, rateIndex, sideInfoBytes } from './frame-header';

/** A granule's record, in words of 32 bits. */
export const LENGTH: usize = 0; // of scale factors and lines, in bits
export const BIG_VALUES: usize = 4; // in pairs
export const GAIN: usize = 8;
export const SCALE_FACTOR_FORM: usize = 12;
export const BLOCK_TYPE: usize = 16;
export const IS_MIXED: usize = 20;
export const TABLES: usize = 24; // three
export const SUBBLOCK_GAINS: usize = 36; // three
export const REGION_ENDS: usize = 48; // three, in lines
export const HAS_PREEMPHASIS: usize = 60;
export const SCALE_STEP: usize = 64; // of a scale factor, in quarter powers of two
export const QUADRUPLE_TABLE: usize = 68;
const GRANULE_BYTES: usize = 72;

export const SHORT: u32 = 2;
const MOST_BIG_VALUES: u32 = 288;
const LINES: u32 = 576;

const granulesAt: usize = memory.data(4 * 72, 16);
const sideWords: usize = memory.data(48, 16);

/** How far back in earlier bodies the main data begins. */
export let mainDataBegin: u32 = 0;
/** Bits of main data. */
export let mainDataBits: u32 = 0;
/** One bit for each group of scale factors that the second granule shares with the first, for each channel. */
let shared0: u32 = 0;
let shared1: u32 = 0;

export function granuleOf(index: u32, channel: u32): usize {
  return granulesAt + (((index << 1) + channel) as usize) * GRANULE_BYTES;
}

export function sharedScaleFactors(channel: u32): u32 {
  return channel === 0 ? shared0 : shared1;
}

/** Where implicit regions end; `isShort` is for all three windows. */
function firstRegionEnd(blockType: u32): u32 {
  if (blockType === SHORT) return 3 * shortEdge(rateIndex, 3);
  return longEdge(rateIndex, 8);
}

/** False when the granule cannot be true. */
function readGranule(granule: usize): bool {
  store<u32>(granule, readBits(12), LENGTH);
  const bigValues = readBits(9);
  store<u32>(granule, bigValues, BIG_VALUES);
  store<u32>(granule, readBits(8), GAIN);
  store<u32>(granule, readBits(isMpeg1 ? 4 : 9), SCALE_FACTOR_FORM);
  let blockType: u32 = 0;
  let isMixed: u32 = 0;
  const isSwitched = readBits(1) === 1;
  if (isSwitched) {
    blockType = readBits(2);
    isMixed = readBits(1);
    store<u32>(granule, readBits(5), TABLES);
    store<u32>(granule, readBits(5), TABLES + 4);
    store<u32>(granule, 0, TABLES + 8);
    for (let window: usize = 0; window < 3; window++)
      store<u32>(granule + window * 4, readBits(3), SUBBLOCK_GAINS);
    store<u32>(granule, firstRegionEnd(blockType), REGION_ENDS);
    store<u32>(granule, LINES, REGION_ENDS + 4);
  } else {
    for (let region: usize = 0; region < 3; region++) store<u32>(granule + region * 4, readBits(5), TABLES);
    const first = readBits(4) + 1;
    const second = first + readBits(3) + 1;
    store<u32>(granule, longEdge(rateIndex, min<u32>(first, 22)), REGION_ENDS);
    store<u32>(granule, longEdge(rateIndex, min<u32>(second, 22)), REGION_ENDS + 4);
  }
  store<u32>(granule, LINES, REGION_ENDS + 8);
  store<u32>(granule, blockType, BLOCK_TYPE);
  store<u32>(granule, blockType === SHORT ? isMixed : 0, IS_MIXED);
  store<u32>(granule, isMpeg1 ? readBits(1) : 0, HAS_PREEMPHASIS);
  store<u32>(granule, readBits(1) === 1 ? 4 : 2, SCALE_STEP);
  store<u32>(granule, readBits(1), QUADRUPLE_TABLE);
  return bigValues <= MOST_BIG_VALUES && !(isSwitched && blockType === 0);
}

/** False when it cannot be true: the frame is damaged. */
export function readSideInfo(bytes: usize): bool {
  turnWords(bytes, sideWords, sideInfoBytes);
  readFrom(sideWords, 0);
  mainDataBegin = readBits(isMpeg1 ? 9 : 8);
  if (isMpeg1) {
    readBits(channels === 1 ? 5 : 3); // private
    shared0 = readBits(4);
    shared1 = channels === 2 ? readBits(4) : 0;
  } else readBits(channels === 1 ? 1 : 2);
  mainDataBits = 0;
  let isTrue = true;
  const granules: u32 = isMpeg1 ? 2 : 1;
  for (let index: u32 = 0; index < granules; index++)
    for (let channel: u32 = 0; channel < channels; channel++) {
      const granule = granuleOf(index, channel);
      if (!readGranule(granule)) isTrue = false;
      mainDataBits += load<u32>(granule, LENGTH);
    }
  return isTrue;
}
