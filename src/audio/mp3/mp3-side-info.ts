// Reads from a frame's side information where its main data lies, to tell a decodable frame from a damaged one
// before a decoder makes noise of it, and writes another gain there. Layout: ISO 11172-3 2.4.1.7, ISO 13818-3 2.4.1.7. No allocation, but for a checksum.

import { createCrc } from '../containers/crc.ts';
import { HEADER_BYTES, type Mp3Header, sideInfoBytes } from './mp3-header.ts';

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

/** Granules of all channels, where the first one's side information begins, and how long each is, in bits. */
function layoutOf(header: Mp3Header) {
  const isMpeg1 = header.version === 1;
  // Behind main_data_begin: private bits, and in MPEG-1 four scfsi bits a channel.
  const prefix = isMpeg1 ? (header.channels === 1 ? 18 : 20) : header.channels === 1 ? 9 : 10;
  return {
    granules: (isMpeg1 ? 2 : 1) * header.channels,
    from: sideInfoOffset(header) * 8 + prefix,
    granuleBits: isMpeg1 ? 59 : 63,
  };
}

/** global_gain is 210 for a factor of 1, in steps of 2^(1/4) (2.4.3.4.7.1). */
const STEP_DB = 20 * Math.log10(2 ** 0.25);
const crc16 = createCrc(16, 0x8005);

/** Makes the frame about `db` louder, without decoding it: its global_gain, and its checksum if it has one. */
export function turnUp(frame: Uint8Array, header: Mp3Header, db: number): void {
  const steps = Math.round(db / STEP_DB);
  const { granules, from, granuleBits } = layoutOf(header);
  for (let granule = 0; granule < granules; granule++) {
    // Behind part2_3_length and big_values.
    const gainAt = from + granule * granuleBits + 21;
    const gain = Math.max(0, Math.min(255, bits(frame, gainAt, 8) + steps));
    const first = gainAt >>> 3;
    const shift = 8 - (gainAt & 7);
    const window = ((frame[first]! << 8) | frame[first + 1]!) & ~(0xff << shift);
    const mended = window | (gain << shift);
    frame[first] = mended >>> 8;
    frame[first + 1] = mended;
  }
  if (!header.hasCrc) return;
  // Over the last two bytes of the header and the side information, starting at ones (2.4.3.1).
  const infoAt = HEADER_BYTES + CRC_BYTES;
  const covered = new Uint8Array(2 + sideInfoBytes(header));
  covered.set(frame.subarray(2, HEADER_BYTES));
  covered.set(frame.subarray(infoAt, infoAt + sideInfoBytes(header)), 2);
  covered[0]! ^= 0xff;
  covered[1]! ^= 0xff;
  const crc = crc16(covered, 0, covered.length);
  frame[HEADER_BYTES] = crc >>> 8;
  frame[HEADER_BYTES + 1] = crc;
}

/** Bits of main data that the frame uses, or −1 when its side information is not possible. */
export function mainDataBits(frame: Uint8Array, header: Mp3Header): number {
  const { granules, from, granuleBits } = layoutOf(header);
  const scaleFactorBits = header.version === 1 ? 4 : 9;
  let total = 0;
  for (let granule = 0; granule < granules; granule++) {
    const at = from + granule * granuleBits;
    const windowSwitching = at + 29 + scaleFactorBits;
    const isReservedBlock =
      bits(frame, windowSwitching, 1) === 1 && bits(frame, windowSwitching + 1, 2) === 0;
    if (bits(frame, at + 12, 9) > MAX_BIG_VALUES || isReservedBlock) return -1;
    total += bits(frame, at, 12);
  }
  return total;
}
