// Bits of a byte string, the most significant first. Bytes are turned into 32-bit words before, sixteen at a time, so
// that a read is one shift.

/** Turns `count` bytes into words, in sixteens and so beyond `count`. */
export function turnWords(bytes: usize, words: usize, count: usize): void {
  for (let i: usize = 0; i < count; i += 16) {
    const sixteen = v128.load(bytes + i);
    v128.store(
      words + i,
      v128.shuffle<u8>(sixteen, sixteen, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12),
    );
  }
}

let words: usize = 0;
let bit: u32 = 0;

/** The next bit that is read is `from` of `at`. */
export function readFrom(at: usize, from: u32): void {
  words = at;
  bit = from;
}

export function bitsRead(): u32 {
  return bit;
}

/** The next `count` ≤ 32 bits. */
export function readBits(count: u32): u32 {
  const at = words + ((bit >> 5) << 2);
  const two = ((load<u32>(at) as u64) << 32) | (load<u32>(at, 4) as u64);
  const next = (two << (bit & 31)) >> 32;
  bit += count;
  return (next >> (32 - count)) as u32;
}
