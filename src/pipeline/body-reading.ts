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

/** `keptFrames`: how many of the last frames are kept. */
export function createBodyReading(keptFrames: number): BodyReading {
  const kept = createMp3FrameStore();
  let keeper: FrameKeeper | undefined;
  let frames = 0;
  /** Those of them that came before it, and were kept here. */
  let own = 0;
  let tag: Mp3StreamTag | undefined;
  let tags = 0;
  let framesBeforeTag = 0;
  let junkBefore = 0;
  let header: Mp3Header | undefined;

  const parser = createMp3FrameParser({
    onFrame(frame) {
      frames += 1;
      junkBefore = parser.junkBytes();
      header = frame.header;
      if (keeper === undefined) {
        own += 1;
        addMp3Frame(kept, frame);
        if (kept.frames() > keptFrames) kept.dropFirst();
      } else {
        keeper.onFrame(frame);
        if (frames - own === keptFrames) kept.clear();
      }
    },
    onTag(found) {
      tag = found;
      tags += 1;
      framesBeforeTag = frames;
      junkBefore = parser.junkBytes();
      keeper?.onTag(found);
    },
  });

  return {
    push: (chunk) => parser.push(chunk),
    flush: () => parser.flush(),
    connect(to) {
      keeper = to;
    },
    frames: () => frames,
    audioMs: () => (header === undefined ? 0 : (frames * header.samplesPerFrame * 1000) / header.sampleRate),
    header: () => header,
    tag: () => tag,
    framesSinceTag: () => frames - framesBeforeTag,
    tags: () => tags,
    heldBytes: () => parser.heldBytes(),
    strayBytes: () => parser.junkBytes() - junkBefore + parser.heldBytes(),
    frameRange(from, until) {
      const first = own - kept.frames();
      if (from < first || until > frames) return undefined;
      const early = kept.range(from - first, Math.min(until, own) - first);
      if (until <= own) return early;
      const lateFrom = Math.max(from, own);
      const late = keeper?.recentFrames(frames - lateFrom);
      return late && [...early, ...late.slice(0, until - lateFrom)];
    },
    forget: () => kept.clear(),
  };
}
