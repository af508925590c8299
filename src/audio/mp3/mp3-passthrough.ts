// Pass-through of MP3: frames go out as they came in, never decoded. Silence between two streams is made of frames like the
// last one, but empty. Another gain is written into the frames, in steps of 1.5 dB. After a gap a frame whose main data was lost goes out without it: a player would make noise of the rest.

import type { AudioFrame } from '../stage.ts';
import type { Mp3Frame } from './mp3-frame-parser.ts';
import { HEADER_BYTES, type Mp3Header, sideInfoBytes } from './mp3-header.ts';
import { silentMp3Frame } from './mp3-hole.ts';
import { mainDataBegin, sideInfoOffset, turnUp } from './mp3-side-info.ts';
import type { Mp3StreamTag } from './mp3-stream-tag.ts';
import type { Mp3ToPcm } from './mp3-to-pcm.ts';

/** main_data_begin has nine bits. */
const MAX_RESERVOIR_BYTES = 511;

/** One for each turn, called for each MP3 frame. */
export class Mp3Passthrough {
  private readonly sampleRate: number | undefined;
  private readonly emit: (frame: AudioFrame) => void;
  private hasBegun = false;
  private streamTag: Mp3StreamTag | undefined;
  private last: Mp3Frame | undefined;
  private rate = 0;
  /** Silence that whole frames have not filled yet; negative when they were longer than it. */
  private owedMs = 0;
  /** Bytes of bodies since the last gap, while the next frame may still refer back beyond them; infinite when it may not. */
  private bodyBytes = Number.POSITIVE_INFINITY;

  /** `sampleRate`: Hz that was asked for; undefined: any will do. */
  constructor(sampleRate: number | undefined, emit: (frame: AudioFrame) => void) {
    this.sampleRate = sampleRate;
    this.emit = emit;
  }

  /** A new stream begins that needs no decoder yet. */
  beginStream(): void {
    this.hasBegun = true;
    this.streamTag = undefined;
  }
  /** In a body of joined files the last tag is the one that counts for what follows. */
  tag(tag: Mp3StreamTag): void {
    this.streamTag = tag;
  }
  forgetStream(): void {
    this.hasBegun = false;
    this.streamTag = undefined;
  }
  /** From now on frames are decoded: tells `decoder` what was told here. */
  tellTo(decoder: Pick<Mp3ToPcm, 'beginStream' | 'tag'>): void {
    if (this.hasBegun) decoder.beginStream();
    if (this.streamTag !== undefined) decoder.tag(this.streamTag);
  }
  /** Whether frames of such a kind are what was asked for. */
  takes({ sampleRate }: Mp3Header): boolean {
    return this.sampleRate === undefined || sampleRate === this.sampleRate;
  }
  /** Samples count at the turn's `rate`, so that the clock stays right when the rate changes on the way. */
  push(frame: Mp3Frame, rate: number, gainDb = 0): void {
    const { header } = frame;
    this.last = { ...frame, bytes: new Uint8Array(frame.bytes) };
    this.rate = rate;
    if (frame.afterGap) this.bodyBytes = 0;
    const isLost =
      this.bodyBytes !== Number.POSITIVE_INFINITY && this.muteLost(this.last.bytes, header) === 'muted';
    if (gainDb !== 0 && !isLost) turnUp(this.last.bytes, header, gainDb);
    this.emit({
      bytes: this.last.bytes,
      samples: Math.round((header.samplesPerFrame * rate) / header.sampleRate),
    });
  }
  /** Silence, to half a frame; none where no frame has come. */
  rest(ms: number): void {
    if (this.last === undefined) return;
    const { header, bytes } = this.last;
    const frameMs = (header.samplesPerFrame * 1000) / header.sampleRate;
    const silent = { ...this.last, bytes: silentMp3Frame(bytes) };
    for (this.owedMs += ms; this.owedMs >= frameMs / 2; this.owedMs -= frameMs) this.push(silent, this.rate);
  }

  /** As the decoder does it: no spectrum, but the body still enters the reservoir, where later frames may need it. */
  private muteLost(bytes: Uint8Array, header: Mp3Header): 'muted' | 'whole' {
    const sideInfoAt = sideInfoOffset(header);
    const isLost = mainDataBegin(bytes, header) > this.bodyBytes;
    this.bodyBytes += bytes.length - sideInfoAt - sideInfoBytes(header);
    if (this.bodyBytes >= MAX_RESERVOIR_BYTES) this.bodyBytes = Number.POSITIVE_INFINITY;
    if (!isLost) return 'whole';
    bytes.fill(0, sideInfoAt, sideInfoAt + sideInfoBytes(header));
    if (header.hasCrc) {
      // A checksum would be false. Without it the side information begins two bytes earlier, and so does the body.
      bytes[1]! |= 1;
      bytes.fill(0, HEADER_BYTES, sideInfoAt);
    }
    return 'muted';
  }
}
