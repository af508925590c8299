import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { wavHeader } from '../../../src/audio/containers/wav.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const HEADER_24K = (riff: string, data: string) =>
  `52494646${riff}57415645666d74201000000001000100c05d000080bb00000200100064617461${data}`;

it('tells the sizes that it knows', () => {
  const header = wavHeader({ sampleRate: 24_000, channels: 1, dataBytes: 48_000 });
  expect(hex(header)).toBe(HEADER_24K('a4bb0000', '80bb0000'));
});

it('has streaming sizes when the length is unknown or past 32 bits', () => {
  expect(hex(wavHeader({ sampleRate: 24_000, channels: 1 }))).toBe(HEADER_24K('ffffffff', 'ffffffff'));
  const long = wavHeader({ sampleRate: 24_000, channels: 1, dataBytes: 2 ** 32 - 20 });
  expect(hex(long)).toBe(HEADER_24K('ffffffff', 'ffffffff'));
});

it('describes an empty file', () => {
  const header = wavHeader({ sampleRate: 24_000, channels: 1, dataBytes: 0 });
  expect(hex(header)).toBe(HEADER_24K('24000000', '00000000'));
});
