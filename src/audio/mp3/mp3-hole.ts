// What lies between two frames of a stream and is neither frame nor tag: how much sound was there, and the frames without sound
// that replace it, so that counting frames still gives the right time.

import { HEADER_BYTES, type Mp3Header } from './mp3-header.ts';

/** Zeros, and spaces and ends of line: what is put between frames or behind them. */
export const isBlank = (byte: number): boolean =>
  byte === 0 || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** A byte of a line of text; a frame would have others. */
export const isText = (byte: number): boolean => isBlank(byte) || (byte > 0x20 && byte < 0x7f);

/** A longer hole is more than damage: the next frame may be from anywhere in the stream. */
const MAX_HOLE_BYTES = 8 * 1024;

/** So few, because at a variable rate a pause has short frames and a word long ones. */
const RECENT_FRAMES = 4;

/** One for each body, asked for each frame. */
export class FrameLengths {
  private frames = 0;
  /** Of the last few. */
  private mean = 0;
  private shortest = Number.POSITIVE_INFINITY;
  private longest = 0;

  add({ frameBytes }: Mp3Header): void {
    this.frames += 1;
    this.mean += (frameBytes - this.mean) / Math.min(this.frames, RECENT_FRAMES);
    if (frameBytes < this.shortest) this.shortest = frameBytes;
    if (frameBytes > this.longest) this.longest = frameBytes;
  }
  clear(): void {
    this.frames = 0;
    this.mean = 0;
    this.shortest = Number.POSITIVE_INFINITY;
    this.longest = 0;
  }
  isEmpty(): boolean {
    return this.frames === 0;
  }
  /** All differ by a padding slot alone, or not at all. */
  areConstant(): boolean {
    return this.longest - this.shortest <= 1;
  }
  /** Some differ by a padding slot. */
  arePadded(): boolean {
    return this.longest - this.shortest === 1;
  }
  /**
   * How many frames stood where `holeBytes` before a frame with `header` are no frames now. At a constant bit rate damage that
   * was done in place is as long as the frames that it hit; what has another length was put between frames, or into one, and
   * took no time. Where lengths vary only text is known to have been put there; anything else was frames as long as those
   * around it.
   */
  framesIn(holeBytes: number, what: 'text' | 'binary', header: Mp3Header): number {
    if (holeBytes === 0 || holeBytes > MAX_HOLE_BYTES) return 0;
    if (!this.areConstant()) {
      const usual = (this.mean + header.frameBytes) / 2;
      return what === 'text' ? 0 : Math.round(holeBytes / usual);
    }
    // A frame's duration in bytes, which padding slots make up where it is no whole number.
    const exact = (header.samplesPerFrame * header.bitrateKbps * 125) / header.sampleRate;
    const shortest = Math.min(this.shortest, Math.floor(exact));
    const longest = Math.max(this.longest, Math.ceil(exact));
    const count = Math.ceil(holeBytes / longest);
    return count * shortest <= holeBytes ? count : 0;
  }
}

/** The same header with nothing behind it: no side information, no main data (ISO 11172-3 2.4.1.7), and no checksum. */
export const silentMp3Frame = (bytes: Uint8Array): Uint8Array => {
  const silent = new Uint8Array(bytes.length);
  silent.set(bytes.subarray(0, HEADER_BYTES));
  silent[1]! |= 1;
  return silent;
};
