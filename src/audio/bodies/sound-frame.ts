// Frames of sound as they wait between a body and the decoder, whatever the body was: MP3 frames, or some 20 ms of plain samples,
// or an Opus packet. Each knows from its header how much sound it is, so that all that counts time needs no decoder.

import type { Mp3Frame } from '../mp3/mp3-frame-parser.ts';
import type { Mp3Header } from '../mp3/mp3-header.ts';

/** How the bytes of a frame are samples. `float32`: −1…1, in the byte order of this machine, made here from other layouts. */
export type SampleCode = 'mulaw' | 'alaw' | 'pcm16' | 'float32' | 'opus';

/** Of a frame that is no MP3; mono. One object for all frames of a body that are alike. */
export type SampleHeader = {
  readonly code: SampleCode;
  /** Hz. */
  readonly sampleRate: number;
  /** What a whole frame of the body holds. */
  readonly samplesPerFrame: number;
  /** What is heard of this one: less in the last frame of a body, and where an encoder's delay is left out. */
  readonly samples: number;
  /** Decoded samples in front of these that are not heard (Opus' pre-skip); 0 for plain samples. */
  readonly skip: number;
};

export type FrameHeader = Mp3Header | SampleHeader;

export type SoundFrame = {
  readonly bytes: Uint8Array;
  readonly header: FrameHeader;
  readonly afterGap?: true;
};

export const isMp3Frame = (frame: SoundFrame): frame is Mp3Frame => frame.header.code === undefined;

/** A copy with bytes of its own, to be kept. */
export const ownFrame = (frame: SoundFrame): SoundFrame => ({ ...frame, bytes: new Uint8Array(frame.bytes) });

/** Samples that a frame is, as time is counted. */
export const samplesOf = (header: FrameHeader): number =>
  header.code === undefined ? header.samplesPerFrame : header.samples;

export const frameMs = (header: FrameHeader): number => (samplesOf(header) * 1000) / header.sampleRate;
