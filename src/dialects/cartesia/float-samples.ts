// 16-bit samples as 32-bit floats from -1 to 1, both little-endian: `pcm_f32le` out of what the session sends.

const BYTES_IN = 2;
const BYTES_OUT = 4;
const FULL_SCALE = 32_768;

/** `bytes` are whole samples. */
export function floatSamples(bytes: Uint8Array): Buffer {
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(from.length / BYTES_IN);
  const floats = Buffer.allocUnsafe(count * BYTES_OUT);
  for (let at = 0; at < count; at += 1)
    floats.writeFloatLE(from.readInt16LE(at * BYTES_IN) / FULL_SCALE, at * BYTES_OUT);
  return floats;
}
