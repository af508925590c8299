// Numbers that look random and are a function of two numbers: for what must be the same again in another process.

/** Two multiply and shift-xor rounds after which each input bit affects each output bit (Wellons, lowbias32). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const WORDS = new DataView(new ArrayBuffer(8));

/** 32 bits for any number: a whole one of 32 bits stands for itself, of all others every bit counts. */
function seedBits(seed: number): number {
  if (seed === seed >>> 0) return seed;
  WORDS.setFloat64(0, seed);
  return mix(WORDS.getUint32(0)) ^ WORDS.getUint32(4);
}

/**
 * Numbers from 0 to 1; those of one `place` do not depend on how many were drawn at another. Seeds below 2³² are told apart with
 * certainty, others as far as 32 bits can.
 */
export function seededNumbers(seed: number, place: number): () => number {
  let state = mix(mix(seedBits(seed)) + place);
  return () => {
    state = mix(state + 0x9e3779b9);
    return state / 0xffffffff;
  };
}
