import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFlacEncoder } from '../../../src/audio/containers/flac-encoder.ts';
import { encodePcm16 } from '../../../src/audio/dsp/pcm16.ts';
import type { AudioFrame } from '../../../src/audio/stage.ts';
import { readFlac } from '../../support/flac-reader.ts';
import { noise, pushInChunks, tone } from '../../support/tone.ts';

function encode(sampleRate: number, samples: Float32Array, sizes: readonly number[] = [1000]): AudioFrame[] {
  const frames: AudioFrame[] = [];
  pushInChunks(
    createFlacEncoder(sampleRate, (frame) => frames.push(frame)),
    samples,
    sizes,
  );
  return frames;
}
const joined = (frames: readonly AudioFrame[]) => Buffer.concat(frames.map((frame) => frame.bytes));
/** The 16-bit values that raw and wav would carry. */
function pcm16(samples: Float32Array): Int16Array {
  const bytes = new Uint8Array(2 * samples.length);
  encodePcm16(samples, bytes);
  return new Int16Array(bytes.buffer);
}
const subframes = (sampleRate: number, samples: Float32Array) =>
  readFlac(joined(encode(sampleRate, samples))).blocks.map((block) => block.subframe);

/** Sound of every temper: silence, steps, full scale, slow and fast waves, noise, what is no number. */
const anySound = fc
  .array(
    fc.oneof(
      fc.record({
        kind: fc.constant('flat'),
        length: fc.integer({ min: 1, max: 700 }),
        level: fc.float({ min: -1, max: 1, noNaN: true }),
      }),
      fc.record({
        kind: fc.constant('noise'),
        length: fc.integer({ min: 1, max: 700 }),
        level: fc.constantFrom(1e-5, 1e-3, 0.1, 1, 4),
      }),
      fc.record({
        kind: fc.constant('wave'),
        length: fc.integer({ min: 1, max: 700 }),
        level: fc.constantFrom(0.001, 0.3, 1),
      }),
      fc.record({
        kind: fc.constant('square'),
        length: fc.integer({ min: 1, max: 700 }),
        level: fc.constantFrom(1, 2, Number.NaN),
      }),
    ),
    { maxLength: 6 },
  )
  .map((parts) =>
    Float32Array.from(
      parts.flatMap(({ kind, length, level }, part) => {
        if (kind === 'noise') return [...noise(length, part + 1)].map((sample) => sample * level);
        if (kind === 'wave') return [...tone(300 * (part + 1), 16_000, length, level)];
        return Array.from({ length }, (_, i) => (kind === 'square' && i % 2 === 1 ? -level : level));
      }),
    ),
  );

describe('flac encoder', () => {
  it('loses nothing of any sound, at any rate, in any split', () => {
    fc.assert(
      fc.property(
        anySound,
        fc.oneof(fc.constantFrom(8000, 22_050, 44_100, 48_000), fc.integer({ min: 8000, max: 48_000 })),
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
        (samples, sampleRate, sizes) => {
          const frames = encode(sampleRate, samples, sizes);
          expect(frames).toEqual(encode(sampleRate, samples, [Math.max(1, samples.length)]));
          expect(frames.reduce((sum, frame) => sum + frame.samples, 0)).toBe(samples.length);
          if (samples.length === 0) return;
          const stream = readFlac(joined(frames));
          expect(stream).toMatchObject({ sampleRate, totalSamples: 0 });
          expect(stream.samples).toEqual(pcm16(samples));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('puts one block of 20 ms into a frame, the stream’s header before the first', () => {
    for (const [sampleRate, blockLength] of [
      [8000, 160],
      [11_025, 220],
      [44_100, 882],
      [47_999, 959],
      [48_000, 960],
    ] as const) {
      const frames = encode(sampleRate, noise(3 * blockLength + 7));
      expect(frames.map((frame) => frame.samples)).toEqual([blockLength, blockLength, blockLength, 7]);
      const { blocks, ...stream } = readFlac(joined(frames));
      expect(stream).toMatchObject({ blockLength, sampleRate });
      expect(blocks.map((block) => block.start)).toEqual(
        frames.map((_, i) => (i === 0 ? 42 : joined(frames.slice(0, i)).length)),
      );
    }
  });

  it('chooses what is shortest', () => {
    expect(subframes(8000, new Float32Array(160))).toEqual(['constant']);
    expect(subframes(8000, noise(160))).toEqual(['verbatim']);
    expect(
      subframes(
        8000,
        noise(160).map((sample) => sample / 100),
      ),
    ).toEqual(['fixed 0']);
    const ramp = Float32Array.from({ length: 160 }, (_, i) => (i * 50) / 32_768);
    expect(subframes(8000, ramp)).toEqual(['fixed 1'].map(() => expect.stringMatching(/fixed [12]/)));
    expect(subframes(48_000, tone(100, 48_000, 960, 0.9))).toEqual([expect.stringMatching(/fixed [34]/)]);
  });

  it('is never longer than the samples and 20 bytes, and half as long for what is quiet', () => {
    for (const sound of [noise(1600), noise(1600).map((sample) => Math.sign(sample))])
      for (const { bytes, samples } of encode(8000, sound).slice(1))
        expect(bytes.length).toBeLessThanOrEqual(2 * samples + 20);
    const quiet = noise(16_000).map((sample) => sample / 300);
    expect(joined(encode(16_000, quiet)).length).toBeLessThan(16_000 * 1.12);
  });

  it('counts blocks beyond what one, two and three bytes of a number hold', () => {
    const stream = readFlac(joined(encode(8000, new Float32Array(2100 * 160))));
    expect(stream.blocks).toHaveLength(2100);
    expect(stream.samples).toHaveLength(2100 * 160);
  });

  it('fills a block up with silence when it is to catch up, and goes on', () => {
    const frames: AudioFrame[] = [];
    const stage = createFlacEncoder(8000, (frame) => frames.push(frame));
    stage.release();
    stage.push(noise(200));
    stage.release();
    stage.release();
    expect(frames.map((frame) => frame.samples)).toEqual([160, 160]);
    stage.push(noise(10));
    stage.flush();
    expect(readFlac(joined(frames)).samples).toEqual(
      pcm16(Float32Array.of(...noise(200), ...new Float32Array(120), ...noise(10))),
    );
  });

  it('hands out frames that nobody writes again', () => {
    const seen: { frame: AudioFrame; copy: Uint8Array }[] = [];
    const stage = createFlacEncoder(16_000, (frame) => seen.push({ frame, copy: frame.bytes.slice() }));
    for (let i = 1; i < 9; i++) stage.push(noise(500, i));
    stage.flush();
    expect(seen).toHaveLength(13);
    for (const { frame, copy } of seen) expect(frame.bytes).toEqual(copy);
  });
});
