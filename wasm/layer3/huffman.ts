// Code words → values by looking up: the next nine bits find the pair, or for the rare long codes the part of the table
// that the bits behind them look into. An entry is length << 8 | x << 4 | y, or LINK | depth << 11 | place.

import {
  CODES_1,
  CODES_2,
  CODES_3,
  CODES_5,
  CODES_6,
  CODES_7,
  CODES_8,
  CODES_9,
  CODES_10,
  CODES_11,
  CODES_12,
  CODES_13,
  CODES_15,
  CODES_16,
  CODES_24,
  CODES_QUADRUPLES,
} from './huffman-codes';

export const FIRST_BITS: u32 = 9;
// Of an entry that links.
export const LINK: u32 = 0x8000;
export const DEPTH: u32 = 11;
export const PLACE: u32 = 0x7ff;
/** Lengths of codes are summed in units of the longest one's last place. */
const LONGEST: u32 = 19;
const QUADRUPLE_BITS: u32 = 6;

/** Entries of all tables together: 15 × 512, and 2112 behind links. */
const lookupAt: usize = memory.data(2 * 9792, 16);
/** Where each of the 32 tables begins; 0 where all values are zero. */
const startsAt: usize = memory.data(32 * 4, 4);
const LINEAR_BITS: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13,
]);
/** Tables A and B: length << 4 | values, by six bits. */
const quadruplesAt: usize = memory.data(2 * 64, 16);

let free: usize = lookupAt;

/** Each code fills what its bits begin; codes longer than nine bits go to a part of their own, behind the others. */
function build(codes: usize, count: u32): usize {
  const table = free;
  let links = table + (2 << FIRST_BITS);
  let code: u32 = 0;
  for (let i: u32 = 0; i < count; ) {
    const prefix = code >> (LONGEST - FIRST_BITS);
    const word = load<u16>(codes + i * 2) as u32;
    const length = word >> 8;
    if (length <= FIRST_BITS) {
      const fills: u32 = 1 << (FIRST_BITS - length);
      for (let k: u32 = 0; k < fills; k++) store<u16>(table + (prefix + k) * 2, word as u16);
      code += 1 << (LONGEST - length);
      i++;
      continue;
    }
    // All codes that begin with these nine bits.
    const prefixEnd = (prefix + 1) << (LONGEST - FIRST_BITS);
    let depth: u32 = 0;
    let last = i;
    for (let at = code; at < prefixEnd; last++) {
      const each = (load<u16>(codes + last * 2) as u32) >> 8;
      depth = max(depth, each - FIRST_BITS);
      at += 1 << (LONGEST - each);
    }
    const place = ((links - table) >> 1) - (1 << FIRST_BITS);
    store<u16>(table + prefix * 2, (LINK | (depth << DEPTH) | (place as u32)) as u16);
    for (; i < last; i++) {
      const behind = load<u16>(codes + i * 2) as u32;
      const rest = (behind >> 8) - FIRST_BITS;
      const fills: u32 = 1 << (depth - rest);
      for (let k: u32 = 0; k < fills; k++, links += 2)
        store<u16>(links, ((rest << 8) | (behind & 0xff)) as u16);
      code += 1 << (LONGEST - FIRST_BITS - rest);
    }
  }
  free = links;
  return table;
}

function name(first: u32, last: u32, table: usize): void {
  for (let i = first; i <= last; i++) store<u32>(startsAt + i * 4, table as u32);
}

/** Once, before anything is decoded. */
export function buildHuffmanTables(): void {
  name(1, 1, build(CODES_1, 4));
  name(2, 2, build(CODES_2, 9));
  name(3, 3, build(CODES_3, 9));
  name(5, 5, build(CODES_5, 16));
  name(6, 6, build(CODES_6, 16));
  name(7, 7, build(CODES_7, 36));
  name(8, 8, build(CODES_8, 36));
  name(9, 9, build(CODES_9, 36));
  name(10, 10, build(CODES_10, 64));
  name(11, 11, build(CODES_11, 64));
  name(12, 12, build(CODES_12, 64));
  name(13, 13, build(CODES_13, 256));
  name(15, 15, build(CODES_15, 256));
  name(16, 23, build(CODES_16, 256));
  name(24, 31, build(CODES_24, 256));
  let filled = quadruplesAt;
  for (let i: usize = 0; i < 16; i++) {
    const word = load<u16>(CODES_QUADRUPLES + i * 2) as u32;
    const length = word >> 8;
    for (let k: u32 = 0; k < 1 << (QUADRUPLE_BITS - length); k++, filled++)
      store<u8>(filled, ((length << 4) | (word & 15)) as u8);
  }
  for (let i: u32 = 0; i < 64; i++, filled++) store<u8>(filled, ((4 << 4) | (15 - (i >> 2))) as u8);
}

/** The lookup of one of the 32 tables, 0 when it has no codes: then all values are zero. */
export function tableOf(select: u32): usize {
  return load<u32>(startsAt + (select << 2));
}

/** How many bits follow a value of 15 in that table. */
export function linearBitsOf(select: u32): u32 {
  return load<u8>(LINEAR_BITS + select);
}

/** The lookup of table A (0) or B (1), by six bits: length << 4 | v << 3 | w << 2 | x << 1 | y. */
export function quadruplesOf(select: u32): usize {
  return quadruplesAt + (select << QUADRUPLE_BITS);
}
