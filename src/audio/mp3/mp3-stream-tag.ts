// What an encoder says about a whole stream in its first, silent frame: Xing or Info with the LAME
// extension (gabriel.mp3-tech.org/mp3infotag.html), or VBRI of Fraunhofer encoders. Such a frame is no audio.

import { HEADER_BYTES, type Mp3Header, sideInfoBytes, wordAt } from './mp3-header.ts';

export type Mp3StreamTag = {
  /**
   * Audio frames of the stream, this one not counted; some encoders count it all the same. Absent when the encoder could not
   * seek back to fill it in.
   */
  readonly totalFrames?: number;
  /** Their bytes; encoders disagree about this frame's own, which are not in it, or are missing in it. */
  readonly totalBytes?: number;
  /** Samples that the encoder put before the source; a decoder adds 529 of its own. */
  readonly encoderDelay?: number;
  /** Samples that the encoder put behind the source to fill its last frame. */
  readonly padding?: number;
};

const XING = 0x58696e67;
const INFO = 0x496e666f;
const VBRI = 0x56425249;
/** VBRI stands behind 32 bytes of side information, whatever the mode. */
const VBRI_OFFSET = HEADER_BYTES + 32;
const CRC_BYTES = 2;
const VBRI_BYTES_OFFSET = VBRI_OFFSET + 10;
const VBRI_FRAMES_OFFSET = VBRI_OFFSET + 14;
const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const HAS_SEEK_TABLE = 4;
const HAS_QUALITY = 8;
const SEEK_TABLE_BYTES = 100;
/** From the encoder's name to the three bytes that hold delay and padding, 12 bits each. */
const LAME_DELAY_OFFSET = 21;
const ENCODER_NAME_BYTES = 4;
/** LAME believes no longer delay and no longer padding (VbrTag.c, GetVbrTag), and writes none. */
const MAX_DELAY = 3000;

const word = (frame: Uint8Array, at: number): number => (at + 4 <= frame.length ? wordAt(frame, at) : 0);

const isName = (bytes: Uint8Array): boolean => bytes.every((byte) => byte >= 0x20 && byte < 0x7f);

const counted = (totalFrames: number, totalBytes: number): Mp3StreamTag => ({
  ...(totalFrames > 0 ? { totalFrames } : {}),
  ...(totalBytes > 0 ? { totalBytes } : {}),
});

function readXing(frame: Uint8Array, offset: number, { samplesPerFrame }: Mp3Header): Mp3StreamTag {
  const flags = word(frame, offset + 4);
  const bytesAt = offset + 8 + (flags & HAS_FRAMES ? 4 : 0);
  const tag = counted(
    flags & HAS_FRAMES ? word(frame, offset + 8) : 0,
    flags & HAS_BYTES ? word(frame, bytesAt) - frame.length : 0,
  );
  const lame =
    bytesAt +
    (flags & HAS_BYTES ? 4 : 0) +
    (flags & HAS_SEEK_TABLE ? SEEK_TABLE_BYTES : 0) +
    (flags & HAS_QUALITY ? 4 : 0);
  // No name, no extension: plain Xing headers end here and the rest of the frame is zero.
  if (lame + LAME_DELAY_OFFSET + 3 > frame.length) return tag;
  if (!isName(frame.subarray(lame, lame + ENCODER_NAME_BYTES))) return tag;
  const delays = word(frame, lame + LAME_DELAY_OFFSET - 1) & 0xffffff;
  const [encoderDelay, padding] = [delays >>> 12, delays & 0xfff];
  const samples = (tag.totalFrames ?? Number.POSITIVE_INFINITY) * samplesPerFrame;
  const isTrue = encoderDelay <= MAX_DELAY && padding <= MAX_DELAY && encoderDelay + padding < samples;
  return isTrue ? { ...tag, encoderDelay, padding } : tag;
}

/** `frame` is one whole frame with its `header`. Undefined when it is an ordinary audio frame. */
export function parseMp3StreamTag(frame: Uint8Array, header: Mp3Header): Mp3StreamTag | undefined {
  const offset = HEADER_BYTES + sideInfoBytes(header);
  // Encoders disagree whether a CRC moves the tag.
  for (const at of header.hasCrc ? [offset + CRC_BYTES, offset] : [offset]) {
    const magic = word(frame, at);
    if (magic === XING || magic === INFO) return readXing(frame, at, header);
  }
  if (word(frame, VBRI_OFFSET) === VBRI)
    return counted(word(frame, VBRI_FRAMES_OFFSET), word(frame, VBRI_BYTES_OFFSET) - frame.length);
  return undefined;
}
