// What a turn's sound is read in strides for, and what it is not: a bridge may hold more than the turn's own decoder leaves.
import { describe, expect, it } from 'vitest';
import type { SoundFrame } from '../../src/audio/bodies/sound-frame.ts';
import type { Crossfade } from '../../src/audio/dsp/crossfade.ts';
import { MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { heardHzOf, Transcoder, type TranscoderItem } from '../../src/audio/transcoder.ts';
import { codecs } from '../support/codecs.ts';
import { decibels, tone } from '../support/tone.ts';

const PHONE = { format: 'raw', sampleRate: 8000, frameMs: 20 } as const;

/** Samples of what comes out for a bridge of half a second, −1…1, without its edges. */
async function crossed(bridge: Pick<Crossfade, 'samples' | 'sampleRate' | 'heardHz'>): Promise<Float32Array> {
  const parts: Uint8Array[] = [];
  const transcoder = new Transcoder(PHONE, codecs, (frame) => parts.push(frame.bytes.slice()));
  transcoder.push({ kind: 'begin' });
  transcoder.push({ kind: 'bridge', bridge: { ...bridge, frames: [], next: undefined } });
  transcoder.push({ kind: 'end' });
  transcoder.push({ kind: 'finish' });
  await transcoder.settled();
  const bytes = Buffer.concat(parts);
  const samples = Float32Array.from(
    { length: bytes.length / 2 },
    (_, i) => bytes.readInt16LE(2 * i) / 32_768,
  );
  return samples.slice(200, 3800);
}
const loudest = (samples: Float32Array): number => decibels(Math.max(...samples.map(Math.abs)));

describe('a bridge in a telephone turn', () => {
  it.each([24_000, 44_100, 48_000])('of %i Hz folds nothing back, whatever is in it', async (sampleRate) => {
    for (const hz of [5000, 7000, 9000, 11_000]) {
      const samples = tone(hz, sampleRate, sampleRate / 2, 0.5);
      expect(loudest(await crossed({ samples, sampleRate, heardHz: undefined }))).toBeLessThan(-70);
      // Decoded for a listener who hears more.
      expect(loudest(await crossed({ samples, sampleRate, heardHz: 9000 }))).toBeLessThan(-70);
    }
  });

  it.each([24_000, 44_100, 48_000])(
    'of %i Hz is the same sound when fewer samples are read',
    async (sampleRate) => {
      const samples = tone(1000, sampleRate, sampleRate / 2, 0.5);
      const whole = await crossed({ samples, sampleRate, heardHz: undefined });
      const thinned = await crossed({ samples, sampleRate, heardHz: heardHzOf(PHONE) });
      expect(loudest(whole)).toBeGreaterThan(-7);
      expect(loudest(whole.map((sample, i) => sample - thinned[i]!))).toBeLessThan(-80);
    },
  );
});

describe('a gain', () => {
  const mulaw = (samples: number): SoundFrame => ({
    bytes: Uint8Array.from({ length: samples }, (_, i) => 0x40 + (i % 32)),
    header: { code: 'mulaw', sampleRate: 8000, samplesPerFrame: samples, samples, skip: 0 },
  });
  const made = (items: readonly TranscoderItem[]): Uint8Array => {
    const parts: Uint8Array[] = [];
    const output = { format: 'mulaw', sampleRate: 8000, frameMs: 20 } as const;
    const transcoder = new Transcoder(output, codecs, (frame) => parts.push(frame.bytes.slice()));
    for (const item of items) transcoder.push(item);
    return Buffer.concat(parts);
  };
  const frame = { kind: 'frame', frame: mulaw(160) } as const;

  it('is over with the stream that it is for, and what passes undecoded stays as it is before and behind', () => {
    const bytes = made([
      { kind: 'begin' },
      frame,
      { kind: 'end' },
      { kind: 'begin' },
      { kind: 'gain', db: -6.02 },
      frame,
      { kind: 'end' },
      { kind: 'begin' },
      frame,
      { kind: 'finish' },
    ]);
    const { bytes: own } = mulaw(160);
    expect(Buffer.compare(bytes.subarray(0, 160), own)).toBe(0);
    expect(Buffer.compare(bytes.subarray(320, 480), own)).toBe(0);
    for (const [i, byte] of own.entries()) {
      const [before, now] = [MULAW_VALUES[byte]!, MULAW_VALUES[bytes[160 + i]!]!];
      expect(Math.abs(now / before - 0.5)).toBeLessThan(0.04);
    }
  });
});
