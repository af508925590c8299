// Opus packets → samples, by the same two packages as the encoder (opus-encoder.ts). Used one packet at a time within one call.

import { opus } from 'prism-media';
import { AppError } from '../../base/app-error.ts';
import { MAX_OPUS_ENCODERS } from './opus-encoder.ts';

export type OpusDecoder = {
  /** One packet, of at most 20 ms at 48 kHz or 60 ms at 24 kHz: samples in −1…1 of one channel; undefined: it cannot be decoded. */
  decode(packet: Uint8Array): Float32Array | undefined;
  /** Frees its 100 KB of the shared memory. */
  close(): void;
};

/** What the stream has inside when it runs on `opusscript`. */
type OpusScript = {
  outPCM: Uint16Array;
  readonly outPCMPointer: number;
  readonly outPCMLength: number;
  decode(packet: Uint8Array): Uint8Array;
};

/** As for encoders: the memory must not grow under them. */
const MAX_OPUS_DECODERS = MAX_OPUS_ENCODERS;
let live = 0;

/** Throws `busy` when the maximum is open. */
export function openOpusDecoder(sampleRate: number): OpusDecoder {
  if (live >= MAX_OPUS_DECODERS)
    throw new AppError('busy', 'No decoder for Opus is free.', { retryAfterMs: 1000 });
  const frameSize = (sampleRate * 20) / 1000;
  const stream = new opus.Decoder({ rate: sampleRate, channels: 1, frameSize });
  const codec = (stream as unknown as { readonly encoder: OpusScript }).encoder;
  // The package takes an address for an index of 16-bit words, as in the encoder: this is the buffer that it has reserved.
  codec.outPCM = new Uint16Array(codec.outPCM.buffer, codec.outPCMPointer, codec.outPCMLength / 2);
  live += 1;
  let isOpen = true;
  return {
    decode(packet) {
      if (!isOpen) return undefined;
      try {
        // A word of it has one byte of a sample.
        const bytes = codec.decode(packet);
        const samples = new Float32Array(bytes.length >> 1);
        for (let i = 0; i < samples.length; i += 1)
          samples[i] = (((bytes[2 * i]! | (bytes[2 * i + 1]! << 8)) << 16) >> 16) / 32_768;
        return samples;
      } catch {
        return undefined;
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      live -= 1;
      stream.destroy();
    },
  };
}
