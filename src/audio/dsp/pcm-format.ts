// The formats in which one sample is a fixed number of bytes (linear PCM and G.711), in plain TypeScript.

import { encodeAlaw, encodeMulaw } from './g711.ts';
import { encodePcm16 } from './pcm16.ts';

/** `pcm16` is little-endian. */
export type PcmFormat = 'mulaw' | 'alaw' | 'pcm16';

export const BYTES_PER_SAMPLE: Readonly<Record<PcmFormat, 1 | 2>> = { mulaw: 1, alaw: 1, pcm16: 2 };

const ENCODE = { mulaw: encodeMulaw, alaw: encodeAlaw, pcm16: encodePcm16 } as const;

/** Samples in −1…1 → bytes, in scratch memory that is valid during `emit`. */
export function createPcmEncoder(
  format: PcmFormat,
  emit: (bytes: Uint8Array) => void,
): (samples: Float32Array) => void {
  const encode = ENCODE[format];
  const bytesPerSample = BYTES_PER_SAMPLE[format];
  let scratch = new Uint8Array(0);
  return (samples) => {
    const byteLength = samples.length * bytesPerSample;
    if (scratch.length < byteLength) scratch = new Uint8Array(byteLength);
    encode(samples, scratch);
    emit(scratch.subarray(0, byteLength));
  };
}
