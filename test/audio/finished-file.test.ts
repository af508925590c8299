// Whole files, read by our own decoders and by readers written from the specifications.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { encodePcm16 } from '../../src/audio/dsp/pcm16.ts';
import { type FileRule, openFinishedFile } from '../../src/audio/finished-file.ts';
import { loadMp3Encoders } from '../../src/audio/mp3/mp3-encoder.ts';
import { fileTagBytes } from '../../src/audio/mp3/mp3-file-tag.ts';
import { codecs } from '../support/codecs.ts';
import { readFlac } from '../support/flac-reader.ts';
import { decodeMp3, parseMp3 } from '../support/mp3-fixtures.ts';
import { readOggPages } from '../support/ogg-reader.ts';
import { levelDb, tone } from '../support/tone.ts';

const mp3 = await loadMp3Encoders();
const TAGS = { title: 'Größe 😀', artist: 'Ännchen' };

/** The file as it lies on the disk in the end. */
function finished(
  rule: Partial<FileRule> & Pick<FileRule, 'format'>,
  samples: Float32Array,
  size = 999,
): Buffer {
  const parts: Buffer[] = [];
  const whole = { sampleRate: 24_000, bitrateKbps: undefined, tags: TAGS, samples: samples.length, ...rule };
  const file = openFinishedFile(whole, mp3, (bytes) => parts.push(Buffer.from(bytes)));
  for (let at = 0; at < samples.length; at += size) file.push(samples.subarray(at, at + size));
  const head = file.end();
  file.close();
  const bytes = Buffer.concat(parts);
  expect(bytes.length).toBeGreaterThanOrEqual(head.length);
  bytes.set(head);
  return bytes;
}

const pcm16 = (samples: Float32Array): Buffer => {
  const bytes = Buffer.alloc(2 * samples.length);
  encodePcm16(samples, bytes);
  return bytes;
};
const seconds = (count: number, sampleRate = 24_000) => tone(440, sampleRate, count * sampleRate, 0.5);
const afterName = (bytes: Buffer, name: string) => bytes.indexOf(name) + name.length;

describe('finished file', () => {
  it.each([
    [8000, 32],
    [22_050, 48],
    [24_000, 64],
    [44_100, 128],
    [48_000, 32],
  ])('mp3 at %i Hz and %i kbit/s has exactly its samples, at their level', (sampleRate, bitrateKbps) => {
    const samples = tone(440, sampleRate, sampleRate + 123, 0.5);
    const bytes = finished({ format: 'mp3', sampleRate, bitrateKbps }, samples);
    const { frames, tags, junkBytes } = parseMp3([bytes]);
    expect(junkBytes).toBe(0);
    expect(frames.every(({ header }) => header.bitrateKbps === bitrateKbps)).toBe(true);
    expect(tags).toEqual([
      {
        totalFrames: frames.length,
        totalBytes: frames.reduce((sum, frame) => sum + frame.bytes.length, 0),
        encoderDelay: 576,
        padding: frames.length * frames[0]!.header.samplesPerFrame - 576 - samples.length,
      },
    ]);
    const { pcm } = decodeMp3(codecs.decoders, [bytes]);
    expect(pcm).toHaveLength(samples.length);
    const middle = (all: Float32Array) => levelDb(all.slice(sampleRate / 4, sampleRate / 2));
    expect(middle(Float32Array.from(pcm)) - middle(samples)).toBeCloseTo(0, 1);
    const tagBytes = fileTagBytes(bytes, 0) as number;
    expect(bytes.subarray(0, tagBytes).includes(TAGS.title)).toBe(true);
    const counted = bytes.readUInt32BE(afterName(bytes, 'Info') + 8);
    expect(counted).toBe(bytes.length - tagBytes);
  });

  it('wav has sizes that add up, its tags in front of the sound, and the sound', () => {
    const samples = seconds(1);
    const bytes = finished({ format: 'wav' }, samples);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.toString('latin1', 36, 40)).toBe('LIST');
    const data = 44 + bytes.readUInt32LE(40);
    expect(bytes.toString('latin1', data, data + 4)).toBe('data');
    expect(bytes.readUInt32LE(data + 4)).toBe(2 * samples.length);
    expect(bytes.subarray(data + 8)).toEqual(pcm16(samples));
    const title = afterName(bytes, 'INAM');
    expect(bytes.toString('utf8', title + 4, title + 4 + bytes.readUInt32LE(title))).toBe(`${TAGS.title}\0`);
  });

  it('wav without anything to say is the plain header and the sound', () => {
    const bytes = finished({ format: 'wav', tags: { title: '', artist: undefined } }, new Float32Array(10));
    expect(bytes).toHaveLength(44 + 20);
  });

  it('flac has the samples, their number and their sum, and its tags', () => {
    const samples = Float32Array.from([...seconds(1), ...new Float32Array(9000), ...seconds(0.5)]);
    const bytes = finished({ format: 'flac' }, samples);
    expect(bytes.readUInt32BE(4)).toBe(0x00000022);
    expect(bytes.readUInt16BE(8)).toBe(4096);
    expect(bytes.readUIntBE(21, 5) & 0xfffffffff).toBe(samples.length & 0xfffffffff);
    expect(bytes.subarray(26, 42)).toEqual(createHash('md5').update(pcm16(samples)).digest());
    expect(bytes[42]).toBe(0x84);
    const frames = 46 + bytes.readUIntBE(43, 3);
    expect(bytes.subarray(46, frames).includes(`TITLE=${TAGS.title}`)).toBe(true);
    expect(bytes.subarray(46, frames).includes(`ARTIST=${TAGS.artist}`)).toBe(true);

    // Our reader knows streams only: the same sound behind a header without totals.
    const info = Buffer.from(bytes.subarray(0, 42));
    info[4] = 0x80;
    info.fill(0, 12, 18);
    info.fill(0, 22, 42);
    const { samples: read, blocks } = readFlac(Buffer.concat([info, bytes.subarray(frames)]));
    expect(Buffer.from(read.buffer)).toEqual(pcm16(samples));
    const lengths = blocks.map(({ start, end }) => end - start);
    expect([bytes.readUIntBE(12, 3), bytes.readUIntBE(15, 3)]).toEqual([
      Math.min(...lengths),
      Math.max(...lengths),
    ]);
  });

  it('ogg has its tags, few pages, and ends with its last sample', () => {
    const samples = seconds(3.3);
    const pages = readOggPages(finished({ format: 'ogg', bitrateKbps: 64 }, samples));
    const tags = Buffer.from(pages[1]!.packets[0]!);
    expect(tags.toString('latin1', 0, 8)).toBe('OpusTags');
    expect(tags.includes(`TITLE=${TAGS.title}`)).toBe(true);
    expect(tags.readUInt32LE(12 + tags.readUInt32LE(8))).toBe(2);
    expect(pages.at(-1)!.granulePosition - 312).toBe(2 * samples.length);
    expect(pages.length).toBeLessThan(12);
  });

  it('ogg takes the bit rate that it is told', () => {
    const bytesAt = (bitrateKbps: number) => finished({ format: 'ogg', bitrateKbps }, seconds(3)).length;
    expect(bytesAt(96)).toBeGreaterThan(2 * bytesAt(24));
  });

  it('raw and mulaw are the samples and nothing else', () => {
    const samples = seconds(0.1);
    expect(finished({ format: 'raw' }, samples)).toEqual(pcm16(samples));
    const mulaw = finished({ format: 'mulaw' }, samples);
    expect(mulaw).toHaveLength(samples.length);
    expect(MULAW_VALUES[mulaw[30]!]! / 32_768).toBeCloseTo(samples[30]!, 1);
  });

  it.each(['mp3', 'ogg', 'flac', 'wav', 'raw', 'mulaw'] as const)('%s of one sample is whole', (format) => {
    expect(finished({ format }, new Float32Array(1)).length).toBeGreaterThan(0);
  });

  it.each(['mp3', 'ogg', 'flac', 'wav'] as const)('%s does not change with the split', (format) => {
    const samples = seconds(0.5);
    expect(finished({ format }, samples, 77).equals(finished({ format }, samples, 12_000))).toBe(true);
  });
});
