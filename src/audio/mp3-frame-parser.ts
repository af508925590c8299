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
/** The first byte of a header, and of no tag. */
const FRAME_BEGINS = 0xff;

const agree = (a: Mp3Header, b: Mp3Header): boolean =>
  a.version === b.version && a.sampleRate === b.sampleRate;

/** One for each body, asked for each piece of it that comes. */
class Mp3BodyParser implements Mp3FrameParser {
  private readonly sink: Mp3FrameSink;
  private state: State = 'expecting';
  private held: Uint8Array = NOTHING;
  private tagBytesLeft = 0;
  private junk = 0;
  private lost = 0;
  private previous: Mp3Header | undefined;
  private readonly headers = createMp3HeaderReader();

  constructor(sink: Mp3FrameSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    const window = this.held.length === 0 ? chunk : joined(this.held, chunk);
    const used = this.consume(window, false);
    // Copied, so that a few bytes do not keep a whole chunk alive.
    this.held = used === window.length ? NOTHING : joined(NOTHING, window.subarray(used));
  }
  flush(): void {
    const rest = this.held;
    this.held = NOTHING;
    this.consume(rest, true);
  }
  junkBytes(): number {
    return this.junk;
  }
  heldBytes(): number {
    return this.held.length;
  }

  /** Reads `window` as far as it can be understood; returns where the rest begins. */
  private consume(window: Uint8Array, isEnd: boolean): number {
    let at = 0;
    while (at < window.length) {
      if (this.tagBytesLeft > 0) {
        const skipped = Math.min(this.tagBytesLeft, window.length - at);
        this.tagBytesLeft -= skipped;
        at += skipped;
        continue;
      }
      if (this.state !== 'searching' && window[at] !== FRAME_BEGINS) {
        const tagBytes = fileTagBytes(window, at);
        if (tagBytes === 'more-bytes' && !isEnd) return at;
        if (typeof tagBytes === 'number' && tagBytes > 0) {
          this.tagBytesLeft = tagBytes;
          continue;
        }
      }
      if (window.length - at < HEADER_BYTES && !isEnd) return at;
      const header = window.length - at < HEADER_BYTES ? undefined : this.headers.of(wordAt(window, at));
      const verdict = header === undefined ? 'not-a-frame' : this.judge(window, at, header, isEnd);
      if (verdict === 'more-bytes') return at;
      if (header === undefined || verdict === 'not-a-frame') {
        at = this.drop(window, at);
      } else {
        this.accept(window.subarray(at, at + header.frameBytes), header);
        at += header.frameBytes;
      }
    }
    return at;
  }
  /** Without a frame before it a header is confirmed by what follows its frame: a header, a tag or the end. */
  private judge(window: Uint8Array, at: number, header: Mp3Header, isEnd: boolean): Verdict {
    const end = at + header.frameBytes;
    const whenShort = isEnd ? 'not-a-frame' : 'more-bytes';
    if (end > window.length) return whenShort;
    if (this.state === 'synced' && this.previous !== undefined && agree(header, this.previous))
      return 'frame';
    if (end + HEADER_BYTES > window.length) return isEnd && end === window.length ? 'frame' : whenShort;
    const next = parseMp3Header(wordAt(window, end));
    const isConfirmed = next === undefined ? beginsFileTag(window, end) : agree(header, next);
    return isConfirmed ? 'frame' : 'not-a-frame';
  }
  private accept(bytes: Uint8Array, header: Mp3Header): void {
    this.state = 'synced';
    this.previous = header;
    const tag = parseMp3StreamTag(bytes, header);
    if (tag !== undefined) return this.sink.onTag(tag);
    if (this.lost === 0) this.sink.onFrame({ bytes, header });
    else this.sink.onFrame({ bytes, header, afterGap: true });
    this.lost = 0;
  }
  /** Drops one byte, and all that follow it up to the next one that could begin a header. */
  private drop(window: Uint8Array, at: number): number {
    const found = window.indexOf(FRAME_BEGINS, at + 1);
    const next = found < 0 ? window.length : found;
    this.state = 'searching';
    this.junk += next - at;
    this.lost += next - at;
    return next;
  }
}

export const createMp3FrameParser = (sink: Mp3FrameSink): Mp3FrameParser => new Mp3BodyParser(sink);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
