// The head of a stream that is joined in its middle: headers that a late listener has missed and cannot play without. MP3
// frames and plain samples need none.

import { flacStreamHeader } from './containers/flac-headers.ts';

/** RFC 3533 6: the number of segments stands at 26, their lengths behind it. */
const OGG_SEGMENTS_AT = 26;

function oggPageBytes(page: Uint8Array): number {
  const segments = page[OGG_SEGMENTS_AT] ?? 0;
  const lengths = page.subarray(OGG_SEGMENTS_AT + 1, OGG_SEGMENTS_AT + 1 + segments);
  return OGG_SEGMENTS_AT + 1 + segments + lengths.reduce((sum, length) => sum + length, 0);
}

/** How many bytes of the encoder's first frame are the head of the stream. */
export function streamHeadBytes(format: 'mp3' | 'ogg' | 'flac', firstFrame: Uint8Array): number {
  if (format === 'mp3') return 0;
  if (format === 'flac') return flacStreamHeader(8000, 160).length;
  // Identification and tags, a page each (RFC 7845 3).
  const first = oggPageBytes(firstFrame);
  return first + oggPageBytes(firstFrame.subarray(first));
}
