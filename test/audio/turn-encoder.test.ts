import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AudioFrame } from '../../src/audio/stage.ts';
import { type FrameRule, Framer } from '../../src/audio/turn-encoder.ts';
import { keepIn } from '../support/keep-frames.ts';

const RULE: FrameRule = { sampleRate: 8000, frameMs: 20, bytesPerSample: 1, padByte: 0xff };

function cut(rule: FrameRule, chunks: readonly Uint8Array[]): AudioFrame[] {
  const frames: AudioFrame[] = [];
  const framer = new Framer(rule, keepIn(frames));
  for (const chunk of chunks) framer.push(chunk);
  framer.flush();
  return frames;
}
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251);
const joined = (frames: readonly AudioFrame[]) => frames.flatMap((frame) => [...frame.bytes]);
const shape = (frames: readonly AudioFrame[]) =>
  frames.map(({ bytes, samples }) => [samples, Buffer.from(bytes).toString('latin1')]);
const lengths = (rule: FrameRule, bytes: number) =>
  cut(rule, [counting(bytes)]).map((frame) => frame.bytes.length);

describe('framer', () => {
  it('cuts whole frames and pads the last one with silence', () => {
    const frames = cut(RULE, [counting(330)]);
    expect(frames.map((frame) => [frame.bytes.length, frame.samples])).toEqual([
      [160, 160],
      [160, 160],
      [160, 160],
    ]);
    expect(joined(frames)).toEqual([...counting(330), ...new Array<number>(150).fill(0xff)]);
  });

  it('leaves the last frame short without a pad byte', () => {
    const frames = cut({ sampleRate: 8000, frameMs: 20, bytesPerSample: 2 }, [counting(330)]);
    expect(frames.map((frame) => [frame.bytes.length, frame.samples])).toEqual([
      [320, 160],
      [10, 5],
    ]);
  });

  it('has no frame for no byte, and none too many at a boundary', () => {
    expect(cut(RULE, [])).toEqual([]);
    expect(cut(RULE, [new Uint8Array(0)])).toEqual([]);
    expect(lengths(RULE, 320)).toEqual([160, 160]);
  });

  it('alternates lengths when a frame is no whole number of samples', () => {
    // 220.5 samples: 220, 221, 220, 221 …
    const half = { ...RULE, sampleRate: 11_025 };
    expect(lengths(half, 882)).toEqual([220, 221, 220, 221]);
    // 661.5 samples of two bytes.
    const odd = { ...RULE, sampleRate: 44_100, frameMs: 15, bytesPerSample: 2 };
    expect(lengths(odd, 2646 * 2)).toEqual([1322, 1324, 1322, 1324]);
    // The last one is padded to its own length, not to the first one's.
    expect(lengths(half, 221)).toEqual([220, 221]);
  });

  it('does not drift in ten minutes', () => {
    let samples = 0;
    let frames = 0;
    const framer = new Framer({ ...RULE, sampleRate: 22_050, frameMs: 13 }, (frame) => {
      samples += frame.samples;
      frames++;
    });
    const second = new Uint8Array(22_050);
    for (let i = 0; i < 600; i++) framer.push(second);
    expect(samples).toBe(Math.floor((frames * 22_050 * 13) / 1000));
    expect(frames).toBe(Math.floor(600_000 / 13));
  });

  it('does not care how the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 20 }),
        fc.constantFrom(8000, 11_025, 22_050, 44_100),
        fc.integer({ min: 10, max: 100 }),
        fc.constantFrom(1, 2),
        (sizes, sampleRate, frameMs, bytesPerSample) => {
          const rule = { sampleRate, frameMs, bytesPerSample, padByte: 7 };
          const ends = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size));
          const all = counting(ends.at(-1) ?? 0);
          const chunks = ends.map((end, i) => all.subarray(end - sizes[i]!, end));
          expect(shape(cut(rule, chunks))).toEqual(shape(cut(rule, [all])));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('copies what it is given', () => {
    const frames: AudioFrame[] = [];
    const framer = new Framer(RULE, keepIn(frames));
    const input = new Uint8Array(240).fill(1);
    framer.push(input);
    input.fill(2);
    framer.push(input);
    framer.push(input.fill(3));
    expect(joined(frames)).toEqual([
      ...new Array<number>(240).fill(1),
      ...new Array<number>(240).fill(2),
      ...new Array<number>(160).fill(3),
    ]);
  });

  it('keeps what has come behind a frame that could not be taken', () => {
    const frames: AudioFrame[] = [];
    const keep = keepIn(frames);
    let isBroken = true;
    const framer = new Framer(RULE, (frame) => {
      if (isBroken) throw new Error('not now');
      keep(frame);
    });
    expect(() => framer.push(counting(200))).toThrow('not now');
    isBroken = false;
    framer.push(counting(320).subarray(200));
    expect(joined(frames)).toEqual([...counting(320).subarray(160)]);
  });

  it('has nothing more to say after its end', () => {
    const frames: AudioFrame[] = [];
    const framer = new Framer(RULE, keepIn(frames));
    framer.push(counting(100));
    framer.flush();
    framer.flush();
    expect(frames).toHaveLength(1);
  });
});
