// One body's bytes as MP3 frames, counted, with the last seconds of them kept: where a body breaks, they tell how it
// sounded there. Read for nobody at first; `connect` hands on what comes from then on, and whoever has it then keeps it.

import { createMp3FrameParser, type Mp3Frame, type Mp3FrameSink } from '../audio/mp3-frame-parser.ts';
import { addMp3Frame, createMp3FrameStore } from '../audio/mp3-frame-store.ts';
import type { Mp3Header } from '../audio/mp3-header.ts';
import type { Mp3StreamTag } from '../audio/mp3-stream-tag.ts';

export type FrameKeeper = Mp3FrameSink & {
  /** Copies of the last so many frames; undefined when some of them are no longer kept. */
  recentFrames(count: number): Mp3Frame[] | undefined;
};

export type BodyReading = {
  push(chunk: Uint8Array): void;
  /** No more bytes will come: what is held is looked at as the end. */
  flush(): void;
  connect(to: FrameKeeper): void;
  frames(): number;
  /** Their length, ms. */
  audioMs(): number;
  /** Of the last frame. */
  header(): Mp3Header | undefined;
  /** The last tag, the frames behind it, and how many tags there were. */
  tag(): Mp3StreamTag | undefined;
  framesSinceTag(): number;
  tags(): number;
  /** Bytes that make no whole frame yet, and those since the last frame that are neither frame nor tag. */
  heldBytes(): number;
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
  private tagCount = 0;
  private framesBeforeTag = 0;
  private junkBefore = 0;
  private lastHeader: Mp3Header | undefined;

  constructor(keptFrames: number) {
    this.keptFrames = keptFrames;
  }

  onFrame(frame: Mp3Frame): void {
    this.count += 1;
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
    this.lastTag = found;
    this.tagCount += 1;
    this.framesBeforeTag = this.count;
    this.junkBefore = this.parser.junkBytes();
    this.keeper?.onTag(found);
  }

  push(chunk: Uint8Array): void {
    this.parser.push(chunk);
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
  tags(): number {
    return this.tagCount;
  }
  heldBytes(): number {
    return this.parser.heldBytes();
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
}

/** `keptFrames`: how many of the last frames are kept. */
export const createBodyReading = (keptFrames: number): BodyReading => new CountedReading(keptFrames);
