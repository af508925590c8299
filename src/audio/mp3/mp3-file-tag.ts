// Tags that files carry around their audio. Those of a stream are recognised by their first bytes and measured, so that they
// can be skipped: ID3v2 (id3.org/id3v2.4.0-structure 3.1), ID3v1 (128 bytes, "TAG") and APEv2 (header, items, footer). Lyrics3
// tells its length only at its end, but no frame begins in its text, so the frame parser skips it like any text. Files of our
// own get ID3v2.4.

import { Buffer } from 'node:buffer';
import type { FileTags } from '../containers/tag-text.ts';

const ID3V1_BYTES = 128;
const ID3V2_HEADER_BYTES = 10;
const ID3V2_UNDEFINED_FLAGS = 0x0f;
const ID3V2_HAS_FOOTER = 0x10;
const APE_HEADER_BYTES = 32;
/** Bit 29 of the flags: this is the header, and `size` counts what follows it. */
const APE_IS_HEADER = 0x20000000;
/** A cover is some megabytes. What tells more would hide all of the speech behind it. */
const MAX_TAG_BYTES = 16 * 1024 * 1024;

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length && at + i < bytes.length; i++)
    if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
};

const uint32le = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;

function id3v2Bytes(bytes: Uint8Array, at: number): number {
  const isVersion = bytes[at + 3]! < 0xff && bytes[at + 4]! < 0xff;
  if (!isVersion || (bytes[at + 5]! & ID3V2_UNDEFINED_FLAGS) !== 0) return 0;
  let size = 0;
  for (let i = at + 6; i < at + 10; i++) {
    // Seven bits a byte, so that a size never looks like a frame header.
    if (bytes[i]! > 0x7f) return 0;
    size = size * 128 + bytes[i]!;
  }
  const footerBytes = bytes[at + 5]! & ID3V2_HAS_FOOTER ? ID3V2_HEADER_BYTES : 0;
  return boundedBytes(ID3V2_HEADER_BYTES + size + footerBytes);
}

function apeBytes(bytes: Uint8Array, at: number): number {
  const isHeader = (uint32le(bytes, at + 20) & APE_IS_HEADER) !== 0;
  return boundedBytes(APE_HEADER_BYTES + (isHeader ? uint32le(bytes, at + 12) : 0));
}

const boundedBytes = (tagBytes: number): number => (tagBytes > MAX_TAG_BYTES ? 0 : tagBytes);

/** Whether a tag may begin with this byte. */
export const mayBeginFileTag = (byte: number): boolean => byte === 0x49 || byte === 0x54 || byte === 0x41;

/** Whether the four bytes at `at` look like the start of a tag. */
export const beginsFileTag = (bytes: Uint8Array, at: number): boolean =>
  startsWith(bytes, at, 'TAG') || startsWith(bytes, at, 'ID3') || startsWith(bytes, at, 'APET');

/**
 * The length of the tag that begins at `at`, 0 when none does. `anywhere`: only of those that no other bytes look like;
 * where no frame has ended the three letters of ID3v1 prove nothing.
 */
export function fileTagBytes(
  bytes: Uint8Array,
  at: number,
  where: 'between-frames' | 'anywhere' = 'between-frames',
): number | 'more-bytes' {
  const left = bytes.length - at;
  if (where === 'between-frames' && startsWith(bytes, at, 'TAG'))
    return left < 3 ? 'more-bytes' : ID3V1_BYTES;
  if (startsWith(bytes, at, 'ID3')) return left < ID3V2_HEADER_BYTES ? 'more-bytes' : id3v2Bytes(bytes, at);
  if (!startsWith(bytes, at, 'APETAGEX')) return 0;
  return left < APE_HEADER_BYTES ? 'more-bytes' : apeBytes(bytes, at);
}

const UTF8 = 3;

/** Seven bits a byte, so that no size looks like a frame of sound (id3v2.4.0-structure 6.2). */
const writeSize = (size: number, into: Uint8Array, at: number): void => {
  for (let i = 0; i < 4; i++) into[at + i] = (size >> (7 * (3 - i))) & 0x7f;
};

/** A text information frame (id3.org/id3v2.4.0-frames 4.2): its name, its size, no flags, and the text behind its encoding. */
function textFrame(name: string, text: string): Uint8Array {
  const content = Buffer.from(text);
  const frame = new Uint8Array(ID3V2_HEADER_BYTES + 1 + content.length);
  frame.set(Buffer.from(name, 'latin1'));
  writeSize(1 + content.length, frame, 4);
  frame[ID3V2_HEADER_BYTES] = UTF8;
  frame.set(content, ID3V2_HEADER_BYTES + 1);
  return frame;
}

/**
 * The tag at the beginning of an MP3 file, with title, artist and length, in UTF-8, which needs no unsynchronisation because it
 * has no byte 0xFF.
 */
export function id3Tag({ title, artist }: FileTags, durationMs: number): Uint8Array {
  const frames = [
    ...(title === '' ? [] : [textFrame('TIT2', title)]),
    ...(artist === undefined ? [] : [textFrame('TPE1', artist)]),
    textFrame('TLEN', String(Math.round(durationMs))),
  ];
  const header = new Uint8Array(ID3V2_HEADER_BYTES);
  header.set(Buffer.from('ID3\u0004\u0000', 'latin1'));
  writeSize(
    frames.reduce((sum, frame) => sum + frame.length, 0),
    header,
    6,
  );
  return Buffer.concat([header, ...frames]);
}
