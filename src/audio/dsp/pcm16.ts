// 16-bit linear PCM, and the one rule by which every encoder here rounds: halves up, clipped, NaN is silence.
// Not Math.round, which rounds the same way but costs 2.5 times as much and does not clip.

/**
 * The 16-bit value of a sample in −1…1 as 0…65535, offset by 32768: the index of a 65,536-entry table.
 * Full scale is 32768, so +1 clips to 32767.
 */
export function toOffset16(sample: number): number {
  const scaled = sample * 32768 + 32768.5;
  if (scaled >= 0) return scaled < 65536 ? scaled | 0 : 65535;
  return scaled < 0 ? 0 : 32768;
}

/** s16le into `into`, which holds at least two bytes a sample. */
export function encodePcm16(samples: Float32Array, into: Uint8Array): void {
  for (let i = 0, at = 0; i < samples.length; i++, at += 2) {
    const value = toOffset16(samples[i]!) - 32768;
    into[at] = value;
    into[at + 1] = value >> 8;
  }
}

/** Samples in −1…1 of s16le, fresh memory. */
export function decodePcm16(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i++)
    samples[i] = (((bytes[2 * i]! | (bytes[2 * i + 1]! << 8)) << 16) >> 16) / 32768;
  return samples;
}
