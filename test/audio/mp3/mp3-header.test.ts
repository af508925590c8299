import { describe, expect, it } from 'vitest';
import {
  MAX_FRAME_BYTES,
  Mp3HeaderReader,
  parseMp3Header,
  sideInfoBytes,
  wordAt,
} from '../../../src/audio/mp3/mp3-header.ts';

/** Every word that differs in version, layer, protection, bitrate, rate, padding or mode. */
const words = function* () {
  for (let middle = 0; middle < 2 ** 13; middle++)
    for (let mode = 0; mode < 4; mode++)
      yield ((0x7ff << 21) | ((middle >>> 8) << 16) | ((middle & 0xff) << 8) | (mode << 6)) >>> 0;
};

describe('parseMp3Header', () => {
  it.each([
    [0xfffb9064, { version: 1, bitrateKbps: 128, sampleRate: 44100, frameBytes: 417, samplesPerFrame: 1152 }],
    [0xfffb9264, { version: 1, bitrateKbps: 128, sampleRate: 44100, frameBytes: 418, samplesPerFrame: 1152 }],
    [0xfffbe8c4, { version: 1, bitrateKbps: 320, sampleRate: 32000, frameBytes: 1440, channelMode: 'mono' }],
    [
      0xfff384c4,
      { version: 2, bitrateKbps: 64, sampleRate: 24000, frameBytes: 192, channels: 1, hasCrc: false },
    ],
    [0xfff28484, { version: 2, sampleRate: 24000, channels: 2, channelMode: 'dual-channel', hasCrc: true }],
    [0xffe348c4, { version: 2.5, bitrateKbps: 32, sampleRate: 8000, frameBytes: 288, samplesPerFrame: 576 }],
    [0xffe31004, { version: 2.5, bitrateKbps: 8, sampleRate: 11025, frameBytes: 52, channelMode: 'stereo' }],
  ])('reads %s', (word, expected) => {
    expect(parseMp3Header(word)).toMatchObject(expected);
  });

  it.each([
    ['a broken sync word', 0xff1b9064],
    ['all ones', 0xffffffff],
    ['the reserved version', 0xffeb9064],
    ['the reserved layer', 0xfff99064],
    ['Layer II', 0xfffd9064],
    ['Layer I', 0xffff9064],
    ['free format', 0xfffb0064],
    ['bitrate 15', 0xfffbf064],
    ['the reserved rate', 0xfffb9c64],
    ['zero', 0],
  ])('refuses %s', (_, word) => {
    expect(parseMp3Header(word)).toBeUndefined();
  });

  it('measures every possible frame between its side information and the longest frame', () => {
    const rates = new Set<number>();
    let longest = 0;
    for (const word of words()) {
      const header = parseMp3Header(word);
      if (header === undefined) continue;
      rates.add(header.sampleRate);
      longest = Math.max(longest, header.frameBytes);
      expect(header.frameBytes).toBeGreaterThanOrEqual(4 + 2 + sideInfoBytes(header));
    }
    expect([...rates].sort((a, b) => a - b)).toEqual([
      8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000,
    ]);
    expect(longest).toBe(MAX_FRAME_BYTES);
  });
});

describe('Mp3HeaderReader', () => {
  it('remembers the last word and nothing else', () => {
    const headers = new Mp3HeaderReader();
    expect(headers.of(0)).toBeUndefined();
    const first = headers.of(0xfff384c4);
    expect(headers.of(0xfff384c4)).toBe(first);
    expect(headers.of(0xffffffff)).toBeUndefined();
    expect(headers.of(0xfffb9064)?.sampleRate).toBe(44100);
  });
});

it('reads a word without a sign', () => {
  expect(wordAt(new Uint8Array([0, 0xff, 0xfb, 0x90, 0x64]), 1)).toBe(0xfffb9064);
});
