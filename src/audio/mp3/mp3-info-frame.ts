// The silent first frame of an MP3 file that tells its length, so that players show the right duration and cut the
// codec's delay away: Info as Xing has it, with LAME's extension (gabriel.mp3-tech.org/mp3infotag.html). No seek
// table: at a constant bit rate every player computes the place.

import { Buffer } from 'node:buffer';
import { HEADER_BYTES, type Mp3Header, parseMp3Header, sideInfoBytes, wordAt } from './mp3-header.ts';

export type Mp3Totals = {
  /** Frames of sound, and their bytes. */
  readonly frames: number;
  readonly bytes: number;
  /** Samples of the source. */
  readonly samples: number;
  /** `mp3Checksum` over the frames of sound. */
  readonly checksum: number;
};

export const NO_MP3_TOTALS: Mp3Totals = { frames: 0, bytes: 0, samples: 0, checksum: 0 };

/** Of LAME, in samples; see `mp3-encoder.ts`. */
const ENCODER_DELAY = 576;
const HAS_FRAMES_AND_BYTES = 3;
const XING_BYTES = 16;
const EXTENSION_BYTES = 36;
/** It is what encoded; nine bytes. */
const ENCODER_NAME = 'LAME3.100';
const CONSTANT_BIT_RATE = 1;
const BITRATE_SHIFT = 12;

/**
 * One frame of the rate and mode of `firstFrame`, the stream's first. Its bit rate is the stream's, or the next one
 * whose frame has room for the tag. The same length whatever the totals, so that it can be written again at the end.
 */
export function mp3InfoFrame(firstFrame: Uint8Array, totals: Mp3Totals): Uint8Array {
  const { word, header } = roomyHeader(wordAt(firstFrame, 0));
  const frame = new Uint8Array(header.frameBytes);
  const view = new DataView(frame.buffer);
  const at = HEADER_BYTES + sideInfoBytes(header);
  view.setUint32(0, word);
  frame.set(Buffer.from('Info', 'latin1'), at);
  view.setUint32(at + 4, HAS_FRAMES_AND_BYTES);
  view.setUint32(at + 8, totals.frames);
  view.setUint32(at + 12, header.frameBytes + totals.bytes);

  const lame = at + XING_BYTES;
  const padding = Math.max(0, totals.frames * header.samplesPerFrame - ENCODER_DELAY - totals.samples);
  frame.set(Buffer.from(ENCODER_NAME, 'latin1'), lame);
  frame[lame + 9] = CONSTANT_BIT_RATE;
  frame[lame + 20] = Math.min(255, parseMp3Header(wordAt(firstFrame, 0))?.bitrateKbps ?? 0);
  view.setUint32(lame + 20, (frame[lame + 20]! << 24) | (ENCODER_DELAY << 12) | (padding & 0xfff));
  view.setUint32(lame + 28, header.frameBytes + totals.bytes);
  view.setUint16(lame + 32, totals.checksum);
  view.setUint16(lame + 34, mp3Checksum(0, frame.subarray(0, lame + 34)));
  return frame;
}

/** The word of a frame header without padding and CRC that has room for the tag. */
function roomyHeader(streamWord: number): { readonly word: number; readonly header: Mp3Header } {
  const plain = (streamWord | 0x10000) & ~0x200;
  for (let bitrate = (streamWord >>> BITRATE_SHIFT) & 15; bitrate < 15; bitrate++) {
    const word = ((plain & ~(15 << BITRATE_SHIFT)) | (bitrate << BITRATE_SHIFT)) >>> 0;
    const header = parseMp3Header(word);
    if (header === undefined) break;
    if (header.frameBytes >= HEADER_BYTES + sideInfoBytes(header) + XING_BYTES + EXTENSION_BYTES)
      return { word, header };
  }
  throw new RangeError('no frame of this MP3 stream has room for its tag');
}

/** The CRC of the tag: x¹⁶ + x¹⁵ + x² + 1, least significant bit first, begun with 0; goes on from `crc`. */
export function mp3Checksum(crc: number, bytes: Uint8Array): number {
  for (const byte of bytes) crc = (crc >>> 8) ^ CHECKSUM_STEPS[(crc ^ byte) & 0xff]!;
  return crc;
}

const CHECKSUM_STEPS = Uint16Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = (byte & 1) === 0 ? byte >>> 1 : (byte >>> 1) ^ 0xa001;
  return byte;
});
