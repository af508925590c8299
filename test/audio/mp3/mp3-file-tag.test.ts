import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { fileTagBytes, id3Tag } from '../../../src/audio/mp3/mp3-file-tag.ts';

/** Frames by name, read as the specification has them; sizes have seven bits a byte. */
function readFrames(tag: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(tag);
  const size = (at: number) => bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + byte, 0);
  expect(bytes.toString('latin1', 0, 6)).toBe('ID3\u0004\u0000\u0000');
  expect(size(6)).toBe(bytes.length - 10);
  const frames: Record<string, string> = {};
  for (let at = 10; at < bytes.length; at += 10 + size(at + 4)) {
    expect(bytes[at + 10]).toBe(3);
    frames[bytes.toString('latin1', at, at + 4)] = bytes.toString('utf8', at + 11, at + 10 + size(at + 4));
  }
  return frames;
}

describe('ID3 tag', () => {
  it('has title, artist and length', () => {
    const tag = id3Tag({ title: 'Größe 😀', artist: '語' }, 12_345.6);
    expect(readFrames(tag)).toEqual({ TIT2: 'Größe 😀', TPE1: '語', TLEN: '12346' });
    expect(fileTagBytes(tag, 0)).toBe(tag.length);
  });

  it('leaves out what is not there', () => {
    expect(readFrames(id3Tag({ title: '', artist: undefined }, 0))).toEqual({ TLEN: '0' });
  });

  it('has sizes above 127 bytes right, and no byte that could begin a frame of sound', () => {
    const title = '😀'.repeat(250);
    const tag = id3Tag({ title, artist: undefined }, 1);
    expect(readFrames(tag).TIT2).toBe(title);
    expect(tag).not.toContain(0xff);
  });
});
