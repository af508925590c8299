// The active level of speech by ITU-T P.56 (12/2011), method B (clause 8): the power of the sound over the time in which there is speech, and no
// pauses. What is active is found by an envelope against thresholds 6 dB apart; the one is taken that lies 15.9 dB below the level
// that it gives. As in ITU-T G.191, without the filter of clause 10.2. Pure.
//
// The envelope is taken for blocks of 4 ms, not for samples: it changes by an eighth of its time constant in one, and a sample costs
// an addition and a multiplication.

/** Time constant of each of the two filters of the envelope, and how long what was above a threshold counts as above it, ms. */
const TIME_CONSTANT_MS = 30;
const HANGOVER_MS = 200;
const MARGIN_DB = 15.9;
/** Of full scale: a half, and each the half of the one before. */
const THRESHOLDS = Float64Array.from({ length: 15 }, (_, j) => 2 ** -(j + 1));
const COUNT = THRESHOLDS.length;

const BLOCK_MS = 4;
const KEPT = Math.exp(-BLOCK_MS / TIME_CONSTANT_MS);
const HANGOVER_BLOCKS = HANGOVER_MS / BLOCK_MS;

/** What a level is worked out from; those of several sounds can be added. */
export class LevelTally {
  /** Sum of squares, in ms of full scale. */
  energyMs = 0;
  /** How long the sound was active by each threshold, ms. */
  readonly activeMs = new Float64Array(COUNT);

  add(other: LevelTally): void {
    this.energyMs += other.energyMs;
    for (let j = 0; j < COUNT; j += 1) this.activeMs[j]! += other.activeMs[j]!;
  }
  /** Weighs as if it had lasted so much less. */
  scale(share: number): void {
    this.energyMs *= share;
    for (let j = 0; j < COUNT; j += 1) this.activeMs[j]! *= share;
  }
  copy(): LevelTally {
    const copy = new LevelTally();
    copy.add(this);
    return copy;
  }
  /** dB of full scale (a square wave of ±1 is 0), and for how long it was active; undefined: nothing was. */
  active(): { readonly levelDb: number; readonly activeMs: number } | undefined {
    let belowDb: number | undefined;
    let belowOverDb = 0;
    for (let j = COUNT - 1; j >= 0; j -= 1) {
      const activeMs = this.activeMs[j]!;
      if (activeMs === 0) break;
      const levelDb = 10 * Math.log10(this.energyMs / activeMs);
      const overDb = levelDb - 20 * Math.log10(THRESHOLDS[j]!);
      if (overDb <= MARGIN_DB) {
        // Between this threshold and the one below it, in a straight line over decibels.
        const share =
          belowDb === undefined ? 1 : (belowOverDb - MARGIN_DB) / Math.max(1e-9, belowOverDb - overDb);
        return this.of((belowDb ?? levelDb) + share * (levelDb - (belowDb ?? levelDb)));
      }
      belowDb = levelDb;
      belowOverDb = overDb;
    }
    // It is never 15.9 dB above the highest threshold that it reaches: shorter than a word.
    return belowDb === undefined ? undefined : this.of(belowDb);
  }

  private of(levelDb: number): { readonly levelDb: number; readonly activeMs: number } {
    return { levelDb, activeMs: this.energyMs / 10 ** (levelDb / 10) };
  }
}

/** One for each sound; takes it in any pieces. */
export class ActiveLevelMeter {
  readonly tally = new LevelTally();
  /** Blocks since the envelope was above a threshold. */
  private readonly since = new Float64Array(COUNT).fill(HANGOVER_BLOCKS + 1);
  private rate = 0;
  private block = 0;
  private filled = 0;
  private magnitudes = 0;
  private squares = 0;
  private first = 0;
  private envelope = 0;

  /** Samples in −1…1 at `sampleRate` Hz, from 8000. */
  push(samples: Float32Array, sampleRate: number): void {
    if (sampleRate !== this.rate) {
      this.rate = sampleRate;
      this.block = Math.round((sampleRate * BLOCK_MS) / 1000);
      [this.filled, this.magnitudes, this.squares] = [0, 0, 0];
    }
    for (let from = 0; from < samples.length; ) {
      const to = Math.min(samples.length, from + this.block - this.filled);
      let { magnitudes, squares } = this;
      for (let i = from; i < to; i += 1) {
        const sample = samples[i]!;
        magnitudes += sample < 0 ? -sample : sample;
        squares += sample * sample;
      }
      this.magnitudes = magnitudes;
      this.squares = squares;
      this.filled += to - from;
      from = to;
      if (this.filled === this.block) this.endBlock();
    }
  }

  private endBlock(): void {
    const { tally, since, block } = this;
    this.first = KEPT * this.first + (1 - KEPT) * (this.magnitudes / block);
    this.envelope = KEPT * this.envelope + (1 - KEPT) * this.first;
    tally.energyMs += (this.squares / block) * BLOCK_MS;
    for (let j = 0; j < COUNT; j += 1) {
      const blocks = this.envelope >= THRESHOLDS[j]! ? 0 : since[j]! + 1;
      if (blocks <= HANGOVER_BLOCKS) tally.activeMs[j]! += BLOCK_MS;
      since[j] = Math.min(blocks, HANGOVER_BLOCKS + 1);
    }
    [this.filled, this.magnitudes, this.squares] = [0, 0, 0];
  }
}
