import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { parseMp3Header, wordAt } from '../../../src/audio/mp3/mp3-header.ts';
import { mp3Checksum, mp3InfoFrame, NO_MP3_TOTALS } from '../../../src/audio/mp3/mp3-info-frame.ts';
import { parseMp3StreamTag } from '../../../src/audio/mp3/mp3-stream-tag.ts';

/** Headers of mono frames: MPEG-2.5 at 8 kHz, MPEG-2 at 24 kHz, MPEG-1 at 48 kHz, each at its lowest bit rates. */
const frames = [0xffe318c0, 0xffe328c0, 0xfff314c0, 0xfff384c0, 0xfffb14c0, 0xfffb94c0].map((word) => {
  const frame = new Uint8Array(4);
  new DataView(frame.buffer).setUint32(0, word);
  return frame;
});

describe('info frame', () => {
  it.each(frames)('says what a stream of %s has', (first) => {
    const stream = parseMp3Header(wordAt(first, 0))!;
    const samples = 100 * stream.samplesPerFrame - 576 - 1000;
    const frame = mp3InfoFrame(first, { frames: 100, bytes: 20_000, samples, checksum: 0x1234 });
    const found = parseMp3Header(wordAt(frame, 0))!;
    expect(found).toMatchObject({ sampleRate: stream.sampleRate, version: stream.version, channels: 1 });
    expect(frame).toHaveLength(found.frameBytes);
    expect(found.bitrateKbps).toBeGreaterThanOrEqual(stream.bitrateKbps);
    expect(parseMp3StreamTag(frame, found)).toEqual({
      totalFrames: 100,
      totalBytes: 20_000,
      encoderDelay: 576,
      padding: 1000,
    });
    expect(Buffer.from(frame).includes('LAME3.100')).toBe(true);
    expect(mp3InfoFrame(first, NO_MP3_TOTALS)).toHaveLength(frame.length);
  });

  it('has the checksum that checkers expect: CRC-16 of everything before it', () => {
    // The check value of CRC-16/ARC.
    expect(mp3Checksum(0, Buffer.from('123456789'))).toBe(0xbb3d);
    expect(mp3Checksum(mp3Checksum(0, Buffer.from('1234')), Buffer.from('56789'))).toBe(0xbb3d);
    const first = frames[3]!;
    const frame = mp3InfoFrame(first, { frames: 1, bytes: 192, samples: 0, checksum: 0 });
    const at = 4 + 9 + 16 + 34;
    expect(Buffer.from(frame).readUInt16BE(at)).toBe(mp3Checksum(0, frame.subarray(0, at)));
  });
});
