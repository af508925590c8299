// Parses one body's bytes into MP3 frames, counts them and keeps the last seconds of them: where a body breaks, they show how
// it sounded there. Frames that come before `connect` are kept here; later ones are handed on, and their receiver keeps them.

import { addMp3Frame, createMp3FrameStore } from '../../audio/frame-store.ts';
import { type Mp3Frame, Mp3FrameParser, type Mp3FrameSink } from '../../audio/mp3/mp3-frame-parser.ts';
import type { Mp3Header } from '../../audio/mp3/mp3-header.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';

export type FrameKeeper = Mp3FrameSink & {
  /** Copies of the last `count` frames; undefined when some of them are no longer kept. */
  recentFrames(count: number): Mp3Frame[] | undefined;
};

/** One object for each body; it is the sink of its own parser. */
export class BodyReading implements Mp3FrameSink {
  private readonly keptFrames: number;
  private readonly kept = createMp3FrameStore();
  private readonly parser = new Mp3FrameParser(this);
  private keeper: FrameKeeper | undefined;
  private count = 0;
  /** Frames that came before `connect` and were kept here. */
  private own = 0;
  private lastTag: Mp3StreamTag | undefined;
  private framesBeforeTag = 0;
  private earlierMs = 0;
  private bytesSinceTag = 0;
  private junkBefore = 0;
  private lastHeader: Mp3Header | undefined;

  /** `keptFrames`: how many of the last frames are kept. */
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
  /** The body has ended, and another may bring the rest: whole frames are counted, an unfinished one is held. */
  settle(): void {
    this.parser.settle();
  }
  /** No more bytes will come: what is held is parsed as the end. */
  flush(): void {
    this.parser.flush();
  }
  connect(to: FrameKeeper): void {
    this.keeper = to;
  }
  frames(): number {
    return this.count;
  }
  /** Their length, ms. */
  audioMs(): number {
    const header = this.lastHeader;
    return header === undefined ? 0 : (this.count * header.samplesPerFrame * 1000) / header.sampleRate;
  }
  /** Of the last frame. */
  header(): Mp3Header | undefined {
    return this.lastHeader;
  }
  /** The last tag, the frames behind it, and how long the streams before it are, ms, as they are heard decoded. */
  tag(): Mp3StreamTag | undefined {
    return this.lastTag;
  }
  framesSinceTag(): number {
    return this.count - this.framesBeforeTag;
  }
  msBeforeTag(): number {
    return this.earlierMs;
  }
  /**
   * Audio that the last tag announces and that has not come, ms. One frame is not missed, because many encoders count the
   * tag's own; none is missed when as many bytes have come as the tag says.
   */
  missingMs(): number {
    const { lastTag, lastHeader } = this;
    const missing = (lastTag?.totalFrames ?? 0) - this.framesSinceTag();
    if (lastHeader === undefined || missing <= 1 || this.hasToldBytes()) return 0;
    return (missing * lastHeader.samplesPerFrame * 1000) / lastHeader.sampleRate;
  }
  /** Bytes of an unfinished frame; `strayBytes`: bytes since the last frame that are neither frame nor tag. */
  cutFrameBytes(): number {
    return this.parser.cutFrameBytes();
  }
  strayBytes(): number {
    return this.parser.junkBytes() - this.junkBefore + this.parser.heldBytes();
  }
  /** Frames `from` to `until`; undefined when one of them is no longer kept. */
  frameRange(from: number, until: number): Mp3Frame[] | undefined {
    const first = this.own - this.kept.frames();
    if (from < first || until > this.count) return undefined;
    const early = this.kept.range(from - first, Math.min(until, this.own) - first);
    if (until <= this.own) return early;
    const lateFrom = Math.max(from, this.own);
    const late = this.keeper?.recentFrames(this.count - lateFrom);
    return late && [...early, ...late.slice(0, until - lateFrom)];
  }
  /** Drops the kept frames. */
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
