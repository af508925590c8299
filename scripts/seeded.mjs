// Numbers that are drawn in trials: the same for the same seed.

/** Whole numbers of 32 bits, one at each call (mulberry32); `seed`: a whole number of 32 bits. */
export function seededWords(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Whole numbers below a limit. */
export function seededBelow(seed) {
  const next = seededWords(seed);
  return (limit) => next() % limit;
}
