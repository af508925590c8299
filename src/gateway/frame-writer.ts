// Frames to one socket, those of one task in one write: they are held until it is over, and small ones are then put one
// behind the other, for the kernel takes one buffer at half the price of two, and a stream's own cork costs as much again.

import type { Writable } from 'node:stream';

export type FrameWriter = {
  write(frame: Uint8Array): void;
  /** What is written until `uncork` leaves together. */
  readonly cork: () => void;
  readonly uncork: () => void;
  /** Hands on what is held: somebody else is about to write to the stream. */
  flush(): void;
};

/** A lead of most sounds; beyond it the stream is to know how much waits in it. */
const MOST_HELD_BYTES = 16_384;

export function createFrameWriter(wire: Pick<Writable, 'write'>): FrameWriter {
  let isCorked = false;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const flush = () => {
    if (held.length === 0) return;
    const frames = held;
    const bytes = heldBytes;
    held = [];
    heldBytes = 0;
    wire.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames, bytes));
  };
  return {
    write(frame) {
      if (!isCorked) return void wire.write(frame);
      if (heldBytes + frame.length > MOST_HELD_BYTES) flush();
      held.push(frame);
      heldBytes += frame.length;
    },
    cork() {
      isCorked = true;
    },
    uncork() {
      isCorked = false;
      flush();
    },
    flush,
  };
}
