// Reads one body: parses its bytes into frames, counts them and keeps the last seconds of them.

import type { BodyParser, SoundSink } from '../../audio/bodies/body-parser.ts';
import { openBodyParser } from '../../audio/bodies/body-parsers.ts';
import { type BodyType, MP3_BODY } from '../../audio/bodies/body-type.ts';
import { type FrameHeader, type SoundFrame, samplesOf } from '../../audio/bodies/sound-frame.ts';
import { addSoundFrame, createSoundFrameStore } from '../../audio/frame-store.ts';
import type { Mp3StreamTag } from '../../audio/mp3/mp3-stream-tag.ts';
import { streamSamples } from '../../audio/mp3/mp3-to-pcm.ts';
import { FRESH_FRAMES } from './splice-runs.ts';

/** Reads a run that is compared with what was relayed; keeps enough frames to be joined. */
export const createFreshReading = (): BodyReading => new BodyReading(FRESH_FRAMES);

export type FrameKeeper = SoundSink & {
  /** Copies of the last `count` frames; undefined when some of them are no longer kept. */
  recentFrames(count: number): SoundFrame[] | undefined;
};

/**
 * Parses one body's bytes into frames, counts them and keeps the last seconds of them: where a body breaks, they show how
 * it sounded there. Frames that come before `connect` are kept here; later ones are handed on, and their receiver keeps them.
 * One object for each body; it is the sink of its own parser.
 */
export class BodyReading implements SoundSink {
  private readonly keptFrames: number;
  private readonly kept = createSoundFrameStore();
  private parser: BodyParser | undefined;
  private keeper: FrameKeeper | undefined;
  private count = 0;
  /** Frames that came before `connect` and were kept here. */
  private own = 0;
  private lastTag: Mp3StreamTag | undefined;
  private framesBeforeTag = 0;
  private earlierMs = 0;
  private bytesSinceTag = 0;
  private junkBefore = 0;
  private sampleCount = 0;
  private lastHeader: FrameHeader | undefined;

  /** `keptFrames`: how many of the last frames are kept. */
  constructor(keptFrames: number) {
    this.keptFrames = keptFrames;
  }

  onFrame(frame: SoundFrame): void {
    this.count += 1;
    this.sampleCount += samplesOf(frame.header);
    this.bytesSinceTag += frame.bytes.length;
    this.junkBefore = this.parserNow().junkBytes();
    this.lastHeader = frame.header;
    if (this.keeper === undefined) {
      this.own += 1;
      addSoundFrame(this.kept, frame);
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
    this.junkBefore = this.parserNow().junkBytes();
    this.keeper?.onTag(found);
  }

  /** What the body is, before its first byte; a body of which nothing is said is MP3. */
  begin(type: BodyType): void {
    this.parser ??= openBodyParser(type, this);
  }
  /** Throws what the parser of such a body throws. */
  push(chunk: Uint8Array): void {
    this.parserNow().push(chunk);
  }
  /** The body has ended, and another may bring the rest: whole frames are counted, an unfinished one is held. */
  settle(): void {
    this.parserNow().settle();
  }
  /** No more bytes will come: what is held is parsed as the end. */
  flush(): void {
    this.parserNow().flush();
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
    return header === undefined ? 0 : (this.sampleCount * 1000) / header.sampleRate;
  }
  /** What is heard of the first `frames` frames of a body that is no MP3, samples; all but the last one are whole. */
  samplesOfFirst(frames: number): number {
    if (this.lastHeader === undefined || frames >= this.count) return this.sampleCount;
    const untaken = (this.count - frames - 1) * this.lastHeader.samplesPerFrame + samplesOf(this.lastHeader);
    return Math.max(0, this.sampleCount - untaken);
  }
  /** Of the last frame. */
  header(): FrameHeader | undefined {
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
   * Audio that the last tag, or a header, announces and that has not come, ms. One frame is not missed, because many encoders count the
   * tag's own; none is missed when as many bytes have come as the tag says.
   */
  missingMs(): number {
    const { lastTag, lastHeader } = this;
    const missingSamples = this.parserNow().missingSamples();
    if (lastHeader !== undefined && missingSamples > 0)
      return (missingSamples * 1000) / lastHeader.sampleRate;
    const missing = (lastTag?.totalFrames ?? 0) - this.framesSinceTag();
    if (lastHeader === undefined || missing <= 1 || this.hasToldBytes()) return 0;
    return (missing * lastHeader.samplesPerFrame * 1000) / lastHeader.sampleRate;
  }
  /** Bytes of an unfinished frame; `strayBytes`: bytes since the last frame that are neither frame nor tag. */
  cutFrameBytes(): number {
    return this.parserNow().cutFrameBytes();
  }
  strayBytes(): number {
    const parser = this.parserNow();
    return parser.junkBytes() - this.junkBefore + parser.heldBytes();
  }
  /** Frames `from` to `until`; undefined when one of them is no longer kept. */
  frameRange(from: number, until: number): SoundFrame[] | undefined {
    const first = this.own - this.kept.frames();
    if (from < first || until > this.count) return undefined;
    const early = this.kept.range(from - first, Math.min(until, this.own) - first);
    if (until <= this.own) return early;
    const lateFrom = Math.max(from, this.own);
    const late = this.keeper?.recentFrames(this.count - lateFrom);
    return late && [...early, ...late.slice(0, until - lateFrom)];
  }
  /** What may be the end of it and is in no whole frame. */
  heldFrame(): SoundFrame | undefined {
    return this.parserNow().heldFrame?.();
  }
  /** Drops the kept frames. */
  forget(): void {
    this.kept.clear();
  }

  private parserNow(): BodyParser {
    this.parser ??= openBodyParser(MP3_BODY, this);
    return this.parser;
  }
  private msOf(header: FrameHeader | undefined, frames: number): number {
    if (header === undefined) return 0;
    return (streamSamples(this.lastTag, frames, header.samplesPerFrame) * 1000) / header.sampleRate;
  }
  private hasToldBytes(): boolean {
    const totalBytes = this.lastTag?.totalBytes;
    return totalBytes !== undefined && totalBytes <= this.bytesSinceTag;
  }
}
