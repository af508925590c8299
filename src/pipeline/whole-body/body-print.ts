// What is remembered of a body's bytes, so that a second body can be held against it: a hash of every 4 KiB and the
// bytes of the last, unfinished block. A minute at 64 kbit/s costs 4 KiB and 4 KB of hashes, never the body itself.

import { hash } from 'node:crypto';

export type PrintCheck = {
  /**
   * The next bytes of the other body. `different`: it is another one, found at the end of a block at the latest.
   * Otherwise how many bytes of `chunk` belong to the printed part; what follows them is new.
   */
  push(chunk: Uint8Array): number | 'different';
  /** All that was printed has come again. */
  isWhole(): boolean;
};

export type BodyPrint = {
  push(chunk: Uint8Array): void;
  bytes(): number;
  /** Begins to hold another body against what has been printed by now. */
  check(): PrintCheck;
};

const BLOCK_BYTES = 4096;

const digest = (block: Uint8Array): string => hash('sha256', block, 'base64');

export function createBodyPrint(): BodyPrint {
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
        if (bytes % BLOCK_BYTES === 0) digests.push(digest(block));
      }
    },
    bytes: () => bytes,
    check() {
      const printed = { bytes, digests: digests.slice(), tail: block.slice(0, bytes % BLOCK_BYTES) };
      return createPrintCheck(printed);
    },
  };
}

function createPrintCheck(printed: {
  readonly bytes: number;
  readonly digests: readonly string[];
  readonly tail: Uint8Array;
}): PrintCheck {
  const block = new Uint8Array(BLOCK_BYTES);
  let seen = 0;
  let verdict: 'same' | 'different' = 'same';

  const isSame = (part: Uint8Array): boolean => {
    const filled = seen % BLOCK_BYTES;
    const index = (seen - filled) / BLOCK_BYTES;
    if (index === printed.digests.length) return part.every((byte, i) => byte === printed.tail[filled + i]);
    block.set(part, filled);
    return filled + part.length < BLOCK_BYTES || digest(block) === printed.digests[index];
  };

  return {
    push(chunk) {
      const known = Math.min(chunk.length, printed.bytes - seen);
      for (let at = 0; at < known && verdict === 'same'; ) {
        const part = chunk.subarray(at, Math.min(known, at + BLOCK_BYTES - (seen % BLOCK_BYTES)));
        if (!isSame(part)) verdict = 'different';
        at += part.length;
        seen += part.length;
      }
      return verdict === 'same' ? known : 'different';
    },
    isWhole: () => verdict === 'same' && seen === printed.bytes,
  };
}
