// The checksums of FLAC (8 and 16 bits) and Ogg (32 bits): most significant bit first, starting at zero, nothing
// inverted. One table of 256 steps each; the CRC-32 of zip and PNG is another one and not made here.

/** Checksum of `bytes` from `start` to before `end`. */
export type Crc = (bytes: Uint8Array, start: number, end: number) => number;

/** `polynomial` without its highest term, as the specifications write it: 0x07 is x⁸ + x² + x + 1. */
export function createCrc(width: 8 | 16 | 32, polynomial: number): Crc {
  const mask = width === 32 ? -1 : (1 << width) - 1;
  const topBit = 1 << (width - 1);
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) rest = (rest & topBit) === 0 ? rest << 1 : (rest << 1) ^ polynomial;
    return rest & mask;
  });
  return (bytes, start, end) => {
    let crc = 0;
    for (let at = start; at < end; at++)
      crc = ((crc << 8) ^ table[((crc >>> (width - 8)) ^ bytes[at]!) & 0xff]!) & mask;
    return crc >>> 0;
  };
}
