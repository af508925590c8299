// MPEG audio Layer III, one frame after another, to one channel: both channels of a frame are averaged as early as that
// is exact. Many streams, a record each; what a frame needs only while it is decoded is shared. Whatever a frame holds,
// it gives its own number of samples, −1…1, and what cannot be decoded is silence.

import { buildAliasTables } from './alias';
import { layOutBands } from './bands';
import { bitsRead, readFrom, turnWords } from './bit-reader';
import { buildDctTables } from './dct32';
import {
  channels,
  isIntensity,
  isMidSide,
  isMpeg1,
  readHeader,
  sideInfoAt,
  sideInfoBytes,
} from './frame-header';
import { hearBelow } from './heard-band';
import { buildHuffmanTables } from './huffman';
import { addSubbands, samplesAt, synthesizeSubbands } from './hybrid';
import { buildTransformTables } from './imdct';
import { readLines, sentLines } from './lines';
import { buildPowers } from './powers';
import { readScaleFactors } from './scale-factors';
import {
  BLOCK_TYPE,
  granuleOf,
  IS_MIXED,
  LENGTH,
  mainDataBegin,
  mainDataBits,
  readSideInfo,
} from './side-info';
import { addLines, buildShares, partIntensity, partMidSide } from './stereo';
import { buildWeights, soundAt, synthesize } from './synthesis';

export { soundAt } from './synthesis';

/** The longest Layer III frame. */
const MOST_FRAME_BYTES: u32 = 1441;
/** The reservoir reaches back 511 bytes (main_data_begin has nine bits). */
const RESERVOIR_BYTES: u32 = 511;
/** Encoders overshoot full scale a little; twice full scale comes only from damaged gains. */
const LOUDEST_SAMPLE: f32 = 2;

/** A stream's record. Fresh memory, all zeros, is a stream at its beginning. */
const AVAILABLE: usize = 0; // bytes of earlier bodies that no frame has used
const HELD: usize = 4; // groups of the overlap that are not zero
const IS_TAINTED: usize = 8; // the frame before was far too loud
const RESERVOIR: usize = 16; // the last 512 bytes of earlier bodies
const OVERLAP: usize = 528;
const HISTORY: usize = OVERLAP + 576 * 4;
export const streamBytes: usize = HISTORY + 15 * 128;

/** A frame is written here before `decode`. */
export const frameAt: usize = memory.data(1472, 16);
/** The reservoir, and the frame's own body behind it. */
const mainDataAt: usize = memory.data(512 + 1472, 16);
/** The same from where the frame's main data begins, as words; what damaged codes read goes far beyond it. */
const wordsAt: usize = memory.data(2048 + 2048, 16);
const LINES: u32 = 576;
const SPECTRUM_BYTES: usize = 576 * 4;
const spectraAt: usize = memory.data(2 * 576 * 4 + 16, 16);
/** The host's memory begins here. */
export const heapAt: usize = (__heap_base + 15) & ~15;

const TIMES: u32 = 18;
const TIME: usize = 32 * 4;
// In quarter powers of two: half, and half of the root of two.
const HALF: i32 = -4;
const HALF_ROOT: i32 = -2;

buildHuffmanTables();
buildPowers();
buildAliasTables();
buildTransformTables();
buildShares();
buildDctTables();
buildWeights();

/** Lines of one channel's granule from bit `from` on, louder by 2^(quarters / 4); returns how far they go. */
function readSpectrum(
  granule: usize,
  index: u32,
  channel: u32,
  from: u32,
  quarters: i32,
  isHeard: bool,
): u32 {
  const end = from + load<u32>(granule, LENGTH);
  readFrom(wordsAt, from);
  readScaleFactors(granule, channel, index);
  const spectrum = spectraAt + SPECTRUM_BYTES * channel;
  if (!isHeard) return 0;
  memory.fill(spectrum, 0, SPECTRUM_BYTES);
  layOutBands(granule, channel, spectrum, quarters);
  if (bitsRead() > end) return 0;
  // Which lines of the first channel are shared depends on the last that the second one has.
  const most = isIntensity ? LINES : sentLines();
  const limit = readLines(granule, wordsAt, bitsRead(), end, most);
  if (limit >= 0) return limit;
  memory.fill(spectrum, 0, SPECTRUM_BYTES);
  return 0;
}

/** Granule `index` from bit `from` of the main data on → subband samples. */
function decodeGranule(stream: usize, index: u32, from: u32): void {
  const first = granuleOf(index, 0);
  const to = samplesAt + TIME * TIMES * index;
  const overlap = stream + OVERLAP;
  let held = load<u32>(stream, HELD);
  if (channels === 1) {
    const limit = readSpectrum(first, index, 0, from, 0, true);
    store<u32>(stream, synthesizeSubbands(spectraAt, first, limit, overlap, held, to), HELD);
    return;
  }
  const second = granuleOf(index, 1);
  const middle = from + load<u32>(first, LENGTH);
  const isAlike =
    load<u32>(first, BLOCK_TYPE) === load<u32>(second, BLOCK_TYPE) &&
    load<u32>(first, IS_MIXED) === load<u32>(second, IS_MIXED);
  if (isAlike && isMidSide && !isIntensity) {
    // The average of left and right is the middle channel, which was sent louder by the root of two.
    const limit = readSpectrum(first, index, 0, from, HALF_ROOT, true);
    readSpectrum(second, index, 1, middle, HALF_ROOT, false);
    store<u32>(stream, synthesizeSubbands(spectraAt, first, limit, overlap, held, to), HELD);
    return;
  }
  let limit = readSpectrum(first, index, 0, from, HALF, true);
  const secondSpectrum = spectraAt + SPECTRUM_BYTES;
  let secondLimit = readSpectrum(second, index, 1, middle, HALF, true);
  if (isIntensity || isMidSide) {
    limit = max(limit, secondLimit);
    secondLimit = limit;
    if (isIntensity) partIntensity(second, SPECTRUM_BYTES);
    else partMidSide(spectraAt, secondSpectrum);
  }
  if (isAlike) {
    addLines(spectraAt, secondSpectrum);
    limit = max(limit, secondLimit);
    store<u32>(stream, synthesizeSubbands(spectraAt, first, limit, overlap, held, to), HELD);
    return;
  }
  held = synthesizeSubbands(spectraAt, first, limit, overlap, held, to);
  store<u32>(stream, addSubbands(secondSpectrum, second, secondLimit, overlap, held, to), HELD);
}

/** A frame without main data: no spectrum, what is left of the one before fades out. */
function skipGranule(stream: usize, index: u32): void {
  const to = samplesAt + TIME * TIMES * index;
  const held = load<u32>(stream, HELD);
  const granule = granuleOf(index, 0);
  store<u32>(stream, synthesizeSubbands(spectraAt, granule, 0, stream + OVERLAP, held, to), HELD);
}

/** −1…1. */
function clip(samples: usize): void {
  const one = f32x4.splat(1);
  const minusOne = f32x4.splat(-1);
  for (let at = soundAt; at < soundAt + samples * 4; at += 16)
    v128.store(at, f32x4.max(minusOne, f32x4.min(one, v128.load(at))));
}

/**
 * Decodes the frame of `bytes` bytes at `frameAt`: one channel, at `soundAt`, of which the first `subbands` subbands of 32
 * will be heard, and the last of these not truly. Returns its samples; 0 when its header is not one.
 */
export function decode(stream: usize, bytes: u32, subbands: u32): u32 {
  if (bytes > MOST_FRAME_BYTES || !readHeader(frameAt)) return 0;
  hearBelow(subbands);
  const bodyAt = sideInfoAt + sideInfoBytes;
  if (bytes < bodyAt) return 0;
  const bodyBytes = bytes - bodyAt;
  const isTrue = readSideInfo(frameAt + sideInfoAt);
  const available = load<u32>(stream, AVAILABLE);
  const isTainted = load<u32>(stream, IS_TAINTED) !== 0;
  const isSound =
    isTrue && !isTainted && mainDataBegin <= available && mainDataBits <= (mainDataBegin + bodyBytes) * 8;
  const left = isSound ? mainDataBegin + bodyBytes - ((mainDataBits + 7) >> 3) : available + bodyBytes;
  store<u32>(stream, min(left, RESERVOIR_BYTES), AVAILABLE);

  memory.copy(mainDataAt, stream + RESERVOIR, 512);
  memory.copy(mainDataAt + 512, frameAt + bodyAt, bodyBytes);
  memory.copy(stream + RESERVOIR, mainDataAt + bodyBytes, 512);

  const granules: u32 = isMpeg1 ? 2 : 1;
  if (isSound) {
    turnWords(mainDataAt + 512 - mainDataBegin, wordsAt, (mainDataBits + 7) >> 3);
    let from: u32 = 0;
    for (let index: u32 = 0; index < granules; index++) {
      decodeGranule(stream, index, from);
      for (let channel: u32 = 0; channel < channels; channel++)
        from += load<u32>(granuleOf(index, channel), LENGTH);
    }
  } else for (let index: u32 = 0; index < granules; index++) skipGranule(stream, index);

  const samples = granules * 576;
  const peak = synthesize(stream + HISTORY, granules * TIMES);
  const isBurst = peak > LOUDEST_SAMPLE;
  store<u32>(stream, isBurst as u32, IS_TAINTED);
  if (isBurst || isTainted) memory.fill(soundAt, 0, samples * 4);
  else if (peak > 1) clip(samples);
  return samples;
}

/** Frames were lost before the next one: what it takes from earlier frames is not there. */
export function gap(stream: usize): void {
  store<u32>(stream, 0, AVAILABLE);
}
