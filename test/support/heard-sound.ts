// What a reply of sound holds, by its media type, however it is coded: how long it is, its rate, and its code where that
// is not plain from the type. Bytes that are not whole samples are a failure.

import { Buffer } from 'node:buffer';
import { mp3Facts } from './codecs.ts';
import { readFlac } from './flac-reader.ts';
import { readOggOpus } from './ogg-reader.ts';

export type HeardSound = {
  readonly ms: number;
  readonly sampleRate: number;
  /** The format tag of a WAV. */
  readonly tag?: number;
};

function ofSamples(bytes: number, bytesPerSample: number, sampleRate: number): HeardSound {
  if (bytes % bytesPerSample !== 0) throw new Error(`${bytes} bytes are not whole samples`);
  return { ms: (bytes / bytesPerSample / sampleRate) * 1000, sampleRate };
}

/** A stream: sizes are unknown, and `data` is the last chunk. */
function ofWav(bytes: Buffer): HeardSound {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('this is no WAV');
  if (bytes.readUInt32LE(4) !== 0xffffffff) throw new Error('the size of a stream is not known');
  let at = 12;
  let format: { tag: number; rate: number; block: number } | undefined;
  while (bytes.toString('latin1', at, at + 4) !== 'data') {
    if (bytes.toString('latin1', at, at + 4) === 'fmt ')
      format = {
        tag: bytes.readUInt16LE(at + 8),
        rate: bytes.readUInt32LE(at + 12),
        block: bytes.readUInt16LE(at + 20),
      };
    at += 8 + bytes.readUInt32LE(at + 4);
  }
  if (bytes.readUInt32LE(at + 4) !== 0xffffffff) throw new Error('the size of a stream is not known');
  return { ...ofSamples(bytes.length - at - 8, format!.block, format!.rate), tag: format!.tag };
}

export function heardSound(given: Uint8Array | ArrayBuffer, mediaType: string | null): HeardSound {
  const bytes = given instanceof ArrayBuffer ? Buffer.from(given) : Buffer.from(given);
  const type = mediaType ?? '';
  const rate = Number(/rate=(\d+)/.exec(type)?.[1] ?? 8000);
  if (/^audio\/mpeg/.test(type)) {
    const { ms, sampleRate } = mp3Facts(bytes);
    return { ms, sampleRate };
  }
  if (/^audio\/wav/.test(type)) return ofWav(bytes);
  if (/^audio\/flac/.test(type)) {
    const { samples, sampleRate } = readFlac(bytes);
    return { ms: (samples.length / sampleRate) * 1000, sampleRate };
  }
  if (/^audio\/ogg/.test(type)) return { ms: readOggOpus(bytes).heard / 48, sampleRate: 48_000 };
  if (/^audio\/(basic|PCMU|PCMA)/.test(type)) return ofSamples(bytes.length, 1, rate);
  if (/f32le/.test(type)) return ofSamples(bytes.length, 4, rate);
  if (/^audio\/(pcm|l16)/.test(type)) return ofSamples(bytes.length, 2, rate);
  throw new Error(`nobody knows ${type}`);
}
