import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALAW_SILENCE, MULAW_SILENCE } from '../../src/audio/dsp/g711.ts';
import { createEncoder, type EncoderOutput } from '../../src/audio/encoders.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { parseMp3Header, wordAt } from '../../src/audio/mp3/mp3-header.ts';
import type { AudioFrame } from '../../src/audio/stage.ts';
import { keepIn } from '../support/keep-frames.ts';
import { noise, pushInChunks } from '../support/tone.ts';

const mp3 = await loadMp3Encoders();
const FORMATS = ['mulaw', 'alaw', 'raw', 'wav', 'mp3'] as const;
const PHONE: EncoderOutput = { format: 'mulaw', sampleRate: 8000, frameMs: 20 };

function encode(
  output: EncoderOutput,
  samples: Float32Array,
  sizes: readonly number[] = [1000],
): AudioFrame[] {
  const frames: AudioFrame[] = [];
  pushInChunks(createEncoder(output, mp3, keepIn(frames)), samples, sizes);
  return frames;
}
const joined = (frames: readonly AudioFrame[]) => Buffer.concat(frames.map((frame) => frame.bytes));
const shape = (frames: readonly AudioFrame[]) => frames.map(({ bytes, samples }) => [bytes.length, samples]);

describe('encoders', () => {
  it('end headerless formats with whole frames of the codec’s silence', () => {
    for (const [format, silence, width] of [
      ['mulaw', MULAW_SILENCE, 1],
      ['alaw', ALAW_SILENCE, 1],
      ['raw', 0, 2],
    ] as const) {
      const frames = encode({ ...PHONE, format }, new Float32Array(200).fill(0.5));
      expect(shape(frames)).toEqual([
        [160 * width, 160],
        [160 * width, 160],
      ]);
      const tail = frames[1]!.bytes.subarray(40 * width);
      expect(new Set(tail)).toEqual(new Set([silence]));
      expect(frames[1]!.bytes.subarray(0, 40 * width)).not.toContain(silence === 0 ? 0xff : silence);
    }
  });

  it('write raw as little-endian 16 bit', () => {
    const [frame] = encode({ ...PHONE, format: 'raw' }, Float32Array.of(0.25, -0.25));
    expect([...frame!.bytes.subarray(0, 4)]).toEqual([0x00, 0x20, 0x00, 0xe0]);
  });

  it('put the wav header in front of the first frame and leave the last one short', () => {
    const frames = encode({ format: 'wav', sampleRate: 24_000, frameMs: 20 }, noise(1000));
    expect(shape(frames)).toEqual([
      [44 + 960, 480],
      [960, 480],
      [80, 40],
    ]);
    const file = joined(frames);
    expect(file.toString('latin1', 0, 4)).toBe('RIFF');
    expect([file.readUInt32LE(4), file.readUInt32LE(24), file.readUInt32LE(40)]).toEqual([
      0xffffffff, 24_000, 0xffffffff,
    ]);
    expect(file.readInt16LE(44)).toBe(Math.floor(noise(1)[0]! * 32_768 + 0.5));
  });

  it('write mp3 as whole frames of its own length', () => {
    for (const sampleRate of [24_000, 44_100]) {
      const frames = encode({ format: 'mp3', sampleRate, frameMs: 20 }, noise(sampleRate / 2));
      expect(frames.length).toBeGreaterThan(15);
      for (const { bytes, samples } of frames)
        expect(parseMp3Header(wordAt(bytes, 0))).toMatchObject({
          sampleRate,
          frameBytes: bytes.length,
          samplesPerFrame: samples,
        });
    }
  });

  it('say nothing for a turn without a sample, but a wav file is a wav file', () => {
    for (const format of FORMATS) {
      const frames = encode({ format, sampleRate: 24_000, frameMs: 20 }, new Float32Array(0));
      expect(shape(frames), format).toEqual(format === 'wav' ? [[44, 0]] : []);
    }
    const frames: AudioFrame[] = [];
    const stage = createEncoder({ ...PHONE, format: 'mp3' }, mp3, keepIn(frames));
    stage.push(new Float32Array(0));
    stage.flush();
    expect(frames).toEqual([]);
  });

  it('do not care how the samples are split', () => {
    const samples = noise(3000);
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.constantFrom(8000, 11_025, 44_100),
        fc.integer({ min: 10, max: 100 }),
        fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 6 }),
        (format, sampleRate, frameMs, sizes) => {
          const output = { format, sampleRate, frameMs };
          expect(encode(output, samples, sizes)).toEqual(encode(output, samples, [samples.length]));
        },
      ),
      { numRuns: 40 },
    );
  });
});
