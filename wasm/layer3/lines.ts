// The Huffman-coded lines of a granule, requantised as they are read (ISO 11172-3 2.4.1.7, 2.4.3.4.6): pairs of big
// values by up to three tables, then quadruples of −1, 0 and 1, and silence from there on.

import { bandsAt, BAND_BYTES, END, LIMIT, LOUDNESS, STEP, TO } from './bands';
import { FIRST_BITS, LINK, linearBitsOf, quadruplesOf, tableOf } from './huffman';
import { powersAt } from './powers';
import { BIG_VALUES, QUADRUPLE_TABLE, REGION_ENDS, TABLES } from './side-info';

const LINES: u32 = 576;
const SIGN: u32 = 0x8000_0000;
const LINEAR: u32 = 15;
/** Of table A; table B takes four. */
const QUADRUPLE_BITS: u32 = 6;

// The next bits, leftmost first. A pair takes at most 21 of the 33 that there are at least; what goes beyond a granule
// is read and then thrown away with it.
let cache: u64 = 0;
let held: u32 = 0;
let next: usize = 0;

/** One value of 15 with `count` linear bits behind it. */
// @ts-ignore: decorator
@inline
function refill(): void {
  if (held <= 32) {
    cache |= (load<u32>(next) as u64) << (32 - held);
    next += 4;
    held += 32;
  }
}

// @ts-ignore: decorator
@inline
function skip(count: u32): void {
  cache <<= count;
  held -= count;
}

/** The next pair of a table; its code is skipped, its signs are not. */
// @ts-ignore: decorator
@inline
function pairOf(table: usize): u32 {
  let entry: u32 = load<u16>(table + ((cache >> (64 - FIRST_BITS)) as usize) * 2);
  if ((entry & LINK) !== 0) {
    skip(FIRST_BITS);
    const behind = ((entry & 0x7ff) as u64) + (cache >> (64 - ((entry >> 11) & 15)));
    entry = load<u16>(table + (2 << FIRST_BITS) + (behind as usize) * 2);
  }
  skip(entry >> 8);
  return entry & 0xff;
}

/** A value with its sign, which is there when it is not zero. */
// @ts-ignore: decorator
@inline
function putSigned(to: usize, value: u32, loudness: f32): void {
  const magnitude = reinterpret<u32>(load<f32>(powersAt + value * 4) * loudness);
  store<u32>(to, magnitude | (((cache >> 32) as u32) & SIGN));
  skip((value !== 0) as u32);
}

// @ts-ignore: decorator
@inline
function putLinear(to: usize, value: u32, loudness: f32, count: u32): void {
  if (value === LINEAR) {
    refill();
    value += (cache >> (64 - count)) as u32;
    skip(count);
  }
  putSigned(to, value, loudness);
}

/**
 * The lines of `granule` into the places of its bands, with its first bit `from` of `words` and its end at `end`.
 * Returns how far from zero on there may be others than zeros; −1 when it is damaged.
 */
export function readLines(granule: usize, words: usize, from: u32, end: u32): i32 {
  next = words + ((from >> 5) << 2);
  cache = 0;
  held = 0;
  refill();
  skip(from & 31);

  let band = bandsAt;
  let bandEnd = load<u32>(band, END);
  let to: usize = load<u32>(band, TO);
  let step: usize = load<u32>(band, STEP);
  let loudness = load<f32>(band, LOUDNESS);
  let line: u32 = 0;
  const bigEnd = load<u32>(granule, BIG_VALUES) * 2;

  for (let region: usize = 0; region < 3; region++) {
    const regionEnd = min(load<u32>(granule + region * 4, REGION_ENDS), bigEnd);
    const select = load<u32>(granule + region * 4, TABLES);
    const table = tableOf(select);
    const linearBits = linearBitsOf(select);
    while (line < regionEnd) {
      if (line === bandEnd) {
        band += BAND_BYTES;
        bandEnd = load<u32>(band, END);
        to = load<u32>(band, TO);
        step = load<u32>(band, STEP);
        loudness = load<f32>(band, LOUDNESS);
      }
      const stop = min(regionEnd, bandEnd);
      if (table === 0) {
        to += step * (stop - line);
        line = stop;
      } else if (linearBits === 0) {
        for (; line < stop; line += 2) {
          refill();
          const pair = pairOf(table);
          putSigned(to, pair >> 4, loudness);
          to += step;
          putSigned(to, pair & 15, loudness);
          to += step;
        }
      } else {
        for (; line < stop; line += 2) {
          refill();
          const pair = pairOf(table);
          putLinear(to, pair >> 4, loudness, linearBits);
          to += step;
          putLinear(to, pair & 15, loudness, linearBits);
          to += step;
        }
      }
    }
  }
  if (((next - words) as u32) * 8 - held > end) return -1;

  const quadruples = quadruplesOf(load<u32>(granule, QUADRUPLE_TABLE));
  while (line + 4 <= LINES) {
    refill();
    const entry = load<u8>(quadruples + ((cache >> (64 - QUADRUPLE_BITS)) as usize)) as u32;
    skip(entry >> 4);
    const bits = ((next - words) as u32) * 8 - held + popcnt(entry & 15);
    if (bits > end) break;
    for (let value: u32 = 8; value > 0; value >>= 1) {
      if (line === bandEnd) {
        band += BAND_BYTES;
        bandEnd = load<u32>(band, END);
        to = load<u32>(band, TO);
        step = load<u32>(band, STEP);
        loudness = load<f32>(band, LOUDNESS);
      }
      putSigned(to, ((entry & value) !== 0) as u32, loudness);
      to += step;
      line++;
    }
    if (bits === end) break;
  }
  if (line === 0) return 0;
  return step === 4 ? line : load<u32>(band, LIMIT);
}
