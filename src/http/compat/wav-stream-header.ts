// The header of a WAV stream that is not 16-bit PCM: RIFF, `fmt ` with its extension's length, `fact`, and the head of
// `data`, 58 bytes. Sizes are not known while it is made. (Multimedia Standards Update 3.0: tags 3, 6 and 7; all that is
// not PCM has a fact chunk.)

import { Buffer } from 'node:buffer';

export type WavCode = 'float32' | 'alaw' | 'mulaw';

const CODES: Readonly<Record<WavCode, { readonly tag: number; readonly bytesPerSample: number }>> = {
  float32: { tag: 3, bytesPerSample: 4 },
  alaw: { tag: 6, bytesPerSample: 1 },
  mulaw: { tag: 7, bytesPerSample: 1 },
};
const UNKNOWN_SIZE = 0xffffffff;
const FORMAT_BYTES = 18;

/** One channel. */
export function wavStreamHeader(code: WavCode, sampleRate: number): Uint8Array {
  const { tag, bytesPerSample } = CODES[code];
  const header = Buffer.alloc(58);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(UNKNOWN_SIZE, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(FORMAT_BYTES, 16);
  header.writeUInt16LE(tag, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('fact', 38, 'latin1');
  header.writeUInt32LE(4, 42);
  header.writeUInt32LE(UNKNOWN_SIZE, 46);
  header.write('data', 50, 'latin1');
  header.writeUInt32LE(UNKNOWN_SIZE, 54);
  return header;
}
