// Reads from a frame's side information where its main data lies, to tell a decodable frame from a damaged one
// before a decoder makes noise of it. Layout: ISO 11172-3 2.4.1.7, ISO 13818-3 2.4.1.7. No allocation.

import { HEADER_BYTES, type Mp3Header } from './mp3-header.ts';

const CRC_BYTES = 2;
/** 576 lines of a granule in pairs (2.4.2.7, big_values). */
const MAX_BIG_VALUES = 288;

/** Where the side information begins in a frame. */
export const sideInfoOffset = (header: Mp3Header): number => HEADER_BYTES + (header.hasCrc ? CRC_BYTES : 0);

/** `count` ≤ 16 bits from bit `at` of `bytes`; bits past the end are zero. */
function bits(bytes: Uint8Array, at: number, count: number): number {
  const first = at >>> 3;
  const window = ((bytes[first] ?? 0) << 16) | ((bytes[first + 1] ?? 0) << 8) | (bytes[first + 2] ?? 0);
  return (window >>> (24 - (at & 7) - count)) & ((1 << count) - 1);
}

/** main_data_begin: how many bytes before this frame's own body its main data starts, in earlier bodies. */
export const mainDataBegin = (frame: Uint8Array, header: Mp3Header): number =>
  bits(frame, sideInfoOffset(header) * 8, header.version === 1 ? 9 : 8);

/** Bits of main data that the frame uses, or −1 when its side information is not possible. */
export function mainDataBits(frame: Uint8Array, header: Mp3Header): number {
  const isMpeg1 = header.version === 1;
  const granules = (isMpeg1 ? 2 : 1) * header.channels;
  // Behind main_data_begin: private bits, and in MPEG-1 four scfsi bits a channel.
  const prefix = isMpeg1 ? (header.channels === 1 ? 18 : 20) : header.channels === 1 ? 9 : 10;
  const granuleBits = isMpeg1 ? 59 : 63;
  const scaleFactorBits = isMpeg1 ? 4 : 9;
  let total = 0;
  for (let granule = 0; granule < granules; granule++) {
    const at = sideInfoOffset(header) * 8 + prefix + granule * granuleBits;
    const windowSwitching = at + 29 + scaleFactorBits;
    const isReservedBlock =
      bits(frame, windowSwitching, 1) === 1 && bits(frame, windowSwitching + 1, 2) === 0;
    if (bits(frame, at + 12, 9) > MAX_BIG_VALUES || isReservedBlock) return -1;
    total += bits(frame, at, 12);
  }
  return total;
}
