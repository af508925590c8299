import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainReader } from '../../../src/audio/bodies/plain-reader.ts';
import { readBody } from './read-body.ts';

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 37 + (i >> 8)) & 0xff);

describe('plain samples', () => {
  it.each(['mulaw', 'alaw', 's16'] as const)('%s goes on byte for byte, wherever it is cut', (layout) => {
    fc.assert(
      fc.property(fc.nat(5000), fc.array(fc.nat(5000), { maxLength: 12 }), (length, cuts) => {
        const body = bytesOf(layout === 's16' ? 2 * length : length);
        const open = (sink: ConstructorParameters<typeof PlainReader>[1]) =>
          new PlainReader({ layout, sampleRate: 8000, channels: 1 }, sink);
        const read = readBody(open, body, cuts);
        expect(read.bytes.equals(body)).toBe(true);
        expect(read.samples).toBe(length);
        // All frames but the last are whole.
        for (const { header } of read.frames.slice(0, -1)) expect(header).toMatchObject({ samples: 384 });
      }),
    );
  });

  it('a sample that is cut shows it', () => {
    const read = readBody(
      (sink) => new PlainReader({ layout: 's16', sampleRate: 8000, channels: 1 }, sink),
      bytesOf(401),
    );
    expect(read.samples).toBe(200);
    const parser = new PlainReader(
      { layout: 's16', sampleRate: 8000, channels: 1 },
      { onFrame() {}, onTag() {} },
    );
    parser.push(bytesOf(401));
    parser.settle();
    expect(parser.cutFrameBytes()).toBe(1);
    parser.push(bytesOf(1));
    expect(parser.cutFrameBytes()).toBe(0);
  });

  it('goes on within a sample where it was flushed in its middle', () => {
    const frames: Uint8Array[] = [];
    const parser = new PlainReader(
      { layout: 's16', sampleRate: 24_000, channels: 1 },
      { onFrame: ({ bytes }) => void frames.push(Uint8Array.from(bytes)), onTag() {} },
    );
    const body = bytesOf(4000);
    parser.push(body.subarray(0, 101));
    parser.flush();
    expect(parser.cutFrameBytes()).toBe(1);
    parser.push(body.subarray(101));
    parser.flush();
    expect(Buffer.concat(frames).equals(body)).toBe(true);
  });

  it('a frame lasts 24 ms at any rate, and 48 ms where that needs little room', () => {
    for (const sampleRate of [8000, 11_025, 22_050, 24_000, 44_100, 48_000]) {
      const read = readBody(
        (sink) => new PlainReader({ layout: 's16', sampleRate, channels: 1 }, sink),
        bytesOf(20_000),
      );
      expect(read.frames[0]!.header.samplesPerFrame).toBe(
        Math.floor(sampleRate * 0.024) * (sampleRate === 8000 ? 2 : 1),
      );
    }
  });
});
