// The two headers of a FLAC stream (RFC 9639): the one at its beginning, for a stream of unknown length or for a whole file,
// and the one of every block, which tells all that a decoder needs to begin there (the streamable subset, 7).

import { createCrc } from './crc.ts';
import type { FileTags } from './tag-text.ts';
import { vorbisComment } from './vorbis-comment.ts';

const crc8 = createCrc(8, 0x07);

/** Common rates have a code of their own (9.1.2); others follow the header in kHz or Hz. */
const RATE_CODES: Readonly<Record<number, number>> = {
  8000: 0b0100,
  16000: 0b0101,
  22050: 0b0110,
  24000: 0b0111,
  32000: 0b1000,
  44100: 0b1001,
  48000: 0b1010,
};
const RATE_IN_KHZ = 0b1100;
const RATE_IN_HZ = 0b1101;
const LENGTH_IN_8_BITS = 0b0110;
const LENGTH_IN_16_BITS = 0b0111;
const BITS_PER_SAMPLE = 16;

/**
 * "fLaC" and STREAMINFO (8.2) for 16-bit mono. `blockLength` is that of every block but the last; the frame sizes,
 * the number of samples and the MD5 sum are 0, which means unknown.
 */
export function flacStreamHeader(sampleRate: number, blockLength: number): Uint8Array {
  const header = new Uint8Array(42);
  const view = new DataView(header.buffer);
  view.setUint32(0, 0x664c6143);
  view.setUint32(4, 0x80000022); // the last metadata block, STREAMINFO, 34 bytes
  view.setUint16(8, blockLength);
  view.setUint16(10, blockLength);
  // 20 bits of rate, 3 of channels − 1, 5 of bits − 1, and 4 of the number of samples, whose other 32 stay 0.
  view.setUint32(18, (sampleRate << 12) | ((BITS_PER_SAMPLE - 1) << 4));
  return header;
}

export type FlacTotals = {
  readonly samples: number;
  /** Bytes of the shortest and of the longest block; 0 when unknown. */
  readonly shortest: number;
  readonly longest: number;
  /** Of the samples as s16le. */
  readonly md5: Uint8Array;
};

const LAST_BLOCK_FLAG = 0x80;
const VORBIS_COMMENT = 4;
const NAME_BYTES = 4;

/** As `flacStreamHeader`, with what is known of a file when all of it is, and its tags. As long whatever the totals. */
export function flacFileHeader(
  sampleRate: number,
  blockLength: number,
  totals: FlacTotals,
  tags: FileTags,
): Uint8Array {
  const info = flacStreamHeader(sampleRate, blockLength);
  const comment = vorbisComment('Voxgate', tags);
  const header = new Uint8Array(info.length + 4 + comment.length);
  const view = new DataView(header.buffer);
  header.set(info);
  header[NAME_BYTES]! &= ~LAST_BLOCK_FLAG;
  view.setUint32(12, (totals.shortest << 8) | (totals.longest >>> 16));
  view.setUint16(16, totals.longest);
  header[21]! |= Math.floor(totals.samples / 2 ** 32);
  view.setUint32(22, totals.samples % 2 ** 32);
  header.set(totals.md5, 26);
  view.setUint32(info.length, ((LAST_BLOCK_FLAG | VORBIS_COMMENT) << 24) | comment.length);
  header.set(comment, info.length + 4);
  return header;
}

/** Writes the header of block `index` (9.1) into the beginning of `into` and returns its length, at most 15 bytes. */
export function writeFlacBlockHeader(
  into: Uint8Array,
  block: { readonly index: number; readonly length: number; readonly sampleRate: number },
): number {
  const { index, length, sampleRate } = block;
  let at = 0;
  const put = (...bytes: number[]): void => {
    for (const byte of bytes) into[at++] = byte;
  };
  const ownCode = RATE_CODES[sampleRate];
  const isWholeKhz = sampleRate % 1000 === 0;
  const rateCode = ownCode ?? (isWholeKhz ? RATE_IN_KHZ : RATE_IN_HZ);
  const lengthCode = length <= 256 ? LENGTH_IN_8_BITS : LENGTH_IN_16_BITS;

  put(0xff, 0xf8); // the sync code, and blocks of equal length
  put((lengthCode << 4) | rateCode);
  put(0b0000_100_0); // mono, 16 bits
  put(...codedNumber(index));
  put(...(length <= 256 ? [length - 1] : [(length - 1) >> 8, length - 1]));
  if (ownCode === undefined) put(...(isWholeKhz ? [sampleRate / 1000] : [sampleRate >> 8, sampleRate]));
  put(crc8(into, 0, at));
  return at;
}

/** A number below 2³¹ as UTF-8 codes characters, in up to six bytes (9.1.5). */
function codedNumber(value: number): number[] {
  if (value < 0x80) return [value];
  const following: number[] = [];
  // The first byte has room for 6 bits less one for every byte that follows.
  while (value >= 1 << (6 - following.length)) {
    following.unshift(0x80 | (value & 0x3f));
    value = Math.floor(value / 64);
  }
  return [((0xff80 >> following.length) & 0xff) | value, ...following];
}
