// MP3 frames that go out as they came in, never decoded. Silence between two streams is frames like the last one with
// nothing in them.

import { type Mp3Frame, ownFrame } from './mp3-frame-parser.ts';
import type { Mp3Header } from './mp3-header.ts';
import type { Mp3StreamTag } from './mp3-stream-tag.ts';
import type { Mp3ToPcm } from './mp3-to-pcm.ts';
import type { AudioFrame } from './stage.ts';

export type Mp3Passage = {
  /** A stream needs no decoder yet; the last tag of a joined body speaks for what follows. */
  beginStream(): void;
  tag(tag: Mp3StreamTag): void;
  forgetStream(): void;
  /** All this, because from now on frames are decoded. */
  tellTo(decoder: Pick<Mp3ToPcm, 'beginStream' | 'tag'>): void;
  /** Whether frames of such a kind are what was asked for. */
  takes(header: Mp3Header): boolean;
  /** Samples count at the turn's `rate`, so that a rate that changes on the way keeps the clock right. */
  push(frame: Mp3Frame, rate: number): void;
  /** Silence, to half a frame; none where no frame has come. */
  rest(ms: number): void;
};

/** The same header with nothing behind it: no side information, no main data (ISO 11172-3 2.4.1.7), and no checksum. */
const silentMp3Frame = (bytes: Uint8Array): Uint8Array => {
  const silent = new Uint8Array(bytes.length);
  silent.set(bytes.subarray(0, 4));
  silent[1]! |= 1;
  return silent;
};

/** Called for each MP3 frame. */
class UndecodedFrames implements Mp3Passage {
  private readonly sampleRate: number | undefined;
  private readonly emit: (frame: AudioFrame) => void;
  private hasBegun = false;
  private streamTag: Mp3StreamTag | undefined;
  private last: Mp3Frame | undefined;
  private rate = 0;
  /** Silence that whole frames have not filled yet; less than nothing when they went beyond it. */
  private owedMs = 0;

  constructor(sampleRate: number | undefined, emit: (frame: AudioFrame) => void) {
    this.sampleRate = sampleRate;
    this.emit = emit;
  }

  beginStream(): void {
    this.hasBegun = true;
    this.streamTag = undefined;
  }
  tag(tag: Mp3StreamTag): void {
    this.streamTag = tag;
  }
  forgetStream(): void {
    this.hasBegun = false;
    this.streamTag = undefined;
  }
  tellTo(decoder: Pick<Mp3ToPcm, 'beginStream' | 'tag'>): void {
    if (this.hasBegun) decoder.beginStream();
    if (this.streamTag !== undefined) decoder.tag(this.streamTag);
  }
  takes({ sampleRate }: Mp3Header): boolean {
    return this.sampleRate === undefined || sampleRate === this.sampleRate;
  }
  push(frame: Mp3Frame, rate: number): void {
    const { header } = frame;
    this.last = ownFrame(frame);
    this.rate = rate;
    this.emit({
      bytes: this.last.bytes,
      samples: Math.round((header.samplesPerFrame * rate) / header.sampleRate),
    });
  }
  rest(ms: number): void {
    if (this.last === undefined) return;
    const { header, bytes } = this.last;
    const frameMs = (header.samplesPerFrame * 1000) / header.sampleRate;
    const silent = { ...this.last, bytes: silentMp3Frame(bytes) };
    for (this.owedMs += ms; this.owedMs >= frameMs / 2; this.owedMs -= frameMs) this.push(silent, this.rate);
  }
}

/** `sampleRate`: Hz that was asked for; undefined: any will do. */
export const createMp3Passage = (
  sampleRate: number | undefined,
  emit: (frame: AudioFrame) => void,
): Mp3Passage => new UndecodedFrames(sampleRate, emit);
