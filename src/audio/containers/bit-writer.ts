// Bits into bytes, the most significant first, as FLAC wants them. It writes into memory that its owner sized for
// the worst case, and checks nothing: the encoder knows the length of a block before it writes it.

export type BitWriter = {
  /** The lowest `width` bits of `value`, 0–24; those above are ignored, so a negative number is two's complement. */
  bits(value: number, width: number): void;
  /** A number ≥ 0 in Rice code: its part above the lowest `parameter` bits as so many zeros and a one, then those bits. */
  rice(value: number, parameter: number): void;
  /** Fills the last byte with zeros. */
  align(): void;
  /** Whole bytes that are there. */
  length(): number;
  /** Begins anew, behind the first `start` bytes. */
  reset(start: number): void;
};

export function createBitWriter(into: Uint8Array): BitWriter {
  let length = 0;
  /** Bits that are not a byte yet, fewer than 8, at the low end. */
  let held = 0;
  let heldBits = 0;

  const bits = (value: number, width: number): void => {
    held = (held << width) | (value & ((1 << width) - 1));
    heldBits += width;
    while (heldBits >= 8) {
      heldBits -= 8;
      into[length++] = held >>> heldBits;
    }
    held &= (1 << heldBits) - 1;
  };
  return {
    bits,
    rice(value, parameter) {
      let zeros = value >>> parameter;
      for (; zeros + 1 + parameter > 24; zeros -= 8) bits(0, 8);
      bits((1 << parameter) | (value & ((1 << parameter) - 1)), zeros + 1 + parameter);
    },
    align: () => bits(0, (8 - heldBits) & 7),
    length: () => length,
    reset(start) {
      length = start;
      held = 0;
      heldBits = 0;
    },
  };
}
