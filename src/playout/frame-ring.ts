// Frames of one call between the code that makes them and the code that writes them at their time, perhaps in another thread: a
// ring in shared memory with one writer and one reader. Which frames have been taken is one number that both change atomically:
// so a frame that was taken back is never heard, and one that was heard never counts as taken back.

/** May be sent to another thread. */
export type FrameRingMemory = {
  readonly buffer: SharedArrayBuffer;
  readonly mostBytes: number;
  /** Times in the ring count from here: the clock of a process that has run for a month does not fit into 32 bits. */
  readonly sinceMs: number;
};

/** The producer's end. */
export type FrameRing = {
  readonly memory: FrameRingMemory;
  /** False when there is no room. Throws when the frame is longer than `mostBytes`. */
  push(frame: Uint8Array): boolean;
  /** Frames that have not been taken. */
  waiting(): number;
  /** Withdraws all frames that have not been taken; returns their number. */
  takeBack(): number;
  /** When the far side will have played all taken frames, on the clock of both ends, to the ms; −∞ at first. */
  playsUntilMs(): number;
};

/** The consumer's end. */
export type FrameRingReader = {
  waiting(): number;
  playsUntilMs(): number;
  /**
   * The next frame, a copy, with which the far side will play until `playsUntilMs`; undefined when there is none, or it was just
   * taken back.
   */
  take(playsUntilMs: number): Uint8Array | undefined;
};

/** 320 ms; a producer with more frames at once keeps them until there is room. */
export const RING_FRAMES = 16;
/** Each a 32-bit integer: the frame to be taken next, those that were pushed, counted from the first, and `playsUntilMs`. */
const NEXT = 0;
const PUSHED = 1;
const PLAYS_UNTIL = 2;
/** From here on, the bytes of the frame in each slot. */
const LENGTHS = 3;
const FIELDS = LENGTHS + RING_FRAMES;
const HEAD_BYTES = FIELDS * Int32Array.BYTES_PER_ELEMENT;
const NEVER = -(2 ** 31);

const viewsOf = ({ buffer, mostBytes }: FrameRingMemory) => ({
  fields: new Int32Array(buffer, 0, FIELDS),
  bytesOf: (slot: number, length: number) => new Uint8Array(buffer, HEAD_BYTES + slot * mostBytes, length),
});
const playsUntilIn = (fields: Int32Array, sinceMs: number): number => {
  const ms = Atomics.load(fields, PLAYS_UNTIL);
  return ms === NEVER ? Number.NEGATIVE_INFINITY : sinceMs + ms;
};
const waitingIn = (fields: Int32Array): number => Atomics.load(fields, PUSHED) - Atomics.load(fields, NEXT);

/** `playsUntilMs`: from the ring before this one, if any. */
export function createFrameRing(
  mostBytes: number,
  nowMs: number,
  playsUntilMs = Number.NEGATIVE_INFINITY,
): FrameRing {
  const buffer = new SharedArrayBuffer(HEAD_BYTES + RING_FRAMES * mostBytes);
  const memory = { buffer, mostBytes, sinceMs: nowMs };
  const { fields, bytesOf } = viewsOf(memory);
  Atomics.store(fields, PLAYS_UNTIL, Math.max(NEVER, Math.ceil(playsUntilMs - nowMs)));

  return {
    memory,
    push(frame) {
      if (frame.length > mostBytes)
        throw new RangeError(`a frame of ${frame.length} bytes, at most ${mostBytes}`);
      if (waitingIn(fields) >= RING_FRAMES) return false;
      const count = Atomics.load(fields, PUSHED);
      const slot = count % RING_FRAMES;
      bytesOf(slot, frame.length).set(frame);
      fields[LENGTHS + slot] = frame.length;
      Atomics.store(fields, PUSHED, count + 1);
      return true;
    },
    waiting: () => waitingIn(fields),
    takeBack() {
      const pushed = Atomics.load(fields, PUSHED);
      return pushed - Atomics.exchange(fields, NEXT, pushed);
    },
    playsUntilMs: () => playsUntilIn(fields, nowMs),
  };
}

export function readFrameRing(memory: FrameRingMemory): FrameRingReader {
  const { fields, bytesOf } = viewsOf(memory);
  return {
    waiting: () => waitingIn(fields),
    playsUntilMs: () => playsUntilIn(fields, memory.sinceMs),
    take(playsUntilMs) {
      const next = Atomics.load(fields, NEXT);
      if (next === Atomics.load(fields, PUSHED)) return undefined;
      // Copied before it is claimed: afterwards the producer may use the slot again.
      const slot = next % RING_FRAMES;
      const frame = Uint8Array.from(bytesOf(slot, fields[LENGTHS + slot]!));
      // Stored before it is claimed: `playsUntilMs` includes every taken frame.
      const before = Atomics.exchange(fields, PLAYS_UNTIL, Math.ceil(playsUntilMs - memory.sinceMs));
      if (Atomics.compareExchange(fields, NEXT, next, next + 1) === next) return frame;
      Atomics.store(fields, PLAYS_UNTIL, before);
      return undefined;
    },
  };
}
