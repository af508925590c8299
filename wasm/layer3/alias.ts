// Alias reduction between neighbouring subbands (ISO 11172-3 2.4.3.4.10.1, table B.9): eight butterflies at each edge.

const LINES_OF_SUBBAND: u32 = 18;
const COEFFICIENTS: usize = memory.data<f64>([-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037]);
const cosinesAt: usize = memory.data(4 * 8, 16);
const sinesAt: usize = memory.data(4 * 8, 16);

export function buildAliasTables(): void {
  for (let i: usize = 0; i < 8; i++) {
    const c = load<f64>(COEFFICIENTS + i * 8);
    const scale = 1 / Math.sqrt(1 + c * c);
    store<f32>(cosinesAt + i * 4, scale as f32);
    store<f32>(sinesAt + i * 4, (c * scale) as f32);
  }
}

/** Four butterflies, `i` to `i` + 3 lines away from the edge. */
function butterflies(edge: usize, i: usize): void {
  const below = edge - (i + 4) * 4;
  const above = edge + i * 4;
  const near = v128.load(below);
  const lower = v128.shuffle<f32>(near, near, 3, 2, 1, 0);
  const upper = v128.load(above);
  const cosines = v128.load(cosinesAt + i * 4);
  const sines = v128.load(sinesAt + i * 4);
  const low = f32x4.sub(f32x4.mul(lower, cosines), f32x4.mul(upper, sines));
  v128.store(below, v128.shuffle<f32>(low, low, 3, 2, 1, 0));
  v128.store(above, f32x4.add(f32x4.mul(upper, cosines), f32x4.mul(lower, sines)));
}

/** At the first `edges` edges of `spectrum`. */
export function reduceAliases(spectrum: usize, edges: u32): void {
  for (let i: u32 = 1; i <= edges; i++) {
    const edge = spectrum + i * LINES_OF_SUBBAND * 4;
    butterflies(edge, 0);
    butterflies(edge, 4);
  }
}
