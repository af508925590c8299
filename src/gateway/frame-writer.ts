// Frames to one socket, those of one task in one write. Nearly every task has a single frame, which a stream's own cork
// would put in a list of its own and take out again; it is held here until the task is over or a second one comes.

import type { Writable } from 'node:stream';

export type FrameWriter = {
  write(frame: Uint8Array): void;
  /** What is written until `uncork` leaves together. */
  readonly cork: () => void;
  readonly uncork: () => void;
  /** Hands on what is held: somebody else is about to write to the stream. */
  flush(): void;
};

export function createFrameWriter(wire: Pick<Writable, 'write' | 'cork' | 'uncork'>): FrameWriter {
  let state: 'open' | 'holding' | 'corked' = 'open';
  let held: Uint8Array | undefined;

  const flush = () => {
    const frame = held;
    held = undefined;
    if (frame !== undefined) wire.write(frame);
  };
  return {
    write(frame) {
      if (state === 'holding' && held === undefined) {
        held = frame;
        return;
      }
      if (state === 'holding') {
        state = 'corked';
        wire.cork();
        flush();
      }
      wire.write(frame);
    },
    cork() {
      if (state === 'open') state = 'holding';
    },
    uncork() {
      const was = state;
      state = 'open';
      flush();
      if (was === 'corked') wire.uncork();
    },
    flush,
  };
}
