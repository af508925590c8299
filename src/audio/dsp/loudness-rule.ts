// How loud a finished file is. −16 LUFS is what podcast services ask for and leave alone (Apple Podcasts: −16 ± 1,
// peaks to −1 dBTP; AES TD1008 has speech from −18 to −16), measured on the file as it is: one channel, BS.1770-4.
// What is heard of the file, decoded, is to stay below −1 dBTP; the room for what encoders add is below that.

export const TARGET_LUFS = -16;
export const CEILING_DBTP = -1;
/** What is quieter than −46 LUFS is noise rather than speech, and more gain would only make it heard. */
const MAX_GAIN_DB = 30;

export type Measured = {
  /** LUFS, −Infinity when there is nothing to measure. */
  readonly loudnessLufs: number;
  /** dB of full scale, −Infinity for digital silence. */
  readonly peakDbtp: number;
};

export type Levelling = {
  readonly gainDb: number;
  /**
   * `limit`: the gain lifts peaks above the ceiling. They are turned down one by one then, and the file stays as loud
   * as the others: speech has short peaks, and a gain that spared them would make some files 3 to 6 dB quieter.
   */
  readonly peaks: 'keep' | 'limit';
};

/** Sound too short or too quiet to be measured keeps its level. */
export function levelling({ loudnessLufs, peakDbtp }: Measured, ceilingDbtp = CEILING_DBTP): Levelling {
  const gainDb = Number.isFinite(loudnessLufs) ? Math.min(MAX_GAIN_DB, TARGET_LUFS - loudnessLufs) : 0;
  return { gainDb, peaks: peakDbtp + gainDb > ceilingDbtp ? 'limit' : 'keep' };
}

/** A smaller difference is not heard, and services that measure allow seven times as much. */
const NEAR_LU = 0.15;
/** Turning peaks down makes the sound quieter, and of the gain that makes up for it about a fifth is lost again. */
const MAKE_UP = 1.25;
/** The first finds what is missing, the second what is left after it has been made up for. */
export const MAX_TRIALS = 2;

/** What to try after `tried` came out at `loudnessLufs`; undefined when that is near enough, or all that can be done. */
export function nextLevelling(tried: Levelling, loudnessLufs: number): Levelling | undefined {
  const missingLu = TARGET_LUFS - loudnessLufs;
  if (tried.peaks === 'keep' || !Number.isFinite(missingLu) || Math.abs(missingLu) < NEAR_LU)
    return undefined;
  const gainDb = Math.min(MAX_GAIN_DB, tried.gainDb + MAKE_UP * missingLu);
  return gainDb === tried.gainDb ? undefined : { gainDb, peaks: 'limit' };
}

export const toDecibels = (ratio: number): number => 20 * Math.log10(ratio);
export const fromDecibels = (decibels: number): number => 10 ** (decibels / 20);
