// What an encoder says about a whole stream in its first, silent frame: Xing or Info with the LAME
// extension (gabriel.mp3-tech.org/mp3infotag.html), or VBRI of Fraunhofer encoders. Such a frame is no audio.

import { HEADER_BYTES, type Mp3Header, sideInfoBytes, wordAt } from './mp3-header.ts';

export type Mp3StreamTag = {
  /** Audio frames of the stream, this one not counted. Absent when the encoder could not seek back to fill it in. */
  readonly totalFrames?: number;
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
const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const HAS_SEEK_TABLE = 4;
const HAS_QUALITY = 8;
const SEEK_TABLE_BYTES = 100;
/** From the encoder's name to the three bytes that hold delay and padding, 12 bits each. */
const LAME_DELAY_OFFSET = 21;

const word = (frame: Uint8Array, at: number): number => (at + 4 <= frame.length ? wordAt(frame, at) : 0);

const counted = (totalFrames: number): Mp3StreamTag => (totalFrames > 0 ? { totalFrames } : {});

function readXing(frame: Uint8Array, offset: number): Mp3StreamTag {
  const flags = word(frame, offset + 4);
  const tag = counted(flags & HAS_FRAMES ? word(frame, offset + 8) : 0);
  const lame =
    offset +
    8 +
    (flags & HAS_FRAMES ? 4 : 0) +
    (flags & HAS_BYTES ? 4 : 0) +
    (flags & HAS_SEEK_TABLE ? SEEK_TABLE_BYTES : 0) +
    (flags & HAS_QUALITY ? 4 : 0);
  // No name, no extension: plain Xing headers end here and the rest of the frame is zero.
  if (lame + LAME_DELAY_OFFSET + 3 > frame.length || frame[lame] === 0) return tag;
  const delays = word(frame, lame + LAME_DELAY_OFFSET - 1) & 0xffffff;
  return { ...tag, encoderDelay: delays >>> 12, padding: delays & 0xfff };
}

/** `frame` is one whole frame with its `header`. Undefined when it is an ordinary audio frame. */
export function parseMp3StreamTag(frame: Uint8Array, header: Mp3Header): Mp3StreamTag | undefined {
  const offset = HEADER_BYTES + sideInfoBytes(header);
  // Encoders disagree whether a CRC moves the tag.
  for (const at of header.hasCrc ? [offset + CRC_BYTES, offset] : [offset]) {
    const magic = word(frame, at);
    if (magic === XING || magic === INFO) return readXing(frame, at);
  }
  if (word(frame, VBRI_OFFSET) === VBRI) return counted(word(frame, VBRI_OFFSET + 14));
  return undefined;
}
