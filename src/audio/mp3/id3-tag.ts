// The tag at the beginning of an MP3 file: ID3v2.4 (id3.org/id3v2.4.0-structure and -frames) with title, artist and
// length, in UTF-8, which needs no unsynchronisation because it has no byte 0xFF.

import { Buffer } from 'node:buffer';
import type { FileTags } from '../containers/tag-text.ts';

const HEADER_BYTES = 10;
const UTF8 = 3;

/** Seven bits a byte, so that no size looks like a frame of sound (6.2). */
const writeSize = (size: number, into: Uint8Array, at: number): void => {
  for (let i = 0; i < 4; i++) into[at + i] = (size >> (7 * (3 - i))) & 0x7f;
};

/** A text information frame (frames 4.2): its name, its size, no flags, and the text behind its encoding. */
function textFrame(name: string, text: string): Uint8Array {
  const content = Buffer.from(text);
  const frame = new Uint8Array(HEADER_BYTES + 1 + content.length);
  frame.set(Buffer.from(name, 'latin1'));
  writeSize(1 + content.length, frame, 4);
  frame[HEADER_BYTES] = UTF8;
  frame.set(content, HEADER_BYTES + 1);
  return frame;
}

export function id3Tag({ title, artist }: FileTags, durationMs: number): Uint8Array {
  const frames = [
    ...(title === '' ? [] : [textFrame('TIT2', title)]),
    ...(artist === undefined ? [] : [textFrame('TPE1', artist)]),
    textFrame('TLEN', String(Math.round(durationMs))),
  ];
  const header = new Uint8Array(HEADER_BYTES);
  header.set(Buffer.from('ID3\u0004\u0000', 'latin1'));
  writeSize(
    frames.reduce((sum, frame) => sum + frame.length, 0),
    header,
    6,
  );
  return Buffer.concat([header, ...frames]);
}
