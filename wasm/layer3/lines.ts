// The Huffman-coded lines of a granule, requantised as they are read (ISO 11172-3 2.4.1.7, 2.4.3.4.6): pairs of big
// values by up to three tables, then quadruples of −1, 0 and 1, and silence from there on.

import { BAND_BYTES, bandCount, bandsAt, END, LIMIT, LOUDNESS, STEP, TO, WINDOW } from './bands';
import { heardLines } from './heard-band';
import { DEPTH, FIRST_BITS, LINK, linearBitsOf, PLACE, quadruplesOf, tableOf } from './huffman';
import { powersAt } from './powers';
import { BIG_VALUES, QUADRUPLE_TABLE, REGION_ENDS, TABLES } from './side-info';

const LINES: u32 = 576;
const SIGN: u32 = 0x8000_0000;
/** Values from which linear bits follow; a table without them has none that great. */
const LINEAR: u32 = 15;
const NONE: u32 = 16;
const LAST_WINDOW: u32 = 2;
/** Of table A; table B takes four. */
const QUADRUPLE_BITS: u32 = 6;

/** How many lines, as sent, hold all those that are heard: the windows of a short band come one behind the other. */
export function sentLines(): u32 {
  let band = bandsAt;
  for (let i: u32 = 0; i < bandCount; i++, band += BAND_BYTES) {
    if (load<u32>(band, LIMIT) < heardLines) continue;
    if (load<u32>(band, STEP) === 4) return heardLines;
    if (load<u32>(band, WINDOW) === LAST_WINDOW) return load<u32>(band, END);
  }
  return LINES;
}

/**
 * The lines of `granule` into the places of its bands, with its first bit `from` of `words` and its end at `end`; from
 * `most` lines on, as sent, they may be left out. Returns how far from zero on there may be others than zeros; −1 when it
 * is damaged.
 */
export function readLines(granule: usize, words: usize, from: u32, end: u32, most: u32): i32 {
  // The next bits, leftmost first, in locals, which the engine keeps in registers. A pair without linear bits takes at
  // most 21 of the 33 that there are at least. What goes beyond the granule is read, and then thrown away with it.
  let next: usize = words + ((from >> 5) << 2);
  let cache = (load<u32>(next) as u64) << (32 + (from & 31));
  let held: u32 = 32 - (from & 31);
  next += 4;

  let band = bandsAt;
  let bandEnd = load<u32>(band, END);
  let to: usize = load<u32>(band, TO);
  let step: usize = load<u32>(band, STEP);
  let loudness = load<f32>(band, LOUDNESS);
  let line: u32 = 0;
  const bigEnd = min(load<u32>(granule, BIG_VALUES) * 2, most);

  for (let region: usize = 0; region < 3; region++) {
    const regionEnd = min(load<u32>(granule + region * 4, REGION_ENDS), bigEnd);
    const select = load<u32>(granule + region * 4, TABLES);
    const table = tableOf(select);
    const linearBits = linearBitsOf(select);
    const linear = linearBits === 0 ? NONE : LINEAR;
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
      }
      for (; line < stop; line += 2) {
        if (held <= 32) {
          cache |= (load<u32>(next) as u64) << (32 - held);
          next += 4;
          held += 32;
        }
        let entry: u32 = load<u16>(table + ((cache >> (64 - FIRST_BITS)) as usize) * 2);
        if ((entry & LINK) !== 0) {
          cache <<= FIRST_BITS;
          held -= FIRST_BITS;
          const behind = ((entry & PLACE) as u64) + (cache >> (64 - ((entry >> DEPTH) & 15)));
          entry = load<u16>(table + (2 << FIRST_BITS) + (behind as usize) * 2);
        }
        cache <<= entry >> 8;
        held -= entry >> 8;
        let x = (entry >> 4) & 15;
        let y = entry & 15;

        if (x >= linear) {
          if (held <= 32) {
            cache |= (load<u32>(next) as u64) << (32 - held);
            next += 4;
            held += 32;
          }
          x += (cache >> (64 - linearBits)) as u32;
          cache <<= linearBits;
          held -= linearBits;
        }
        // Its sign follows when it is not zero; the sign of a zero does no harm.
        store<u32>(
          to,
          reinterpret<u32>(load<f32>(powersAt + x * 4) * loudness) | (((cache >> 32) as u32) & SIGN),
        );
        to += step;
        const xSigns = (x !== 0) as u32;
        cache <<= xSigns;
        held -= xSigns;

        if (y >= linear) {
          if (held <= 32) {
            cache |= (load<u32>(next) as u64) << (32 - held);
            next += 4;
            held += 32;
          }
          y += (cache >> (64 - linearBits)) as u32;
          cache <<= linearBits;
          held -= linearBits;
        }
        store<u32>(
          to,
          reinterpret<u32>(load<f32>(powersAt + y * 4) * loudness) | (((cache >> 32) as u32) & SIGN),
        );
        to += step;
        const ySigns = (y !== 0) as u32;
        cache <<= ySigns;
        held -= ySigns;
      }
    }
  }
  if (((next - words) as u32) * 8 - held > end) return -1;

  const quadruples = quadruplesOf(load<u32>(granule, QUADRUPLE_TABLE));
  while (line < most && line + 4 <= LINES) {
    if (held <= 32) {
      cache |= (load<u32>(next) as u64) << (32 - held);
      next += 4;
      held += 32;
    }
    const entry = load<u8>(quadruples + ((cache >> (64 - QUADRUPLE_BITS)) as usize)) as u32;
    cache <<= entry >> 4;
    held -= entry >> 4;
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
      if ((entry & value) !== 0) {
        store<u32>(to, reinterpret<u32>(loudness) | (((cache >> 32) as u32) & SIGN));
        cache <<= 1;
        held--;
      }
      to += step;
      line++;
    }
    if (bits === end) break;
  }
  if (line === 0) return 0;
  return step === 4 ? line : load<u32>(band, LIMIT);
}
