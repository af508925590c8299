// MP3 that costs a decoder what speech costs it, made on the spot so that a bench needs no file: syllables of a
// gliding voice with a little hiss, through our own encoder. Same seed, same bytes.

import type { Mp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { createSeededRandom } from './seeded-random.ts';

export type VoiceLikeMp3 = {
  readonly frames: readonly Uint8Array[];
  readonly frameMs: number;
};

export type SourceRate = { readonly sampleRate: number; readonly bitrateKbps: number };

/** What speech services send: the default of the service interface, and two usual ones beside it. */
export const SOURCE_RATES = [
  { sampleRate: 24_000, bitrateKbps: 64 },
  { sampleRate: 44_100, bitrateKbps: 128 },
  { sampleRate: 48_000, bitrateKbps: 96 },
] as const satisfies readonly SourceRate[];

const SYLLABLES_PER_SECOND = 4;
const HARMONICS = 14;
const BLOCK = 1152;

function voiceLikeSamples(sampleRate: number, seconds: number, seed: number): Float32Array {
  const random = createSeededRandom(seed);
  const samples = new Float32Array(Math.round(sampleRate * seconds));
  const length = Math.floor(sampleRate / SYLLABLES_PER_SECOND);
  let phase = 0;
  for (let start = 0; start < samples.length; start += length) {
    const fromHz = random.between(95, 190);
    const toHz = fromHz * random.between(0.8, 1.25);
    const loudness = random.between(0.25, 0.6);
    const hiss = random.between(0, 0.05);
    for (let i = 0; i < length && start + i < samples.length; i++) {
      const along = i / length;
      phase += (2 * Math.PI * (fromHz + (toHz - fromHz) * along)) / sampleRate;
      let voice = 0;
      for (let harmonic = 1; harmonic <= HARMONICS; harmonic++)
        voice += Math.sin(harmonic * phase) / harmonic;
      const envelope = Math.sin(Math.PI * along) ** 2;
      samples[start + i] = envelope * (loudness * 0.5 * voice + hiss * (2 * random.share() - 1));
    }
  }
  return samples;
}

/** Constant bit rate, no tag: what a live service sends. */
export function makeVoiceLikeMp3(
  encoders: Mp3Encoders,
  { sampleRate, bitrateKbps }: SourceRate,
  seconds: number,
  seed: number,
): VoiceLikeMp3 {
  const encoder = encoders.open({ sampleRate, bitrateKbps });
  const frames: Uint8Array[] = [];
  let frameMs = 0;
  const parser = new Mp3FrameParser({
    onFrame({ bytes, header }) {
      frames.push(bytes.slice());
      frameMs = (header.samplesPerFrame * 1000) / header.sampleRate;
    },
    onTag() {},
  });
  const samples = voiceLikeSamples(sampleRate, seconds, seed);
  for (let at = 0; at < samples.length; at += BLOCK)
    parser.push(encoder.encode(samples.subarray(at, at + BLOCK)));
  parser.push(encoder.finish());
  parser.flush();
  return { frames, frameMs };
}
