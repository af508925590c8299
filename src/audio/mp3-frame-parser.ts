// Bytes in any split → whole MP3 frames, at the moment when a frame is certain. Tags of files (ID3v2, ID3v1, APE)
// are skipped, damage is skipped until the frames go on, and the encoder's own tag frame is told apart from audio.
// At most one frame and a header are held, whatever arrives. One parser reads one stream.

import { beginsFileTag, fileTagBytes } from './mp3-file-tag.ts';
import { createMp3HeaderReader, HEADER_BYTES, type Mp3Header, parseMp3Header, wordAt } from './mp3-header.ts';
import { type Mp3StreamTag, parseMp3StreamTag } from './mp3-stream-tag.ts';
import type { Stage } from './stage.ts';

export type { Mp3StreamTag } from './mp3-stream-tag.ts';

export type Mp3Frame = {
  /** The whole frame. A view of the chunk that held it when it lay in one chunk, which is then not to be reused. */
  readonly bytes: Uint8Array;
  readonly header: Mp3Header;
  /** Present when bytes were lost right before this frame. */
  readonly afterGap?: true;
};

/** For whoever keeps a frame: with bytes of its own. */
export const ownFrame = (frame: Mp3Frame): Mp3Frame => ({ ...frame, bytes: frame.bytes.slice() });

export type Mp3FrameSink = {
  onFrame(frame: Mp3Frame): void;
  /** Before the first frame that it describes; in a body of joined files once per file that has a tag. */
  onTag(tag: Mp3StreamTag): void;
};

export type Mp3FrameParser = Stage<Uint8Array> & {
  /** Bytes dropped so far that were neither frames nor tags. */
  junkBytes(): number;
  /** Bytes that have come and make no whole frame yet. */
  heldBytes(): number;
};

/**
 * `expecting`: a frame or a tag should begin here, but nothing vouches for it yet (the start of a stream).
 * `synced`: the last frame ended here; a header that agrees with it is enough.
 * `searching`: lost; any byte may begin a frame, and tags are not looked for.
 */
type State = 'expecting' | 'synced' | 'searching';
type Verdict = 'frame' | 'not-a-frame' | 'more-bytes';

const NOTHING = new Uint8Array(0);

const agree = (a: Mp3Header, b: Mp3Header): boolean =>
  a.version === b.version && a.sampleRate === b.sampleRate;

export function createMp3FrameParser(sink: Mp3FrameSink): Mp3FrameParser {
  const readHeader = createMp3HeaderReader();
  let state: State = 'expecting';
  let held: Uint8Array = NOTHING;
  let tagBytesLeft = 0;
  let junkBytes = 0;
  let lostBytes = 0;
  let previous: Mp3Header | undefined;

  /** Without a frame before it a header is confirmed by what follows its frame: a header, a tag or the end. */
  const judge = (window: Uint8Array, at: number, header: Mp3Header, isEnd: boolean): Verdict => {
    const end = at + header.frameBytes;
    const whenShort = isEnd ? 'not-a-frame' : 'more-bytes';
    if (end > window.length) return whenShort;
    if (state === 'synced' && previous !== undefined && agree(header, previous)) return 'frame';
    if (end + HEADER_BYTES > window.length) return isEnd && end === window.length ? 'frame' : whenShort;
    const next = parseMp3Header(wordAt(window, end));
    const isConfirmed = next === undefined ? beginsFileTag(window, end) : agree(header, next);
    return isConfirmed ? 'frame' : 'not-a-frame';
  };

  const accept = (bytes: Uint8Array, header: Mp3Header): void => {
    state = 'synced';
    previous = header;
    const tag = parseMp3StreamTag(bytes, header);
    if (tag !== undefined) sink.onTag(tag);
    else if (lostBytes === 0) sink.onFrame({ bytes, header });
    else sink.onFrame({ bytes, header, afterGap: true });
    if (tag === undefined) lostBytes = 0;
  };

  /** Drops one byte, and all that follow it up to the next one that could begin a header. */
  const drop = (window: Uint8Array, at: number): number => {
    const found = window.indexOf(0xff, at + 1);
    const next = found < 0 ? window.length : found;
    state = 'searching';
    junkBytes += next - at;
    lostBytes += next - at;
    return next;
  };

  /** Reads `window` as far as it can be understood; returns where the rest begins. */
  const consume = (window: Uint8Array, isEnd: boolean): number => {
    let at = 0;
    while (at < window.length) {
      if (tagBytesLeft > 0) {
        const skipped = Math.min(tagBytesLeft, window.length - at);
        tagBytesLeft -= skipped;
        at += skipped;
        continue;
      }
      if (state !== 'searching') {
        const tagBytes = fileTagBytes(window, at);
        if (tagBytes === 'more-bytes' && !isEnd) return at;
        if (typeof tagBytes === 'number' && tagBytes > 0) {
          tagBytesLeft = tagBytes;
          continue;
        }
      }
      if (window.length - at < HEADER_BYTES && !isEnd) return at;
      const header = window.length - at < HEADER_BYTES ? undefined : readHeader(wordAt(window, at));
      const verdict = header === undefined ? 'not-a-frame' : judge(window, at, header, isEnd);
      if (verdict === 'more-bytes') return at;
      if (header === undefined || verdict === 'not-a-frame') {
        at = drop(window, at);
      } else {
        accept(window.subarray(at, at + header.frameBytes), header);
        at += header.frameBytes;
      }
    }
    return at;
  };

  return {
    push(chunk) {
      const window = held.length === 0 ? chunk : joined(held, chunk);
      const used = consume(window, false);
      // Copied, so that a few bytes do not keep a whole chunk alive.
      held = used === window.length ? NOTHING : joined(NOTHING, window.subarray(used));
    },
    flush() {
      const rest = held;
      held = NOTHING;
      consume(rest, true);
    },
    junkBytes: () => junkBytes,
    heldBytes: () => held.length,
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
