// How much of a frame's band will be heard. Who brings sound to a telephone's rate filters most of it out again; what lies
// above need not be read, transformed or synthesised.

const SUBBANDS: u32 = 32;
const LINES_OF_SUBBAND: u32 = 18;

/** Subbands from zero on, 1 to 32; what the others hold may be left out. */
export let heardSubbands: u32 = SUBBANDS;
/** The lines of these. */
export let heardLines: u32 = SUBBANDS * LINES_OF_SUBBAND;

export function hearBelow(subbands: u32): void {
  heardSubbands = subbands;
  heardLines = subbands * LINES_OF_SUBBAND;
}
