// The length of free-format frames (ISO 11172-3 2.4.2.3): no header tells it, but it is the same for all frames of a stream,
// padding aside, so it is the distance from one header to the next.

import { areAlike, HEADER_BYTES, MAX_FRAME_BYTES, paddingBytesOf, wordAt } from './mp3-header.ts';

/** Header and side information of the shortest kind. */
const MIN_FRAME_BYTES = HEADER_BYTES + 9;

/**
 * Bytes of a frame without padding, measured at the free-format header at `at`: the distance to a header like it, behind
 * which a third one, or the end, comes as far again. `none`: there is no such distance.
 */
export function freeFormatBytes(
  window: Uint8Array,
  at: number,
  ahead: 'more' | 'unknown' | 'end',
): number | 'none' | 'more-bytes' {
  const word = wordAt(window, at);
  const whenShort = ahead === 'end' ? 'none' : 'more-bytes';
  const last = at + MAX_FRAME_BYTES;
  for (let next = at + MIN_FRAME_BYTES; next <= last; next += 1) {
    next = window.indexOf(0xff, next);
    if (next < 0 || next > last) break;
    if (next + HEADER_BYTES > window.length) return whenShort;
    const nextWord = wordAt(window, next);
    if (!areAlike(nextWord, word)) continue;
    const frameBytes = next - at - paddingBytesOf(word);
    const third = next + frameBytes + paddingBytesOf(nextWord);
    if (third === window.length && ahead !== 'more') return frameBytes;
    if (third + HEADER_BYTES > window.length) {
      if (ahead !== 'end') return 'more-bytes';
    } else if (areAlike(wordAt(window, third), word)) return frameBytes;
  }
  return window.length <= last + HEADER_BYTES ? whenShort : 'none';
}
