// One body's bytes as MP3 frames, counted, with the last seconds of them kept: where a body breaks, they tell how it
// sounded there. Read for nobody at first; `connect` hands on what comes from then on, and whoever has it then keeps it.

import { createMp3FrameParser, type Mp3Frame, type Mp3FrameSink } from '../../audio/mp3/mp3-frame-parser.ts';
import { addMp3Frame, createMp3FrameStore } from '../../audio/mp3/mp3-frame-store.ts';
import type { Mp3Header } from '../../audio/mp3/mp3-header.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';

export type FrameKeeper = Mp3FrameSink & {
  /** Copies of the last so many frames; undefined when some of them are no longer kept. */
  recentFrames(count: number): Mp3Frame[] | undefined;
};

export type BodyReading = {
  push(chunk: Uint8Array): void;
  /** The body has ended for now, and another may bring the rest of it: what is whole is counted, what is not is held. */
  settle(): void;
  /** No more bytes will come: what is held is looked at as the end. */
  flush(): void;
  connect(to: FrameKeeper): void;
  frames(): number;
  /** Their length, ms. */
  audioMs(): number;
  /** Of the last frame. */
  header(): Mp3Header | undefined;
  /** The last tag, the frames behind it, and how long the streams before it are, ms, as they are heard decoded. */
  tag(): Mp3StreamTag | undefined;
  framesSinceTag(): number;
  msBeforeTag(): number;
  /**
   * Audio that the last tag promises and that has not come, ms. One frame is not missed, because many encoders count the
   * tag's own, and none is when as many bytes have come as it tells.
   */
  missingMs(): number;
  /** Bytes of a frame that has begun and is not whole; bytes since the last frame that are neither frame nor tag. */
  cutFrameBytes(): number;
  strayBytes(): number;
  /** The kept ones of frames `from` to `until`; undefined when one of them is no longer kept. */
  frameRange(from: number, until: number): Mp3Frame[] | undefined;
  /** Keeps none any longer. */
  forget(): void;
};

/** One object for each body, its own parser's sink. */
class CountedReading implements BodyReading, Mp3FrameSink {
  private readonly keptFrames: number;
  private readonly kept = createMp3FrameStore();
  private readonly parser = createMp3FrameParser(this);
  private keeper: FrameKeeper | undefined;
  private count = 0;
  /** Those of them that came before it, and were kept here. */
  private own = 0;
  private lastTag: Mp3StreamTag | undefined;
  private framesBeforeTag = 0;
  private earlierMs = 0;
  private bytesSinceTag = 0;
  private junkBefore = 0;
  private lastHeader: Mp3Header | undefined;

  constructor(keptFrames: number) {
    this.keptFrames = keptFrames;
  }

  onFrame(frame: Mp3Frame): void {
    this.count += 1;
    this.bytesSinceTag += frame.bytes.length;
    this.junkBefore = this.parser.junkBytes();
    this.lastHeader = frame.header;
    if (this.keeper === undefined) {
      this.own += 1;
      addMp3Frame(this.kept, frame);
      if (this.kept.frames() > this.keptFrames) this.kept.dropFirst();
    } else {
      this.keeper.onFrame(frame);
      if (this.count - this.own === this.keptFrames) this.kept.clear();
    }
  }
  onTag(found: Mp3StreamTag): void {
    this.earlierMs += this.msOf(this.lastHeader, this.framesSinceTag());
    this.lastTag = found;
    this.framesBeforeTag = this.count;
    this.bytesSinceTag = 0;
    this.junkBefore = this.parser.junkBytes();
    this.keeper?.onTag(found);
  }

  push(chunk: Uint8Array): void {
    this.parser.push(chunk);
  }
  settle(): void {
    this.parser.settle();
  }
  flush(): void {
    this.parser.flush();
  }
  connect(to: FrameKeeper): void {
    this.keeper = to;
  }
  frames(): number {
    return this.count;
  }
  audioMs(): number {
    const header = this.lastHeader;
    return header === undefined ? 0 : (this.count * header.samplesPerFrame * 1000) / header.sampleRate;
  }
  header(): Mp3Header | undefined {
    return this.lastHeader;
  }
  tag(): Mp3StreamTag | undefined {
    return this.lastTag;
  }
  framesSinceTag(): number {
    return this.count - this.framesBeforeTag;
  }
  msBeforeTag(): number {
    return this.earlierMs;
  }
  missingMs(): number {
    const { lastTag, lastHeader } = this;
    const missing = (lastTag?.totalFrames ?? 0) - this.framesSinceTag();
    if (lastHeader === undefined || missing <= 1 || this.hasToldBytes()) return 0;
    return (missing * lastHeader.samplesPerFrame * 1000) / lastHeader.sampleRate;
  }
  cutFrameBytes(): number {
    return this.parser.cutFrameBytes();
  }
  strayBytes(): number {
    return this.parser.junkBytes() - this.junkBefore + this.parser.heldBytes();
  }
  frameRange(from: number, until: number): Mp3Frame[] | undefined {
    const first = this.own - this.kept.frames();
    if (from < first || until > this.count) return undefined;
    const early = this.kept.range(from - first, Math.min(until, this.own) - first);
    if (until <= this.own) return early;
    const lateFrom = Math.max(from, this.own);
    const late = this.keeper?.recentFrames(this.count - lateFrom);
    return late && [...early, ...late.slice(0, until - lateFrom)];
  }
  forget(): void {
    this.kept.clear();
  }

  private msOf(header: Mp3Header | undefined, frames: number): number {
    if (header === undefined) return 0;
    return (streamSamples(this.lastTag, frames, header.samplesPerFrame) * 1000) / header.sampleRate;
  }
  private hasToldBytes(): boolean {
    const totalBytes = this.lastTag?.totalBytes;
    return totalBytes !== undefined && totalBytes <= this.bytesSinceTag;
  }
}

/** `keptFrames`: how many of the last frames are kept. */
export const createBodyReading = (keptFrames: number): BodyReading => new CountedReading(keptFrames);
