// The comments that Ogg Opus (RFC 7845, 5.2) and FLAC (RFC 9639, 8.6) share: who made the file, and fields of the
// form NAME=value, in UTF-8 with lengths in little-endian words.

import { Buffer } from 'node:buffer';
import type { FileTags } from './tag-text.ts';

/** Without the framing bit of Vorbis, which neither container has. */
export function vorbisComment(vendor: string, tags: FileTags): Uint8Array {
  const fields = [
    ...(tags.title === '' ? [] : [`TITLE=${tags.title}`]),
    ...(tags.artist === undefined ? [] : [`ARTIST=${tags.artist}`]),
  ];
  return Buffer.concat([counted(vendor), word(fields.length), ...fields.map(counted)]);
}

const counted = (text: string): Uint8Array => {
  const content = Buffer.from(text);
  return Buffer.concat([word(content.length), content]);
};

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
