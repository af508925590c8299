import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createOggOpusEncoder } from '../../../src/audio/containers/ogg-opus-encoder.ts';
import type { AudioFrame } from '../../../src/audio/stage.ts';
import { OPUS_SAMPLE_RATES } from '../../../src/speech/audio-format.ts';
import { readOggOpus } from '../../support/ogg-reader.ts';
import { noise, pushInChunks, tone } from '../../support/tone.ts';

const open: { close(): void }[] = [];
afterAll(() => {
  for (const stage of open) stage.close();
});
function encode(sampleRate: number, samples: Float32Array, sizes: readonly number[] = [1000]): AudioFrame[] {
  const frames: AudioFrame[] = [];
  const stage = createOggOpusEncoder(sampleRate, (frame) => frames.push(frame));
  pushInChunks(stage, samples, sizes);
  stage.close();
  return frames;
}
const joined = (frames: readonly AudioFrame[]) => Buffer.concat(frames.map((frame) => frame.bytes));

describe('ogg opus encoder', () => {
  it('makes a stream that lasts exactly as long as the samples, at any length and in any split', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...OPUS_SAMPLE_RATES),
        fc.oneof(
          fc.integer({ min: 1, max: 9000 }),
          fc.constantFrom(160, 320, 480, 960, 1920, 428, 107, 108, 109),
        ),
        fc.array(fc.integer({ min: 1, max: 2500 }), { minLength: 1, maxLength: 4 }),
        (sampleRate, length, sizes) => {
          const frames = encode(sampleRate, noise(length), sizes);
          const facts = readOggOpus(joined(frames));
          expect(facts).toMatchObject({ preSkip: 312, inputRate: sampleRate });
          expect(facts.heard * sampleRate).toBe(length * 48_000);
          expect(frames.reduce((sum, frame) => sum + frame.samples, 0)).toBe(length);
          expect(facts.audioPages).toHaveLength(frames.length);
          // No packet that nobody hears the end of.
          expect((facts.packets.length - 1) * 960).toBeLessThan(facts.heard + 312);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([8001, 11_025, 22_050, 32_000, 44_100, 47_999])(
    'codes sound of %i Hz at the next rate that Opus has, and tells the rate that it was given',
    (sampleRate) => {
      for (const length of [1, 107, 441, 5000, 9001]) {
        const frames = encode(sampleRate, tone(1000, sampleRate, length), [700, 3]);
        const facts = readOggOpus(joined(frames));
        expect(facts).toMatchObject({ preSkip: 312, inputRate: sampleRate });
        expect(Math.abs(facts.heard - (length * 48_000) / sampleRate)).toBeLessThanOrEqual(3);
        expect(frames.reduce((sum, frame) => sum + frame.samples, 0)).toBe(length);
      }
      const samples = noise(5000);
      expect(encode(sampleRate, samples, [1])).toEqual(encode(sampleRate, samples, [5000]));
      // A release in the middle adds silence, and loses nothing.
      const frames: AudioFrame[] = [];
      const stage = createOggOpusEncoder(sampleRate, (frame) => frames.push(frame));
      stage.push(noise(3000));
      stage.release();
      stage.release();
      const released = frames.reduce((sum, frame) => sum + frame.samples, 0);
      expect(released).toBeGreaterThanOrEqual(3000);
      expect(released).toBeLessThan(3000 + sampleRate * 0.04);
      stage.push(noise(3000));
      stage.flush();
      stage.close();
      const all = frames.reduce((sum, frame) => sum + frame.samples, 0);
      // The encoder's own delay is heard behind the release.
      expect(Math.abs(all - released - 3000 - sampleRate * 0.0065)).toBeLessThanOrEqual(3);
      readOggOpus(joined(frames));
    },
  );

  it('does not care how the samples are split', () => {
    const samples = noise(5000);
    const whole = encode(16_000, samples, [5000]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 5 }), (sizes) => {
        expect(encode(16_000, samples, sizes)).toEqual(whole);
      }),
      { numRuns: 8 },
    );
    expect(encode(16_000, samples, [1])).toEqual(whole);
  });

  it('sends the first 20 ms at once, behind the headers, and then 100 ms at a time', () => {
    const frames: AudioFrame[] = [];
    const stage = createOggOpusEncoder(24_000, (frame) => frames.push(frame));
    open.push(stage);
    stage.push(noise(479));
    expect(frames).toEqual([]);
    stage.push(noise(1));
    expect(frames.map((frame) => frame.samples)).toEqual([480 - 156]);
    expect(Buffer.from(frames[0]!.bytes).indexOf('OpusTags')).toBeGreaterThan(0);
    stage.push(noise(2400 - 1));
    expect(frames).toHaveLength(1);
    stage.push(noise(1));
    expect(frames.map((frame) => frame.samples)).toEqual([324, 2400]);
    stage.push(noise(2400 * 3));
    stage.flush();
    expect(readOggOpus(joined(frames)).audioPages.map((page) => page.packets.length)).toEqual([
      1, 5, 5, 5, 5, 1,
    ]);
    expect(frames.map((frame) => frame.samples)).toEqual([324, 2400, 2400, 2400, 2400, 156]);
  });

  it('catches up when asked, and says all that it has been given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(8000, 24_000),
        fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 6 }),
        (sampleRate, lengths) => {
          const packetSamples = sampleRate / 50;
          const lookahead = sampleRate * 0.0065;
          const frames: AudioFrame[] = [];
          const heard = () => frames.reduce((sum, frame) => sum + frame.samples, 0);
          const stage = createOggOpusEncoder(sampleRate, (frame) => frames.push(frame));
          let said = 0;
          for (const [i, length] of lengths.entries()) {
            stage.push(noise(length, i + 1));
            stage.release();
            if (length > 0) said = Math.ceil((said + length + lookahead) / packetSamples) * packetSamples;
            expect(heard()).toBe(Math.max(0, said - lookahead));
          }
          const pages = frames.length;
          stage.release();
          expect(frames).toHaveLength(pages);
          stage.push(noise(77));
          stage.flush();
          stage.close();
          expect(heard()).toBe(said + 77);
          expect(readOggOpus(joined(frames)).heard * sampleRate).toBe((said + 77) * 48_000);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('says nothing for a turn without a sample, and closes at any time, twice if need be', () => {
    expect(encode(48_000, new Float32Array(0))).toEqual([]);
    const stage = createOggOpusEncoder(8000, () => {});
    stage.push(noise(1000));
    stage.close();
    stage.close();
  });

  it('gives the same bytes on every machine and Node', () => {
    const sound = tone(200, 16_000, 16_000, 0.4).map(
      (sample, i) => Math.round(sample * 8000) / 8192 + (i % 7) / 4096,
    );
    const hash = createHash('sha256')
      .update(joined(encode(16_000, sound)))
      .digest('hex');
    expect(hash.slice(0, 16)).toBe('1f30b7aa36cf766b');
  });

  it('hands out frames that nobody writes again', () => {
    const seen: { frame: AudioFrame; copy: Uint8Array }[] = [];
    const stage = createOggOpusEncoder(8000, (frame) => seen.push({ frame, copy: frame.bytes.slice() }));
    open.push(stage);
    for (let i = 1; i < 9; i++) stage.push(noise(500, i));
    stage.flush();
    expect(seen).toHaveLength(6);
    for (const { frame, copy } of seen) expect(frame.bytes).toEqual(copy);
  });
});
