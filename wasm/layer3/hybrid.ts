// A granule's spectrum → 18 times 32 subband samples: alias reduction, inverse MDCT, overlap with the granule before,
// and every other sample of every other subband negated (ISO 11172-3 2.4.3.4.10).

import { reduceAliases } from './alias';
import { heardSubbands } from './heard-band';
import { blocksAt, linesAt, transformLong, transformShort } from './imdct';
import { BLOCK_TYPE, IS_MIXED, SHORT } from './side-info';

const SUBBANDS: u32 = 32;
const LINES_OF_SUBBAND: u32 = 18;
const GROUPS: u32 = 8;
const GROUP_LINES: usize = 72;
const MIXED_EDGES: u32 = 1;
const NO_EDGES: u32 = 0;
/** Bytes from one time to the next. */
const TIME: usize = 32 * 4;
/** The long half of a mixed block's first group. */
const firstGroupAt: usize = memory.data(16 * 36, 16);

/** One more for the last, whose vectors are loaded whole. */
export const samplesAt: usize = memory.data(40 * 128, 16);

/** Subbands of `spectrum` that can be heard after alias reduction; `limit` is behind its last line that is not zero. */
function reduce(spectrum: usize, granule: usize, limit: u32): u32 {
  const subbands = min((limit + LINES_OF_SUBBAND - 1) / LINES_OF_SUBBAND, heardSubbands);
  if (subbands === 0) return 0;
  const isShort = load<u32>(granule, BLOCK_TYPE) === SHORT;
  const most = isShort ? (load<u32>(granule, IS_MIXED) === 1 ? MIXED_EDGES : NO_EDGES) : SUBBANDS - 1;
  const edges = min(min(subbands, most), heardSubbands - 1);
  reduceAliases(spectrum, edges);
  return max(subbands, edges + 1);
}

/** Four subbands of 18 lines each → 18 vectors of four. */
function gather(spectrum: usize): void {
  for (let line: usize = 0; line < 20; line += 4) {
    // The last two lines come with two that are known already.
    const first = line < 16 ? line : 14;
    const at = spectrum + first * 4;
    const a = v128.load(at);
    const b = v128.load(at, 72);
    const c = v128.load(at, 144);
    const d = v128.load(at, 216);
    const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
    const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
    const abEnd = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
    const cdEnd = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
    const to = linesAt + first * 16;
    v128.store(to, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
    v128.store(to, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7), 16);
    v128.store(to, v128.shuffle<f32>(abEnd, cdEnd, 0, 1, 4, 5), 32);
    v128.store(to, v128.shuffle<f32>(abEnd, cdEnd, 2, 3, 6, 7), 48);
  }
}

function transform(granule: usize, group: u32): void {
  const blockType = load<u32>(granule, BLOCK_TYPE);
  if (blockType !== SHORT) {
    transformLong(blockType);
    return;
  }
  if (group > 0 || load<u32>(granule, IS_MIXED) === 0) {
    transformShort();
    return;
  }
  // The two lowest subbands of a mixed block are long.
  transformLong(0);
  memory.copy(firstGroupAt, blocksAt, 16 * 36);
  transformShort();
  for (let i: usize = 0; i < 36 * 16; i += 16)
    v128.store(
      blocksAt + i,
      v128.shuffle<f32>(v128.load(firstGroupAt + i), v128.load(blocksAt + i), 0, 1, 6, 7),
    );
}

/**
 * The samples of one granule to `to`, and to `overlap` what is added to the next one. `held` groups of four subbands of
 * the overlap are not zero; returns how many are now.
 */
export function synthesizeSubbands(
  spectrum: usize,
  granule: usize,
  limit: u32,
  overlap: usize,
  held: u32,
  to: usize,
): u32 {
  const groups = (reduce(spectrum, granule, limit) + 3) >> 2;
  const everyOther = i32x4(0, 0x8000_0000, 0, 0x8000_0000);
  const zero = f32x4.splat(0);
  for (let group: u32 = 0; group < GROUPS; group++, to += 16, overlap += 18 * 16) {
    if (group < groups) {
      gather(spectrum + GROUP_LINES * 4 * group);
      transform(granule, group);
      for (let i: usize = 0; i < 18; i += 2) {
        const here = blocksAt + i * 16;
        const saved = overlap + i * 16;
        const at = to + i * TIME;
        v128.store(at, f32x4.add(v128.load(here), v128.load(saved)));
        v128.store(at, v128.xor(f32x4.add(v128.load(here, 16), v128.load(saved, 16)), everyOther), TIME);
        v128.store(saved, v128.load(here, 18 * 16));
        v128.store(saved, v128.load(here, 19 * 16), 16);
      }
    } else if (group < held) {
      for (let i: usize = 0; i < 18; i += 2) {
        const saved = overlap + i * 16;
        v128.store(to + i * TIME, v128.load(saved));
        v128.store(to + i * TIME, v128.xor(v128.load(saved, 16), everyOther), TIME);
        v128.store(saved, zero);
        v128.store(saved, zero, 16);
      }
    } else for (let i: usize = 0; i < 18; i++) v128.store(to + i * TIME, zero);
  }
  return groups;
}

/** A second channel with blocks of another kind, added to what `synthesizeSubbands` gave. */
export function addSubbands(
  spectrum: usize,
  granule: usize,
  limit: u32,
  overlap: usize,
  held: u32,
  to: usize,
): u32 {
  const groups = (reduce(spectrum, granule, limit) + 3) >> 2;
  const everyOther = i32x4(0, 0x8000_0000, 0, 0x8000_0000);
  for (let group: u32 = 0; group < groups; group++, to += 16, overlap += 18 * 16) {
    gather(spectrum + GROUP_LINES * 4 * group);
    transform(granule, group);
    for (let i: usize = 0; i < 18; i++) {
      const at = to + i * TIME;
      const saved = overlap + i * 16;
      let now = v128.load(blocksAt + i * 16);
      if ((i & 1) === 1) now = v128.xor(now, everyOther);
      v128.store(at, f32x4.add(v128.load(at), now));
      v128.store(saved, f32x4.add(v128.load(saved), v128.load(blocksAt + (18 + i) * 16)));
    }
  }
  return max(groups, held);
}
