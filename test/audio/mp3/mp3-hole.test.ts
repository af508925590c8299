import { describe, expect, it } from 'vitest';
import { parseMp3Header } from '../../../src/audio/mp3/mp3-header.ts';
import { FrameLengths, silentMp3Frame } from '../../../src/audio/mp3/mp3-hole.ts';

/** MPEG-2, 64 kbit/s, 24 kHz: 192 bytes; 96 kbit/s: 288. */
const at64 = parseMp3Header(0xfff384c4)!;
const at96 = parseMp3Header(0xfff3a4c4)!;
/** MPEG-1, 128 kbit/s, 44.1 kHz: 417 bytes, padded 418. */
const at44k = parseMp3Header(0xfffb90c4)!;
const lengthsOf = (...headers: (typeof at64)[]) => {
  const lengths = new FrameLengths();
  for (const header of headers) lengths.add(header);
  return lengths;
};

describe('a hole', () => {
  it('at a constant rate is frames when it is as long as some, whatever is in it', () => {
    const lengths = lengthsOf(at64, at64);
    for (const what of ['text', 'binary'] as const) {
      expect([0, 1, 191, 192, 193, 576, 700].map((bytes) => lengths.framesIn(bytes, what, at64))).toEqual([
        0, 0, 0, 1, 0, 3, 0,
      ]);
    }
  });

  it('may have padding slots in its frames where their duration is no whole number of bytes', () => {
    const lengths = lengthsOf(at44k);
    // Three frames of 417 or 418 bytes each.
    expect(
      [416, 417, 418, 419, 1250, 1251, 1254, 1255].map((bytes) => lengths.framesIn(bytes, 'binary', at44k)),
    ).toEqual([0, 1, 1, 0, 0, 3, 3, 0]);
  });

  it('at a variable rate is frames of mean length, but when it is text', () => {
    const lengths = lengthsOf(at64, at96);
    expect(lengths.areConstant()).toBe(false);
    expect([100, 130, 500].map((bytes) => lengths.framesIn(bytes, 'binary', at64))).toEqual([0, 1, 2]);
    expect(lengths.framesIn(500, 'text', at64)).toBe(0);
  });

  it('before any frame is measured by the one behind it', () => {
    expect(new FrameLengths().framesIn(576, 'binary', at64)).toBe(3);
  });

  it('of more than 8 KiB is no damage of this stream', () => {
    const lengths = lengthsOf(at64);
    expect([42, 43].map((frames) => lengths.framesIn(192 * frames, 'binary', at64))).toEqual([42, 0]);
  });

  it('is filled with frames that have no checksum and nothing in them', () => {
    const silent = silentMp3Frame(new Uint8Array(192).fill(0xff).fill(0xf2, 1, 2).fill(0x84, 2, 3));
    expect([...silent.subarray(0, 5)]).toEqual([0xff, 0xf3, 0x84, 0xff, 0]);
    expect(silent.subarray(4).every((byte) => byte === 0)).toBe(true);
  });
});
