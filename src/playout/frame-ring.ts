// Frames of one call between who makes them and who writes them at their time, which may be two threads: a ring in shared
// memory, with one writer and one reader. Which frames have been taken is one number that both change atomically, so that
// what is taken back is never heard, and what was heard is never taken for silent.

/** Handed on to another thread as it is. */
export type FrameRingMemory = {
  readonly buffer: SharedArrayBuffer;
  readonly mostBytes: number;
  /** Times in the ring count from here: those of a process that has run for a month are too long for it. */
  readonly sinceMs: number;
};

/** The writer's end. */
export type FrameRing = {
  readonly memory: FrameRingMemory;
  /** False when there is no room. Throws when the frame is of more than `mostBytes`. */
  push(frame: Uint8Array): boolean;
  /** Frames that have not been taken. */
  waiting(): number;
  /** Frames that have not been taken never will be; tells how many they were. */
  takeBack(): number;
  /** When the far side will have played all that was taken, on the clock that both ends read, within a ms; −∞ at first. */
  playsUntilMs(): number;
};

/** The reader's end. */
export type FrameRingReader = {
  waiting(): number;
  playsUntilMs(): number;
  /**
   * The next frame, a copy, with which the far side will play until `playsUntilMs`; undefined when there is none, or it was
   * taken back this moment.
   */
  take(playsUntilMs: number): Uint8Array | undefined;
};

/** 320 ms; who is given more at once keeps it until there is room. */
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

/** `playsUntilMs`: what the far side has from a ring before this one. */
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
      // Copied before it is claimed: behind that, the writer may have the slot again.
      const slot = next % RING_FRAMES;
      const frame = Uint8Array.from(bytesOf(slot, fields[LENGTHS + slot]!));
      // Told before it is claimed: a frame that has been taken is known to play.
      const before = Atomics.exchange(fields, PLAYS_UNTIL, Math.ceil(playsUntilMs - memory.sinceMs));
      if (Atomics.compareExchange(fields, NEXT, next, next + 1) === next) return frame;
      Atomics.store(fields, PLAYS_UNTIL, before);
      return undefined;
    },
  };
}
