// What a container begins with before its first sound: said again, what follows from any later frame is a stream of its own.

import type { SessionFormat } from '../../speech/audio-format.ts';
import { WAV_HEADER_BYTES } from './wav.ts';

/** RFC 3533 6: what stands before the table of segments, and where their number is. */
const OGG_PAGE_BYTES = 27;
const OGG_SEGMENTS_AT = 26;
/** Identification and tags (RFC 7845 3). */
const OPUS_HEAD_PAGES = 2;
/** `fLaC`, and the head of a metadata block: its top bit says that it is the last one (RFC 9639 8.1). */
const FLAC_MARK_BYTES = 4;
const FLAC_BLOCK_BYTES = 4;
const FLAC_LAST = 0x80;

/** Of a stream that begins with `first`, all of its head being there; empty for formats without one. */
export function streamHead(format: SessionFormat, first: Uint8Array): Uint8Array {
  if (format === 'wav') return first.slice(0, WAV_HEADER_BYTES);
  if (format === 'ogg') return first.slice(0, oggHeadBytes(first));
  return format === 'flac' ? first.slice(0, flacHeadBytes(first)) : new Uint8Array(0);
}

function oggHeadBytes(first: Uint8Array): number {
  let at = 0;
  for (let page = 0; page < OPUS_HEAD_PAGES && at < first.length; page += 1) {
    const segments = first[at + OGG_SEGMENTS_AT] ?? 0;
    const table = first.subarray(at + OGG_PAGE_BYTES, at + OGG_PAGE_BYTES + segments);
    at += OGG_PAGE_BYTES + segments + table.reduce((sum, bytes) => sum + bytes, 0);
  }
  return at;
}

function flacHeadBytes(first: Uint8Array): number {
  let at = FLAC_MARK_BYTES;
  for (let isLast = false; !isLast && at + FLAC_BLOCK_BYTES <= first.length; ) {
    const [kind = FLAC_LAST, high = 0, middle = 0, low = 0] = first.subarray(at, at + FLAC_BLOCK_BYTES);
    isLast = (kind & FLAC_LAST) !== 0;
    at += FLAC_BLOCK_BYTES + high * 65_536 + middle * 256 + low;
  }
  return at;
}
