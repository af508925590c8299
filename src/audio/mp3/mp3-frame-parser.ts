// Bytes in any split → whole MP3 frames, at the moment when a frame is certain. Tags of files are skipped wherever they
// stand; damage is skipped until the next frame and replaced by frames without sound; the encoder's own tag frame is
// told apart from audio. At most one frame and a header are held, whatever arrives, and two frames where the length of
// the first must be measured (free format); each byte is looked at a bounded number of times. One parser reads one stream.

import type { BodyParser } from '../bodies/body-parser.ts';
import { beginsFileTag, fileTagBytes, mayBeginFileTag } from './mp3-file-tag.ts';
import {
  areAlike,
  freeFormatHeader,
  HEADER_BYTES,
  isFreeFormat,
  MAX_FRAME_BYTES,
  type Mp3Header,
  Mp3HeaderReader,
  paddingBytesOf,
  parseMp3Header,
  wordAt,
} from './mp3-header.ts';
import { FrameLengths, isBlank, isText, silentMp3Frame } from './mp3-hole.ts';
import { mainDataBegin, mainDataBits } from './mp3-side-info.ts';
import { type Mp3StreamTag, parseMp3StreamTag } from './mp3-stream-tag.ts';

export type { Mp3StreamTag } from './mp3-stream-tag.ts';

export type Mp3Frame = {
  /** The whole frame. A view of the chunk that held it when it lay in one chunk, which is then not to be reused. */
  readonly bytes: Uint8Array;
  readonly header: Mp3Header;
  /** Present when bytes were lost right before this frame. */
  readonly afterGap?: true;
};

export type Mp3FrameSink = {
  onFrame(frame: Mp3Frame): void;
  /** Before the first frame that it describes; in a body of joined files once per file that has a tag. */
  onTag(tag: Mp3StreamTag): void;
};

/**
 * `expecting`: a frame or a tag should begin here, but nothing confirms it yet (the start of a stream).
 * `synced`: the last frame ended here; a header that is like its own is enough.
 * `searching`: lost; any byte may begin a frame.
 */
type State = 'expecting' | 'synced' | 'searching';
/** What is known of the bytes behind the window. */
type Ahead = 'more' | 'unknown' | 'end';
type Verdict = 'frame' | 'not-a-frame' | 'more-bytes';
/** What stands behind a frame: what may follow in a stream, what was put there, or anything else. */
type Follower = 'stream' | 'stray' | 'other' | 'more-bytes';
type FreeFormat = { readonly word: number; readonly frameBytes: number };

const NOTHING = new Uint8Array(0);
/** The first byte of a header, and of no tag. */
const FRAME_BEGINS = 0xff;
/** Each try looks through the longest frame's length. */
const MAX_FREE_FORMAT_TRIES = 64;

const agree = (a: Mp3Header, b: Mp3Header): boolean =>
  a.version === b.version && a.sampleRate === b.sampleRate;

/** Its main data may be as long as it says; `first`: and none of it lies in an earlier frame. */
function isPlausible(bytes: Uint8Array, header: Mp3Header, which: 'first' | 'any'): boolean {
  const begin = mainDataBegin(bytes, header);
  const bits = mainDataBits(bytes, header);
  return (which === 'any' || begin === 0) && bits >= 0 && bits <= (begin + header.frameBytes) * 8;
}

/** One for each body, asked for each piece of it that comes. */
export class Mp3FrameParser implements BodyParser {
  private readonly sink: Mp3FrameSink;
  private state: State = 'expecting';
  private held: Uint8Array = NOTHING;
  private tagBytesLeft = 0;
  private junk = 0;
  /** Bytes since the last frame or tag, and whether some since the last frame were not text. */
  private holeBytes = 0;
  private isTorn = false;
  private previous: Mp3Header | undefined;
  private previousWord = 0;
  private readonly headers = new Mp3HeaderReader();
  private free: FreeFormat | undefined;
  private freeTries = 0;
  private readonly lengths = new FrameLengths();

  constructor(sink: Mp3FrameSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    this.read(this.held.length === 0 ? chunk : joined(this.held, chunk), 'more');
  }
  /**
   * No byte comes for now, and perhaps none at all: a whole frame that waited for what follows it is accepted. An incomplete
   * frame is still held.
   */
  settle(): void {
    this.read(this.held, 'unknown');
  }
  flush(): void {
    this.read(this.held, 'end');
  }
  /** Bytes dropped so far that were neither frames nor tags. */
  junkBytes(): number {
    return this.junk;
  }
  /** Bytes that have come and make no whole frame yet. */
  heldBytes(): number {
    return this.held.length;
  }
  /** How many of these are the beginning of a frame of this stream; 0 when they are something else. */
  cutFrameBytes(): number {
    const { held, previous } = this;
    if (previous === undefined || held[0] !== FRAME_BEGINS) return 0;
    // Among other bytes one or two that could begin a header prove nothing: FF is a genre of ID3v1.
    if (held.length < HEADER_BYTES && this.state !== 'synced') return 0;
    // What of a header has not come yet is taken to be as it was in the frame before.
    const start = new Uint8Array(HEADER_BYTES);
    new DataView(start.buffer).setUint32(0, this.previousWord);
    start.set(held.subarray(0, HEADER_BYTES));
    const header = this.headerAt(start, 0, 'end');
    if (header === undefined || header === 'more-bytes' || !agree(header, previous)) return 0;
    return held.length < header.frameBytes ? held.length : 0;
  }

  /** What a tag announces is counted by whoever counts the frames. */
  missingSamples(): number {
    return 0;
  }

  private read(window: Uint8Array, ahead: Ahead): void {
    const used = this.consume(window, ahead);
    // Copied, so that a few bytes do not keep a whole chunk alive.
    if (used === window.length) this.held = NOTHING;
    else if (used > 0 || window !== this.held) this.held = joined(NOTHING, window.subarray(used));
  }
  /** Reads `window` as far as it can be understood; returns where the rest begins. */
  private consume(window: Uint8Array, ahead: Ahead): number {
    let at = 0;
    while (at < window.length) {
      const next =
        this.tagBytesLeft > 0
          ? this.skipTag(window, at)
          : window[at] === FRAME_BEGINS
            ? this.passFrame(window, at, ahead)
            : this.passOther(window, at, ahead);
      if (next === at) return at;
      at = next;
    }
    return at;
  }
  private skipTag(window: Uint8Array, at: number): number {
    const skipped = Math.min(this.tagBytesLeft, window.length - at);
    this.tagBytesLeft -= skipped;
    return at + skipped;
  }
  /** Where the rest begins when what is at `at` may be a frame; `at` itself when it has not all come. */
  private passFrame(window: Uint8Array, at: number, ahead: Ahead): number {
    if (window.length - at < HEADER_BYTES) return ahead === 'end' ? this.drop(window, at) : at;
    const header = this.headerAt(window, at, ahead);
    if (header === undefined) return this.drop(window, at);
    const verdict = header === 'more-bytes' ? header : this.judge(window, at, header, ahead);
    if (header === 'more-bytes' || verdict === 'more-bytes') return at;
    if (verdict === 'not-a-frame') return this.drop(window, at);
    this.accept(window.subarray(at, at + header.frameBytes), header);
    return at + header.frameBytes;
  }
  /** The same when it is none. */
  private passOther(window: Uint8Array, at: number, ahead: Ahead): number {
    const tagBytes = fileTagBytes(window, at, this.state === 'searching' ? 'anywhere' : 'between-frames');
    if (tagBytes === 'more-bytes' && ahead !== 'end') return at;
    if (tagBytes === 'more-bytes' || tagBytes === 0) return this.drop(window, at);
    this.tagBytesLeft = tagBytes;
    this.holeBytes = 0; // a tag ends a stream or begins one: no frame is missing in front of it
    if (this.state === 'searching') this.state = 'expecting';
    return this.skipTag(window, at);
  }
  private headerAt(window: Uint8Array, at: number, ahead: Ahead): Mp3Header | undefined | 'more-bytes' {
    const word = wordAt(window, at);
    const header = this.headers.of(word);
    if (header !== undefined || !isFreeFormat(word)) return header;
    if (this.free === undefined || !areAlike(word, this.free.word)) {
      if (!this.lengths.isEmpty() || this.freeTries === MAX_FREE_FORMAT_TRIES) return undefined;
      const frameBytes = freeFormatBytes(window, at, ahead);
      if (frameBytes === 'more-bytes') return frameBytes;
      this.freeTries += 1;
      if (frameBytes === 'none') return undefined;
      this.free = { word, frameBytes };
    }
    return freeFormatHeader(word, this.free.frameBytes + paddingBytesOf(word));
  }
  /** Without a frame like it before it a header is confirmed by what follows its frame. */
  private judge(window: Uint8Array, at: number, header: Mp3Header, ahead: Ahead): Verdict {
    const { previous, state } = this;
    const end = at + header.frameBytes;
    if (end > window.length) return ahead === 'end' ? 'not-a-frame' : 'more-bytes';
    const isAlike = previous !== undefined && areAlike(wordAt(window, at), this.previousWord);
    const isInPlace = state === 'synced' || (state === 'searching' && this.isBehindLostFrames(header));
    if (isAlike && isInPlace && header.frameBytes === previous.frameBytes) return 'frame';
    const length = isAlike ? 'true' : this.lengthOf(window, at, header, ahead);
    if (length !== 'true') return length;
    const follower = this.followerAt(window, at, header, ahead);
    if (follower === 'more-bytes') return follower;
    const bytes = window.subarray(at, end);
    let isFrame = follower === 'stream';
    if (previous === undefined) isFrame ||= state === 'expecting' && isPlausible(bytes, header, 'first');
    else if (agree(header, previous)) {
      // A changed header that nothing confirms is a damaged one, but where such changes are usual.
      const isUsualChange = isAlike ? this.lengths.arePadded() : !this.lengths.areConstant();
      isFrame ||= follower === 'stray';
      isFrame ||= state === 'synced' && isUsualChange && isPlausible(bytes, header, 'any');
    }
    return isFrame ? 'frame' : 'not-a-frame';
  }
  /**
   * Whether a header that is unlike the one before tells its frame's true length: at a constant rate it does not when the next
   * header stands where the usual length ends.
   */
  private lengthOf(
    window: Uint8Array,
    at: number,
    header: Mp3Header,
    ahead: Ahead,
  ): 'true' | Exclude<Verdict, 'frame'> {
    const { previous, previousWord, lengths } = this;
    if (previous === undefined || lengths.isEmpty() || !lengths.areConstant()) return 'true';
    if (Math.abs(header.frameBytes - previous.frameBytes) <= 1) return 'true';
    for (let next = at + previous.frameBytes - 1; next <= at + previous.frameBytes + 1; next += 1) {
      if (next + HEADER_BYTES > window.length) return ahead === 'more' ? 'more-bytes' : 'true';
      if (areAlike(wordAt(window, next), previousWord)) return 'not-a-frame';
    }
    return 'true';
  }
  private followerAt(window: Uint8Array, at: number, header: Mp3Header, ahead: Ahead): Follower {
    const end = at + header.frameBytes;
    const left = window.length - end;
    if (ahead === 'more' && left < HEADER_BYTES) return 'more-bytes';
    if (left === 0 || beginsFileTag(window, end)) return 'stream';
    if (left < HEADER_BYTES) return 'stray';
    const word = wordAt(window, end);
    const next = parseMp3Header(word);
    if (next === undefined ? areAlike(word, wordAt(window, at)) : agree(header, next)) return 'stream';
    return window.subarray(end, end + HEADER_BYTES).every(isText) ? 'stray' : 'other';
  }
  private accept(bytes: Uint8Array, header: Mp3Header): void {
    const tag = parseMp3StreamTag(bytes, header);
    const lost = this.previous !== undefined && agree(header, this.previous) ? this.lostFrames(header) : 0;
    const isAfterGap = this.isTorn || lost > 0;
    this.state = 'synced';
    this.previous = header;
    this.previousWord = wordAt(bytes, 0);
    this.holeBytes = 0;
    this.isTorn = false;
    if (tag !== undefined) {
      this.lengths.clear();
      return this.sink.onTag(tag);
    }
    if (lost > 0) {
      const silent = { bytes: silentMp3Frame(bytes), header: { ...header, hasCrc: false } };
      for (let frame = 0; frame < lost; frame += 1) this.sink.onFrame(silent);
    }
    this.lengths.add(header);
    this.sink.onFrame(isAfterGap ? { bytes, header, afterGap: true } : { bytes, header });
  }
  private lostFrames(header: Mp3Header): number {
    return this.lengths.framesIn(this.holeBytes, this.isTorn ? 'binary' : 'text', header);
  }
  /** At a constant rate the length of a hole confirms the frame that follows it. */
  private isBehindLostFrames(header: Mp3Header): boolean {
    return this.lengths.areConstant() && this.lostFrames(header) > 0;
  }
  /** Drops one byte, and all that follow it up to the next one that could begin a header or a tag. */
  private drop(window: Uint8Array, at: number): number {
    let next = at;
    do {
      const byte = window[next]!;
      if (!isBlank(byte)) this.state = 'searching';
      if (!isText(byte)) this.isTorn = true;
      next += 1;
    } while (next < window.length && window[next] !== FRAME_BEGINS && !mayBeginFileTag(window[next]!));
    this.junk += next - at;
    this.holeBytes += next - at;
    return next;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Header and side information of the shortest kind. */
const MIN_FRAME_BYTES = HEADER_BYTES + 9;

/**
 * Bytes of a free-format frame without padding (ISO 11172-3 2.4.2.3). No header tells them, but they are the same for all
 * frames of a stream: the distance from the header at `at` to one like it, after which a third one, or the end, comes as far
 * again. `none`: there is no such distance.
 */
function freeFormatBytes(
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
