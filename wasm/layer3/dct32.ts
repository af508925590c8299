// The matrixing of the synthesis filter bank, as a DCT-II of 32 for four times at once, one in each lane. A DCT of n is
// one of n/2 over sums, and one over differences whose neighbours are added: twice that, and then eight values by hand.

/** 1 / (2 cos((2k + 1)π / 2n)) for n of 32 and 16, one behind the other. */
const halves32At: usize = memory.data(4 * 16, 16);
const halves16At: usize = memory.data(4 * 8, 16);
/** The same of 8, of 4, and cos(π/4). */
const halves8At: usize = memory.data(4 * 7, 16);
const halves4At: usize = halves8At + 16;
const rootAt: usize = halves8At + 24;
/** 32 sums and differences, then four DCTs of 8 and a zero behind each. */
const workAt: usize = memory.data(16 * 32, 16);
const evenAt: usize = memory.data(16 * 9, 16);
const evenOddAt: usize = memory.data(16 * 9, 16);
const oddAt: usize = memory.data(16 * 9, 16);
const oddOddAt: usize = memory.data(16 * 9, 16);
/** Bytes from one time to the next, of samples and of records. */
const TIME: usize = 32 * 4;

function buildHalves(at: usize, n: u32): void {
  for (let k: u32 = 0; k < n / 2; k++)
    store<f32>(at + k * 4, (0.5 / Math.cos((Math.PI * (2 * (k as f64) + 1)) / (2 * (n as f64)))) as f32);
}

export function buildDctTables(): void {
  buildHalves(halves32At, 32);
  buildHalves(halves16At, 16);
  buildHalves(halves8At, 8);
  buildHalves(halves4At, 4);
  store<f32>(rootAt, Math.cos(Math.PI / 4) as f32);
}

function scaledDifference(a: v128, b: v128, scaleAt: usize): v128 {
  return f32x4.mul(f32x4.sub(a, b), v128.load32_splat(scaleAt));
}

/** The DCT of eight vectors. */
function eight(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128, to: usize): void {
  const s0 = f32x4.add(a, h);
  const s1 = f32x4.add(b, g);
  const s2 = f32x4.add(c, f);
  const s3 = f32x4.add(d, e);
  const d0 = scaledDifference(a, h, halves8At);
  const d1 = scaledDifference(b, g, halves8At + 4);
  const d2 = scaledDifference(c, f, halves8At + 8);
  const d3 = scaledDifference(d, e, halves8At + 12);

  const p0 = f32x4.add(s0, s3);
  const p1 = f32x4.add(s1, s2);
  const q0 = scaledDifference(s0, s3, halves4At);
  const q1 = scaledDifference(s1, s2, halves4At + 4);
  const q2 = scaledDifference(q0, q1, rootAt);
  v128.store(to, f32x4.add(p0, p1));
  v128.store(to, f32x4.add(f32x4.add(q0, q1), q2), 32);
  v128.store(to, scaledDifference(p0, p1, rootAt), 64);
  v128.store(to, q2, 96);

  const t0 = f32x4.add(d0, d3);
  const t1 = f32x4.add(d1, d2);
  const u0 = scaledDifference(d0, d3, halves4At);
  const u1 = scaledDifference(d1, d2, halves4At + 4);
  const u2 = scaledDifference(u0, u1, rootAt);
  const v0 = f32x4.add(t0, t1);
  const v1 = f32x4.add(f32x4.add(u0, u1), u2);
  const v2 = scaledDifference(t0, t1, rootAt);
  v128.store(to, f32x4.add(v0, v1), 16);
  v128.store(to, f32x4.add(v1, v2), 48);
  v128.store(to, f32x4.add(v2, u2), 80);
  v128.store(to, u2, 112);
}

/** Sixteen vectors → the DCT of eight of their sums and of their differences. */
function sixteen(at: usize, sums: usize, differences: usize): void {
  const x0 = v128.load(at);
  const x1 = v128.load(at, 16);
  const x2 = v128.load(at, 32);
  const x3 = v128.load(at, 48);
  const x4 = v128.load(at, 64);
  const x5 = v128.load(at, 80);
  const x6 = v128.load(at, 96);
  const x7 = v128.load(at, 112);
  const x8 = v128.load(at, 128);
  const x9 = v128.load(at, 144);
  const x10 = v128.load(at, 160);
  const x11 = v128.load(at, 176);
  const x12 = v128.load(at, 192);
  const x13 = v128.load(at, 208);
  const x14 = v128.load(at, 224);
  const x15 = v128.load(at, 240);
  eight(
    f32x4.add(x0, x15),
    f32x4.add(x1, x14),
    f32x4.add(x2, x13),
    f32x4.add(x3, x12),
    f32x4.add(x4, x11),
    f32x4.add(x5, x10),
    f32x4.add(x6, x9),
    f32x4.add(x7, x8),
    sums,
  );
  eight(
    scaledDifference(x0, x15, halves16At),
    scaledDifference(x1, x14, halves16At + 4),
    scaledDifference(x2, x13, halves16At + 8),
    scaledDifference(x3, x12, halves16At + 12),
    scaledDifference(x4, x11, halves16At + 16),
    scaledDifference(x5, x10, halves16At + 20),
    scaledDifference(x6, x9, halves16At + 24),
    scaledDifference(x7, x8, halves16At + 28),
    differences,
  );
}

/** The first butterflies: times become lanes here. */
function fold(samples: usize): void {
  for (let group: usize = 0; group < 4; group++) {
    const low = samples + group * 16;
    const r0 = v128.load(low);
    const r1 = v128.load(low, 128);
    const r2 = v128.load(low, 256);
    const r3 = v128.load(low, 384);
    const high = samples + (7 - group) * 16;
    const h0 = v128.load(high);
    const h1 = v128.load(high, 128);
    const h2 = v128.load(high, 256);
    const h3 = v128.load(high, 384);
    const r01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const r23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const r01End = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const r23End = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    const h01 = v128.shuffle<f32>(h0, h1, 0, 4, 1, 5);
    const h23 = v128.shuffle<f32>(h2, h3, 0, 4, 1, 5);
    const h01End = v128.shuffle<f32>(h0, h1, 2, 6, 3, 7);
    const h23End = v128.shuffle<f32>(h2, h3, 2, 6, 3, 7);
    const a0 = v128.shuffle<f32>(r01, r23, 0, 1, 4, 5);
    const a1 = v128.shuffle<f32>(r01, r23, 2, 3, 6, 7);
    const a2 = v128.shuffle<f32>(r01End, r23End, 0, 1, 4, 5);
    const a3 = v128.shuffle<f32>(r01End, r23End, 2, 3, 6, 7);
    const b3 = v128.shuffle<f32>(h01, h23, 0, 1, 4, 5);
    const b2 = v128.shuffle<f32>(h01, h23, 2, 3, 6, 7);
    const b1 = v128.shuffle<f32>(h01End, h23End, 0, 1, 4, 5);
    const b0 = v128.shuffle<f32>(h01End, h23End, 2, 3, 6, 7);
    const to = workAt + group * 64;
    const scales = halves32At + group * 16;
    v128.store(to, f32x4.add(a0, b0));
    v128.store(to, f32x4.add(a1, b1), 16);
    v128.store(to, f32x4.add(a2, b2), 32);
    v128.store(to, f32x4.add(a3, b3), 48);
    v128.store(to, scaledDifference(a0, b0, scales), 256);
    v128.store(to, scaledDifference(a1, b1, scales + 4), 272);
    v128.store(to, scaledDifference(a2, b2, scales + 8), 288);
    v128.store(to, scaledDifference(a3, b3, scales + 12), 304);
  }
}

/** Four vectors of four times → one vector in each time's record. */
function spread(a: v128, b: v128, c: v128, d: v128, to: usize): void {
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const abEnd = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cdEnd = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
  v128.store(to, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7), TIME);
  v128.store(to, v128.shuffle<f32>(abEnd, cdEnd, 0, 1, 4, 5), 2 * TIME);
  v128.store(to, v128.shuffle<f32>(abEnd, cdEnd, 2, 3, 6, 7), 3 * TIME);
}

/**
 * Four times 32 subband samples from `samples` on → four records from `records` on: values 16 to 31 of the DCT, then 0
 * and 15 down to 1. Value 16 of each goes to `middle` as well.
 */
export function transformTimes(samples: usize, records: usize, middle: usize): void {
  fold(samples);
  sixteen(workAt, evenAt, evenOddAt);
  sixteen(workAt + 256, oddAt, oddOddAt);
  let last1 = f32x4.splat(0);
  let last2 = last1;
  let last3 = last1;
  for (let n: usize = 0; n < 8; n++) {
    const at = n * 16;
    // Behind the eighth value of each there is a zero.
    const odd = v128.load(oddAt + at);
    const oddOdd = f32x4.add(v128.load(oddOddAt + at), v128.load(oddOddAt + at, 16));
    const value0 = v128.load(evenAt + at);
    const value1 = f32x4.add(odd, oddOdd);
    const value2 = f32x4.add(v128.load(evenOddAt + at), v128.load(evenOddAt + at, 16));
    const value3 = f32x4.add(v128.load(oddAt + at, 16), oddOdd);
    if (n >= 4) spread(value0, value1, value2, value3, records + (n - 4) * 16);
    if (n === 4) v128.store(middle, value0);
    // Value 4n with those before it, downwards; that of n = 0 goes in front of 15, 14 and 13.
    if (n === 0) v128.store(workAt, value0);
    else if (n < 4) spread(value0, last3, last2, last1, records + 64 + (4 - n) * 16);
    else if (n === 4) spread(v128.load(workAt), last3, last2, last1, records + 64);
    last1 = value1;
    last2 = value2;
    last3 = value3;
  }
}
