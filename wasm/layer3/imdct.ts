// The inverse MDCT (ISO 11172-3 2.4.3.4.10.2) of four subbands at once, one in each lane. 18 lines give 36 values that
// are 18 in disguise (a DCT-IV, mirrored); that one is a DCT-III of sums of neighbours, which parts in two of nine.

/** The cosine of 60°. */
const HALF: f32 = 0.5;

/** Four subbands' lines: 18 vectors, for short blocks six of each window in turn. */
export const linesAt: usize = memory.data(16 * 18, 16);
/** The DCT's 18 values. */
const valuesAt: usize = memory.data(16 * 18, 16);
/** 36 vectors: what is heard now, and what is added to the next. */
export const blocksAt: usize = memory.data(16 * 36, 16);
/** Four block types × 36 floats: the windows with the signs of the mirror and the scale of the DCT. */
const windowsAt: usize = memory.data(4 * 36 * 4, 16);
/** Cosines of 10° to 80°, each as a float. */
const cosinesAt: usize = memory.data(4 * 9, 16);
/** Of the odd half of the DCT: nine floats. */
const oddScalesAt: usize = memory.data(4 * 9, 16);
/** Of short blocks: cosines of 15°, 45°, 75°, 30°. */
const shortCosinesAt: usize = memory.data(4 * 4, 16);
/** Twelve floats: the window of a short block, as above. */
const shortWindowAt: usize = memory.data(4 * 12, 16);
const evenAt: usize = memory.data(16 * 9, 16);
const oddAt: usize = memory.data(16 * 9, 16);

/** The window of block type 0, 1 or 3 at `i` of 36. */
function windowOf(blockType: u32, i: u32): f64 {
  const at = (i as f64) + 0.5;
  const long = Math.sin((Math.PI / 36) * at);
  if (blockType === 1) {
    if (i < 18) return long;
    if (i < 24) return 1;
    return i < 30 ? Math.sin((Math.PI / 12) * (at - 18)) : 0;
  }
  if (blockType === 3) {
    if (i < 6) return 0;
    if (i < 12) return Math.sin((Math.PI / 12) * (at - 6));
    return i < 18 ? 1 : long;
  }
  return long;
}

/** Value `i` of a block of 2n is value `mirrored` of its DCT-IV of n, negated behind the first quarter. */
function mirrored(i: u32, n: u32): u32 {
  const quarter = n / 2;
  if (i < quarter) return quarter + i;
  return i < 3 * quarter ? 3 * quarter - 1 - i : i - 3 * quarter;
}

function scaled(window: f64, i: u32, n: u32): f32 {
  const angle = (Math.PI / (4 * (n as f64))) * (2 * (mirrored(i, n) as f64) + 1);
  const value = window / (2 * Math.cos(angle));
  return (i < n / 2 ? value : -value) as f32;
}

export function buildTransformTables(): void {
  for (let blockType: u32 = 0; blockType < 4; blockType++)
    for (let i: u32 = 0; i < 36; i++)
      store<f32>(windowsAt + (blockType * 36 + i) * 4, scaled(windowOf(blockType, i), i, 18));
  for (let i: u32 = 0; i < 12; i++)
    store<f32>(shortWindowAt + i * 4, scaled(Math.sin((Math.PI / 12) * ((i as f64) + 0.5)), i, 6));
  for (let i: u32 = 0; i < 9; i++) {
    store<f32>(cosinesAt + i * 4, Math.cos((Math.PI / 18) * (i as f64)) as f32);
    store<f32>(oddScalesAt + i * 4, (0.5 / Math.cos((Math.PI / 36) * (2 * (i as f64) + 1))) as f32);
  }
  store<f32>(shortCosinesAt, Math.cos(Math.PI / 12) as f32);
  store<f32>(shortCosinesAt + 4, Math.cos(Math.PI / 4) as f32);
  store<f32>(shortCosinesAt + 8, Math.cos((5 * Math.PI) / 12) as f32);
  store<f32>(shortCosinesAt + 12, Math.cos(Math.PI / 6) as f32);
}

function cosine(tens: usize): v128 {
  return v128.load32_splat(cosinesAt + tens * 4);
}

function times(a: v128, b: v128): v128 {
  return f32x4.mul(a, b);
}

/** The DCT-III of nine vectors, in place: c(n) = Σ z(m) cos(πm(2n + 1) / 18). */
function nine(at: usize): void {
  const z0 = v128.load(at);
  const z1 = v128.load(at, 16);
  const z2 = v128.load(at, 32);
  const z3 = v128.load(at, 48);
  const z4 = v128.load(at, 64);
  const z5 = v128.load(at, 80);
  const z6 = v128.load(at, 96);
  const z7 = v128.load(at, 112);
  const z8 = v128.load(at, 128);
  const half = f32x4.splat(HALF);

  const base = f32x4.add(z0, times(z6, half));
  const c20 = cosine(2);
  const c40 = cosine(4);
  const c80 = cosine(8);
  const even0 = f32x4.add(base, f32x4.add(f32x4.add(times(z2, c20), times(z4, c40)), times(z8, c80)));
  const even2 = f32x4.add(base, f32x4.sub(f32x4.sub(times(z8, c40), times(z2, c80)), times(z4, c20)));
  const even3 = f32x4.add(base, f32x4.sub(f32x4.sub(times(z4, c80), times(z2, c40)), times(z8, c20)));
  const low = f32x4.sub(z0, z6);
  const high = f32x4.sub(f32x4.sub(z2, z4), z8);
  const even1 = f32x4.add(low, times(high, half));
  const even4 = f32x4.sub(low, high);

  const c10 = cosine(1);
  const c30 = cosine(3);
  const c50 = cosine(5);
  const c70 = cosine(7);
  const third = times(z3, c30);
  const odd0 = f32x4.add(f32x4.add(times(z1, c10), third), f32x4.add(times(z5, c50), times(z7, c70)));
  const odd1 = times(f32x4.sub(f32x4.sub(z1, z5), z7), c30);
  const odd2 = f32x4.add(f32x4.sub(times(z1, c50), third), f32x4.sub(times(z7, c10), times(z5, c70)));
  const odd3 = f32x4.add(f32x4.sub(times(z1, c70), third), f32x4.sub(times(z5, c10), times(z7, c50)));

  v128.store(at, f32x4.add(even0, odd0));
  v128.store(at, f32x4.add(even1, odd1), 16);
  v128.store(at, f32x4.add(even2, odd2), 32);
  v128.store(at, f32x4.add(even3, odd3), 48);
  v128.store(at, even4, 64);
  v128.store(at, f32x4.sub(even3, odd3), 80);
  v128.store(at, f32x4.sub(even2, odd2), 96);
  v128.store(at, f32x4.sub(even1, odd1), 112);
  v128.store(at, f32x4.sub(even0, odd0), 128);
}

/** A long block of type 0, 1 or 3. */
export function transformLong(blockType: u32): void {
  let line = f32x4.splat(0); // the odd line before
  let before = line; // and its sum with the one before that
  for (let m: usize = 0; m < 9; m++) {
    const even = v128.load(linesAt + m * 32);
    const odd = v128.load(linesAt + m * 32, 16);
    v128.store(evenAt + m * 16, f32x4.add(even, line));
    const sum = f32x4.add(odd, even);
    v128.store(oddAt + m * 16, f32x4.add(sum, before));
    before = sum;
    line = odd;
  }
  nine(evenAt);
  nine(oddAt);
  for (let n: usize = 0; n < 9; n++) {
    const even = v128.load(evenAt + n * 16);
    const odd = times(v128.load(oddAt + n * 16), v128.load32_splat(oddScalesAt + n * 4));
    v128.store(valuesAt + n * 16, f32x4.add(even, odd));
    v128.store(valuesAt + (17 - n) * 16, f32x4.sub(even, odd));
  }
  const window = windowsAt + blockType * 36 * 4;
  for (let i: usize = 0; i < 9; i++) {
    const low = v128.load(valuesAt + i * 16);
    const high = v128.load(valuesAt + (9 + i) * 16);
    const weight = window + i * 4;
    v128.store(blocksAt + i * 16, times(high, v128.load32_splat(weight)));
    v128.store(blocksAt + (17 - i) * 16, times(high, v128.load32_splat(window + (17 - i) * 4)));
    v128.store(blocksAt + (26 - i) * 16, times(low, v128.load32_splat(window + (26 - i) * 4)));
    v128.store(blocksAt + (27 + i) * 16, times(low, v128.load32_splat(weight, 108)));
  }
}

function addTo(at: usize, i: usize, value: v128, window: usize): void {
  const weighed = times(value, v128.load32_splat(shortWindowAt + window * 4));
  v128.store(at + i * 16, f32x4.add(v128.load(at + i * 16), weighed));
}

/** One window of a short block, its six lines three vectors apart, added to twelve values from `to` on. */
function transformWindow(from: usize, to: usize): void {
  const x0 = v128.load(from);
  const x1 = v128.load(from, 48);
  const x2 = v128.load(from, 96);
  const x3 = v128.load(from, 144);
  const x4 = v128.load(from, 192);
  const x5 = v128.load(from, 240);
  const y1 = f32x4.add(x1, x0);
  const y2 = f32x4.add(x2, x1);
  const y3 = f32x4.add(x3, x2);
  const y4 = f32x4.add(x4, x3);
  const y5 = f32x4.add(x5, x4);
  const c15 = v128.load32_splat(shortCosinesAt);
  const c45 = v128.load32_splat(shortCosinesAt, 4);
  const c75 = v128.load32_splat(shortCosinesAt, 8);
  const second = times(y2, v128.load32_splat(shortCosinesAt, 12));
  const base = f32x4.add(x0, times(y4, f32x4.splat(HALF)));
  const even0 = f32x4.add(base, second);
  const even1 = f32x4.sub(x0, y4);
  const even2 = f32x4.sub(base, second);
  const third = times(y3, c45);
  const odd0 = f32x4.add(f32x4.add(times(y1, c15), third), times(y5, c75));
  const odd1 = times(f32x4.sub(f32x4.sub(y1, y3), y5), c45);
  const odd2 = f32x4.add(f32x4.sub(times(y1, c75), third), times(y5, c15));
  const v0 = f32x4.add(even0, odd0);
  const v1 = f32x4.add(even1, odd1);
  const v2 = f32x4.add(even2, odd2);
  const v3 = f32x4.sub(even2, odd2);
  const v4 = f32x4.sub(even1, odd1);
  const v5 = f32x4.sub(even0, odd0);
  addTo(to, 0, v3, 0);
  addTo(to, 1, v4, 1);
  addTo(to, 2, v5, 2);
  addTo(to, 3, v5, 3);
  addTo(to, 4, v4, 4);
  addTo(to, 5, v3, 5);
  addTo(to, 6, v2, 6);
  addTo(to, 7, v1, 7);
  addTo(to, 8, v0, 8);
  addTo(to, 9, v0, 9);
  addTo(to, 10, v1, 10);
  addTo(to, 11, v2, 11);
}

/** Three short blocks, in the middle of what a long one would give. */
export function transformShort(): void {
  memory.fill(blocksAt, 0, 16 * 36);
  transformWindow(linesAt, blocksAt + 6 * 16);
  transformWindow(linesAt + 16, blocksAt + 12 * 16);
  transformWindow(linesAt + 32, blocksAt + 18 * 16);
}
