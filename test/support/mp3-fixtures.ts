// The MP3 fixtures with what is known about each, and the shortest ways from their bytes to frames and to samples.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mp3Decoder, Mp3Decoders } from '../../src/audio/mp3/mp3-decoder.ts';
import { type Mp3Frame, Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import type { Mp3StreamTag } from '../../src/audio/mp3/mp3-stream-tag.ts';
import { Mp3ToPcm } from '../../src/audio/mp3/mp3-to-pcm.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/audio');

export type Mp3Reference = {
  /** Samples that went into the encoder; absent where the file is not one whole stream. */
  sourceSamples?: number;
  frames: number;
  tag?: Mp3StreamTag;
  junkBytes: number;
  gaps: number;
  /** Samples decoded, by runs of one rate. */
  runs: { sampleRate: number; samples: number }[];
  /** Of the samples × 32767, rounded, as 16-bit little-endian. */
  sha256: string;
};

export const mp3Fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(join(FOLDER, name)));
export const mp3References = JSON.parse(readFileSync(join(FOLDER, 'references.json'), 'utf8')) as Record<
  string,
  Mp3Reference
>;

/** Cuts `bytes` into chunks whose lengths repeat the pattern. */
export function chunksOf(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Math.max(1, lengths[chunks.length % lengths.length] ?? bytes.length);
    chunks.push(bytes.slice(at, at + length));
    at += length;
  }
  return chunks;
}

export function parseMp3(chunks: readonly Uint8Array[]) {
  const frames: Mp3Frame[] = [];
  const tags: Mp3StreamTag[] = [];
  const parser = new Mp3FrameParser({
    onFrame: (frame) => frames.push(frame),
    onTag: (tag) => tags.push(tag),
  });
  for (const chunk of chunks) parser.push(chunk);
  parser.flush();
  return { frames, tags, junkBytes: parser.junkBytes() };
}

export const framesOf = (name: string): Mp3Frame[] => parseMp3([mp3Fixture(name)]).frames;

/** A copy of what one frame gives, empty when that is nothing. */
export const decodeFrame = (decoder: Mp3Decoder, bytes: Uint8Array): Float32Array => {
  let copy = new Float32Array(0);
  decoder.decode(bytes, (samples) => {
    copy = samples.slice();
  });
  return copy;
};

export const peakOf = (samples: Float32Array): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

/** One stream after another through one turn's decoder. */
export function decodeMp3(decoders: Mp3Decoders, streams: readonly Uint8Array[], chunkBytes = 1000) {
  const pcm: number[] = [];
  const runs: { sampleRate: number; samples: number }[] = [];
  const hash = createHash('sha256');
  const toPcm = new Mp3ToPcm(decoders, ({ samples, sampleRate }) => {
    if (runs.at(-1)?.sampleRate !== sampleRate) runs.push({ sampleRate, samples: 0 });
    runs.at(-1)!.samples += samples.length;
    for (const sample of samples) pcm.push(sample);
    hash.update(Int16Array.from(samples, (sample) => Math.round(sample * 32767)));
  });
  for (const bytes of streams) {
    toPcm.beginStream();
    const parser = new Mp3FrameParser({
      onFrame: (frame) => toPcm.push(frame),
      onTag: (tag) => toPcm.tag(tag),
    });
    for (const chunk of chunksOf(bytes, [chunkBytes])) parser.push(chunk);
    parser.flush();
    toPcm.endStream();
  }
  const [emittedMs, emittedSamples] = [toPcm.emittedMs(), toPcm.emittedSamples()];
  toPcm.close();
  return { pcm, runs, emittedMs, emittedSamples, sha256: hash.digest('hex') };
}
