// A fingerprint of a body's bytes, so that a second body can be compared with it: a hash of every 4 KiB and the bytes
// of the last, unfinished block. A minute at 64 kbit/s costs 4 KiB and 4 KB of hashes; the body itself is not kept.

import { hash } from 'node:crypto';

export type FingerprintCheck = {
  /**
   * The next bytes of the other body. `different`: its bytes differ, found at the end of a block at the latest.
   * Otherwise how many bytes of `chunk` belong to the known part; what follows them is new.
   */
  push(chunk: Uint8Array): number | 'different';
  /** All known bytes have come again. */
  isWhole(): boolean;
};

export type BodyFingerprint = {
  push(chunk: Uint8Array): void;
  bytes(): number;
  /** One digest of all bytes that have come by now. */
  digest(): string;
  /** Begins to compare another body with the bytes that have come by now. */
  check(): FingerprintCheck;
};

const BLOCK_BYTES = 4096;

/** SHA-256, base64. */
export const digestOf = (block: Uint8Array | string): string => hash('sha256', block, 'base64');

export function createBodyFingerprint(): BodyFingerprint {
  const digests: string[] = [];
  const block = new Uint8Array(BLOCK_BYTES);
  let bytes = 0;

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const filled = bytes % BLOCK_BYTES;
        const part = chunk.subarray(at, at + BLOCK_BYTES - filled);
        block.set(part, filled);
        at += part.length;
        bytes += part.length;
        if (bytes % BLOCK_BYTES === 0) digests.push(digestOf(block));
      }
    },
    bytes: () => bytes,
    digest: () => digestOf([...digests, digestOf(block.subarray(0, bytes % BLOCK_BYTES))].join(' ')),
    check() {
      const first = { bytes, digests: digests.slice(), tail: block.slice(0, bytes % BLOCK_BYTES) };
      return createFingerprintCheck(first);
    },
  };
}

function createFingerprintCheck(first: {
  readonly bytes: number;
  readonly digests: readonly string[];
  readonly tail: Uint8Array;
}): FingerprintCheck {
  const block = new Uint8Array(BLOCK_BYTES);
  let seen = 0;
  let verdict: 'same' | 'different' = 'same';

  const isSame = (part: Uint8Array): boolean => {
    const filled = seen % BLOCK_BYTES;
    const index = (seen - filled) / BLOCK_BYTES;
    if (index === first.digests.length) return part.every((byte, i) => byte === first.tail[filled + i]);
    block.set(part, filled);
    return filled + part.length < BLOCK_BYTES || digestOf(block) === first.digests[index];
  };

  return {
    push(chunk) {
      const known = Math.min(chunk.length, first.bytes - seen);
      for (let at = 0; at < known && verdict === 'same'; ) {
        const part = chunk.subarray(at, Math.min(known, at + BLOCK_BYTES - (seen % BLOCK_BYTES)));
        if (!isSame(part)) verdict = 'different';
        at += part.length;
        seen += part.length;
      }
      return verdict === 'same' ? known : 'different';
    },
    isWhole: () => verdict === 'same' && seen === first.bytes,
  };
}
