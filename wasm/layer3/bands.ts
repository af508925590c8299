// The scale factor bands of a granule in the order in which their lines are sent: how loud each is, and where its lines
// go in the spectrum, in which the windows of a short block are interleaved line by line (ISO 11172-3 2.4.3.4.8).

import { longEdge, shortEdge } from './band-edges';
import { isMpeg1, rateIndex } from './frame-header';
import { quarterPower } from './powers';
import { factorOf } from './scale-factors';
import { BLOCK_TYPE, GAIN, HAS_PREEMPHASIS, IS_MIXED, SCALE_STEP, SHORT, SUBBLOCK_GAINS } from './side-info';

/** A band's record, in words of 32 bits; a short band has one for each window. */
export const END: usize = 0; // the line behind its last one, as sent
export const TO: usize = 4; // the address of its first line
export const STEP: usize = 8; // bytes from a line to the next
export const LOUDNESS: usize = 12; // a float
export const LIMIT: usize = 16; // behind its last line in the spectrum
export const WINDOW: usize = 20;
export const PLACE: usize = 24; // of its scale factor
export const BAND_BYTES: usize = 32;

/** Mixed and short blocks have at most 8 + 39. */
export const bandsAt: usize = memory.data(48 * 32, 16);
const FULL_SCALE: i32 = -210;
const LONG_BANDS: u32 = 22;
const SHORT_BANDS: u32 = 13;
const RATE_8000: u32 = 8;

/** What is added to the scale factors of the upper bands when the granule says so (table B.6). */
const PREEMPHASIS: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 2, 0,
]);

/** Bands of the last granule that was laid out. */
export let bandCount: u32 = 0;

/** Of `channel`, with its lines from `spectrum` on, all louder by 2^(quarters / 4). */
export function layOutBands(granule: usize, channel: u32, spectrum: usize, quarters: i32): void {
  const gain = FULL_SCALE + quarters + load<i32>(granule, GAIN);
  const step = load<i32>(granule, SCALE_STEP);
  const isShort = load<u32>(granule, BLOCK_TYPE) === SHORT;
  const isMixed = load<u32>(granule, IS_MIXED) === 1;
  // The long part is two subbands, which the bands of 8 kHz do not meet: there it is one band longer.
  const longBands: u32 = !isShort ? LONG_BANDS : !isMixed ? 0 : isMpeg1 ? 8 : rateIndex === RATE_8000 ? 4 : 6;
  const firstShort: u32 = !isMixed ? 0 : rateIndex === RATE_8000 ? 2 : 3;
  const hasPreemphasis = load<u32>(granule, HAS_PREEMPHASIS) === 1;
  let band = bandsAt;
  let place: u32 = 0;

  for (let i: u32 = 0; i < longBands; i++, band += BAND_BYTES, place++) {
    const factor = factorOf(channel, place) + (hasPreemphasis ? (load<u8>(PREEMPHASIS + i) as u32) : 0);
    const end = longEdge(rateIndex, i + 1);
    store<u32>(band, end, END);
    store<u32>(band, (spectrum + longEdge(rateIndex, i) * 4) as u32, TO);
    store<u32>(band, 4, STEP);
    store<f32>(band, quarterPower(gain - step * (factor as i32)), LOUDNESS);
    store<u32>(band, end, LIMIT);
    store<u32>(band, 0, WINDOW);
    store<u32>(band, i < LONG_BANDS - 1 ? place : place - 1, PLACE);
  }
  if (isShort) {
    for (let i = firstShort; i < SHORT_BANDS; i++) {
      const first = 3 * shortEdge(rateIndex, i);
      const limit = 3 * shortEdge(rateIndex, i + 1);
      const width = (limit - first) / 3;
      const isLast = i === SHORT_BANDS - 1;
      for (let window: u32 = 0; window < 3; window++, band += BAND_BYTES, place++) {
        const factor: u32 = isLast ? 0 : factorOf(channel, place);
        const windowGain = gain - 8 * load<i32>(granule + window * 4, SUBBLOCK_GAINS);
        store<u32>(band, first + (window + 1) * width, END);
        store<u32>(band, (spectrum + (first + window) * 4) as u32, TO);
        store<u32>(band, 12, STEP);
        store<f32>(band, quarterPower(windowGain - step * (factor as i32)), LOUDNESS);
        store<u32>(band, limit, LIMIT);
        store<u32>(band, window, WINDOW);
        store<u32>(band, isLast ? place - 3 : place, PLACE);
      }
    }
  }
  bandCount = ((band - bandsAt) / BAND_BYTES) as u32;
}
