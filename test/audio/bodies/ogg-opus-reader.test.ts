import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OggOpusReader, opusPacketSamples } from '../../../src/audio/bodies/ogg-opus-reader.ts';
import { createOggOpusWriter } from '../../../src/audio/containers/ogg-opus-writer.ts';
import { AppError } from '../../../src/base/app-error.ts';
import { readBody } from './read-body.ts';

/** Packets of 20 ms of the transform coder; what is in them is not read. */
const packet = (i: number) =>
  Uint8Array.from({ length: 60 + ((i * 31) % 200) }, (_, at) => (at === 0 ? 0xf8 : (i + at) & 0xff));
const PACKETS = Array.from({ length: 23 }, (_, i) => packet(i));

function oggOf(packets: readonly Uint8Array[], samples: number): Buffer {
  const pages: Uint8Array[] = [];
  const writer = createOggOpusWriter({ sampleRate: 48_000, preSkip: 312 }, ({ bytes }) => pages.push(bytes));
  for (const bytes of packets.slice(0, -1)) writer.packet(bytes);
  writer.lastPacket(packets.at(-1)!, samples);
  return Buffer.concat(pages);
}
const SAMPLES = 22 * 960 + 100;
const BODY = oggOf(PACKETS, SAMPLES);
const read = (body: Uint8Array, cuts: readonly number[] = []) =>
  readBody((sink) => new OggOpusReader(sink), body, cuts);

describe('an Ogg Opus body', () => {
  it('gives its packets, and where its sound begins and ends in them', () => {
    const { frames, samples, parser } = read(BODY);
    expect(frames.map(({ bytes }) => [...bytes])).toEqual(PACKETS.map((bytes) => [...bytes]));
    expect(samples).toBe(SAMPLES);
    expect(frames[0]!.header).toEqual({
      code: 'opus',
      sampleRate: 48_000,
      samplesPerFrame: 960,
      samples: 648,
      skip: 312,
    });
    expect(frames[1]!.header).toEqual({
      code: 'opus',
      sampleRate: 48_000,
      samplesPerFrame: 960,
      samples: 960,
      skip: 0,
    });
    expect([parser.cutFrameBytes(), parser.junkBytes()]).toEqual([0, 0]);
  });
  it('is the same wherever it is cut', () => {
    const whole = read(BODY);
    fc.assert(
      fc.property(fc.array(fc.nat(BODY.length), { maxLength: 30 }), (cuts) => {
        const cut = read(BODY, cuts);
        expect(cut.bytes.equals(whole.bytes)).toBe(true);
        expect(cut.frames.map(({ header }) => header)).toEqual(whole.frames.map(({ header }) => header));
      }),
      { numRuns: 40 },
    );
  });
  it('shows that it was cut, in a page and between two', () => {
    expect(read(BODY.subarray(0, -1)).parser.cutFrameBytes()).toBeGreaterThan(1);
    const last = BODY.lastIndexOf('OggS');
    expect(read(BODY.subarray(0, last)).parser.cutFrameBytes()).toBe(1);
  });
  it('that is damaged goes on behind the damage', () => {
    const second = BODY.indexOf('OggS', BODY.length / 2);
    const damaged = Buffer.from(BODY);
    damaged[second + 40]! ^= 0xff;
    const { frames, parser } = read(damaged, [second + 3, second + 50]);
    expect(frames.length).toBeLessThan(PACKETS.length);
    expect(frames.length).toBeGreaterThan(PACKETS.length - 7);
    expect(frames.filter(({ afterGap }) => afterGap)).toHaveLength(1);
    expect(parser.junkBytes()).toBeGreaterThan(40);
  });
  it('of joined streams is all of them', () => {
    const { frames, samples } = read(Buffer.concat([BODY, oggOf(PACKETS, SAMPLES)]));
    expect([frames.length, samples]).toEqual([2 * PACKETS.length, 2 * SAMPLES]);
  });
  it('with packets of 60 ms is read at 24 kHz', () => {
    const long = Array.from({ length: 4 }, () => Uint8Array.from([0x18, 1, 2, 3]));
    expect(opusPacketSamples(long[0]!)).toBe(2880);
    const { frames } = read(oggOf(long, 4 * 960 - 312));
    expect(frames[1]!.header).toMatchObject({ sampleRate: 24_000, samplesPerFrame: 1440 });
  });
  it('of another codec, or of more channels, is refused by its name', () => {
    const named = (bytes: Uint8Array) => {
      try {
        read(bytes);
        return 'read';
      } catch (error) {
        return error instanceof AppError ? `${error.code}: ${error.message}` : error;
      }
    };
    // The checksum of a changed page would be wrong: vorbis has a page of its own here.
    expect(named(Buffer.from(VORBIS, 'base64'))).toContain(
      'upstream_bad_audio: The speech service answered with Ogg audio that is not Opus',
    );
  });
  it('never fails but by a refusal, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(BODY.length), (noise, at) => {
        const body = Buffer.from(BODY);
        body.set(noise.subarray(0, body.length - at), at);
        try {
          read(body);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The first page of a Vorbis stream, its checksum right. */
const VORBIS = (() => {
  const page = Buffer.concat([
    Buffer.from('OggS'),
    Buffer.from([0, 2]),
    Buffer.alloc(8),
    Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.alloc(4),
    Buffer.from([1, 30, 1]),
    Buffer.from('vorbis'),
    Buffer.alloc(23),
  ]);
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80000000 ? 0x04c11db7 : 0)) >>> 0;
  }
  page.writeUInt32LE(crc >>> 0, 22);
  return page.toString('base64');
})();
