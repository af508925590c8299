// Samples between the socket and the sound card, in a ring that is allocated once: the audio thread must not wait for a
// garbage collector. First in, first out; what does not fit is not taken.

export type SampleRing = {
  /** Samples that wait. */
  readonly length: number;
  /** How many of `samples`, from the first on, were taken. */
  write(samples: Float32Array): number;
  /** Fills `into` from its beginning as far as there are samples; gives how many there were. */
  read(into: Float32Array): number;
  /** Drops all but the `count` samples that are next. */
  keep(count: number): void;
};

export function createSampleRing(capacity: number): SampleRing {
  const ring = new Float32Array(capacity);
  let first = 0;
  let length = 0;
  return {
    get length() {
      return length;
    },
    write(samples) {
      const taken = Math.min(samples.length, capacity - length);
      const at = (first + length) % capacity;
      const untilEdge = Math.min(taken, capacity - at);
      ring.set(samples.subarray(0, untilEdge), at);
      ring.set(samples.subarray(untilEdge, taken), 0);
      length += taken;
      return taken;
    },
    read(into) {
      const given = Math.min(into.length, length);
      const untilEdge = Math.min(given, capacity - first);
      into.set(ring.subarray(first, first + untilEdge));
      into.set(ring.subarray(0, given - untilEdge), untilEdge);
      first = (first + given) % capacity;
      length -= given;
      return given;
    },
    keep(count) {
      length = Math.min(length, Math.max(0, count));
    },
  };
}
