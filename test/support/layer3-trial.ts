// Frames with everything that Layer III has, drawn at random from a seed: all tables and block types, mixed blocks, scale
// factors of every form, middle and side, intensity stereo.
import { parseMp3Header } from '../../src/audio/mp3/mp3-header.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import {
  GREATEST,
  type Layer3Frame,
  type Layer3Granule,
  LINEAR_BITS,
  writeLayer3Frame,
} from './layer3-writer.ts';

export type TrialKind = {
  readonly version: 1 | 2 | 2.5;
  /** 0–2: 44.1, 48, 32 kHz of MPEG-1, halved and halved again by the others. */
  readonly rate: 0 | 1 | 2;
  readonly stereo: 'mono' | 'left-right' | 'middle-side' | 'intensity' | 'both';
  /** Both channels have the same block type, as encoders do it. */
  readonly areAlike: boolean;
};

const FIRST_LENGTHS = [0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4];
const SECOND_LENGTHS = [0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3];
/** By long, short and mixed: how many scale factors have each of the four lengths of the plainest form of MPEG-2. */
const COUNTS = [
  [6, 5, 5, 5],
  [9, 9, 9, 9],
  [6, 9, 9, 9],
];
const POSITION_COUNTS = [
  [7, 7, 7],
  [12, 12, 12],
  [6, 15, 12],
];
const USED_TABLES = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 24, 25, 27];
const NO_POSITION = 7;

const wordOf = ({ version, rate, stereo }: TrialKind, isProtected: boolean): number => {
  const versionBits = version === 1 ? 3 : version === 2 ? 2 : 0;
  const mode = stereo === 'mono' ? 3 : stereo === 'left-right' ? 0 : 1;
  const extension = { mono: 0, 'left-right': 0, 'middle-side': 2, intensity: 1, both: 3 }[stereo];
  return (
    ((0x7ff << 21) |
      (versionBits << 19) |
      (1 << 17) |
      ((isProtected ? 0 : 1) << 16) |
      (14 << 12) |
      (rate << 10) |
      (mode << 6) |
      (extension << 4)) >>>
    0
  );
};

/** `seed` → the same frames each time; those that would not fit are left out. */
export function trialFrames(kind: TrialKind, seed: number, count: number): Uint8Array[] {
  const random = seededNumbers(seed, 0);
  const whole = (below: number) => Math.min(below - 1, Math.floor(random() * below));
  const pick = <T>(from: readonly T[]): T => from[whole(from.length)]!;
  const isMpeg1 = kind.version === 1;
  const isJoint = kind.stereo === 'intensity' || kind.stereo === 'both';

  const factorsOf = (form: number, kindOf: number, arePositions: boolean, shared: number) => {
    const drawn = (bits: number): readonly [number, number] => {
      if (!arePositions) return [whole(2 ** bits), bits];
      if (isMpeg1) return [whole(Math.min(2 ** bits, NO_POSITION + 1)), bits];
      // In MPEG-2 the greatest position is none by the standard; to mpg123 it is 7.
      const position = whole(Math.max(1, 2 ** bits - 1));
      return [position === NO_POSITION ? NO_POSITION - 1 : position, bits];
    };
    const run = (length: number, bits: number) => Array.from({ length }, () => drawn(bits));
    if (isMpeg1) {
      const [first, second] = [FIRST_LENGTHS[form]!, SECOND_LENGTHS[form]!];
      if (kindOf > 0) return [...run(kindOf === 1 ? 18 : 17, first), ...run(18, second)];
      const parts = [run(6, first), run(5, first), run(5, second), run(5, second)];
      return parts.filter((_, i) => (shared & (8 >> i)) === 0).flat();
    }
    if (arePositions) {
      const half = form >> 1;
      const lengths = [Math.floor(half / 36), Math.floor((half % 36) / 6), half % 6];
      return POSITION_COUNTS[kindOf]!.flatMap((length, i) => run(length, lengths[i]!));
    }
    const lengths = [Math.floor((form >> 4) / 5), (form >> 4) % 5, (form >> 2) & 3, form & 3];
    return COUNTS[kindOf]!.flatMap((length, i) => run(length, lengths[i]!));
  };

  const granuleOf = (
    channel: number,
    blockType: 0 | 1 | 2 | 3,
    isMixed: boolean,
    shared: number,
  ): Layer3Granule => {
    const isPositioned = isJoint && channel === 1;
    // The second channel of intensity stereo ends early, so that something is left to share.
    const most = isPositioned ? 40 : 120;
    const lines = 2 * whole(most / 2);
    const loud = random() < 0.2;
    const single = pick(USED_TABLES);
    const bigValues = Array.from({ length: lines }, () => {
      const bits = LINEAR_BITS[single]!;
      const most =
        GREATEST[single]! + (loud && bits > 0 && random() < 0.1 ? Math.min(2 ** bits - 1, 200) : 0);
      return (random() < 0.5 ? 1 : -1) * whole(most + 1);
    });
    // mpg123 spares itself the alias reduction behind the last line, also where lines of the other channel come in
    // from a block of another type: there are none behind the last line of all.
    const isFull = kind.stereo === 'middle-side' && !kind.areAlike;
    const rest = Math.floor((576 - lines) / 4);
    const quadruples = Array.from({ length: isFull ? rest : whole(isPositioned ? 4 : 30) }, () =>
      Array.from({ length: 4 }, () => (isFull ? whole(2) * 2 - 1 : whole(3) - 1)),
    );
    const form = isMpeg1 ? whole(16) : isPositioned ? 2 * whole(100) + whole(2) : whole(400);
    const kindOf = blockType === 2 ? (isMixed ? 2 : 1) : 0;
    return {
      gain: 168 + whole(12),
      blockType,
      isMixed,
      tables: Array.from({ length: blockType === 0 ? 3 : 2 }, () => single),
      regions: [whole(16), whole(8)],
      subblockGains: [0, 1, 2].map(() => whole(3)),
      hasPreemphasis: isMpeg1 && blockType === 0 && random() < 0.3,
      isCoarse: random() < 0.3,
      form,
      factors: factorsOf(form, kindOf, isPositioned, blockType === 2 ? 0 : shared),
      bigValues,
      quadruples,
      quadrupleTable: random() < 0.5 ? 0 : 1,
    };
  };

  const draw = (): Layer3Frame => {
    const word = wordOf(kind, random() < 0.2);
    const channels = parseMp3Header(word)!.channels;
    const typeOf = () => ({
      blockType: pick([0, 0, 1, 2, 2, 3] as const),
      // Mixed blocks of MPEG-2 are read in different ways.
      isMixed: isMpeg1 && random() < 0.5,
    });
    const granules: Layer3Granule[][] = [];
    const shared = Array.from({ length: channels }, () => 0);
    for (let index = 0; index < (isMpeg1 ? 2 : 1); index++) {
      const type = typeOf();
      const types = Array.from({ length: channels }, () => (kind.areAlike ? type : typeOf()));
      granules.push(
        types.map(({ blockType, isMixed }, k) => {
          const before = granules[0]?.[k];
          // What is shared has to be there: long blocks in both granules.
          if (before !== undefined && before.blockType !== 2 && blockType !== 2 && random() < 0.5)
            shared[k] = whole(16);
          return granuleOf(k, blockType, blockType === 2 && isMixed, shared[k]!);
        }),
      );
    }
    return { word, shared, granules };
  };

  const frames: Uint8Array[] = [];
  while (frames.length < count) {
    const frame = writeLayer3Frame(draw());
    if (frame !== undefined) frames.push(frame);
  }
  return frames;
}
