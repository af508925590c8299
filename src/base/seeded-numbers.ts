// Numbers that look random and are a function of two numbers: for what must be the same again in another process.

/** Two multiply and shift-xor rounds after which each input bit affects each output bit (Wellons, lowbias32). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Numbers from 0 to 1; those of one `place` do not depend on how many were drawn at another. */
export function seededNumbers(seed: number, place: number): () => number {
  let state = mix(mix(seed) + place);
  return () => {
    state = mix(state + 0x9e3779b9);
    return state / 0xffffffff;
  };
}
