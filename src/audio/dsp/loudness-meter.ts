// Integrated loudness of mono sound as ITU-R BS.1770-4 (Annex 1) and EBU R 128 have it: K-weighting, blocks of 400 ms
// that overlap by three quarters, an absolute gate and a relative one. Memory grows by 80 bytes a second of sound.

/** Blocks begin every 100 ms and last four of these steps. */
const STEPS_PER_SECOND = 10;
const STEPS_PER_BLOCK = 4;
/** LUFS of a mean square of 1; makes a 997 Hz sine at full scale in one channel −3.01 LUFS. */
const OFFSET_LU = -0.691;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;
/** A filter that rings out in silence would reach numbers that processors work on a hundred times as slowly. */
const NOTHING = 1e-30;

export type LoudnessMeter = {
  /** Samples in −1…1; the split does not matter. */
  push(samples: Float32Array): void;
  /** LUFS of all whole blocks so far; −Infinity when none is above the absolute gate, as in less than 400 ms. */
  integrated(): number;
};

type Biquad = {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
};

/**
 * The two filters of the recommendation's tables 1 and 2, which are given for 48 kHz alone, as the analogue ones
 * behind them, so that every rate has its own. Frequencies, gain and Q were worked out from those tables by
 * B. De Man (Evaluation of Implementations of the EBU R128 Loudness Measurement, AES 145, 2018).
 */
export function kWeighting(sampleRate: number): readonly [shelf: Biquad, highPass: Biquad] {
  return [shelf(sampleRate), highPass(sampleRate)];
}

function shelf(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  const scale = 1 + k / q + k * k;
  return {
    b0: (high + (middle * k) / q + k * k) / scale,
    b1: (2 * (k * k - high)) / scale,
    b2: (high - (middle * k) / q + k * k) / scale,
    a1: (2 * (k * k - 1)) / scale,
    a2: (1 - k / q + k * k) / scale,
  };
}

function highPass(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate);
  const q = 0.5003270373238773;
  const scale = 1 + k / q + k * k;
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / scale, a2: (1 - k / q + k * k) / scale };
}

/** `sampleRate` in Hz, from 8000. */
export function createLoudnessMeter(sampleRate: number): LoudnessMeter {
  const [first, second] = kWeighting(sampleRate);
  /** Steps end at whole samples and never drift. */
  const stepEnd = (index: number) => Math.round((index * sampleRate) / STEPS_PER_SECOND);
  let powers = new Float64Array(1024);
  let steps = 0;
  let position = 0;
  let power = 0;
  // Both filters in the transposed direct form, two states each.
  let [s1, s2, t1, t2] = [0, 0, 0, 0];

  const endStep = (): void => {
    if (steps === powers.length) {
      const longer = new Float64Array(2 * steps);
      longer.set(powers);
      powers = longer;
    }
    powers[steps++] = power;
    power = 0;
    if (Math.abs(s1) + Math.abs(s2) + Math.abs(t1) + Math.abs(t2) < NOTHING) s1 = s2 = t1 = t2 = 0;
  };

  const measure = (samples: Float32Array, from: number, to: number): void => {
    const { b0, b1, b2, a1, a2 } = first;
    const { a1: c1, a2: c2 } = second;
    let sum = power;
    for (let i = from; i < to; i++) {
      const sample = samples[i]!;
      const shelved = b0 * sample + s1;
      s1 = b1 * sample - a1 * shelved + s2;
      s2 = b2 * sample - a2 * shelved;
      const weighted = shelved + t1;
      t1 = -2 * shelved - c1 * weighted + t2;
      t2 = shelved - c2 * weighted;
      sum += weighted * weighted;
    }
    power = sum;
  };

  /** Mean square of block `index`. */
  const blockPower = (index: number): number => {
    let sum = 0;
    for (let step = index; step < index + STEPS_PER_BLOCK; step++) sum += powers[step]!;
    return sum / (stepEnd(index + STEPS_PER_BLOCK) - stepEnd(index));
  };

  /** Mean of the blocks that are louder than the gate; 0 when none is. */
  const gated = (gatePower: number): number => {
    let sum = 0;
    let blocks = 0;
    for (let index = 0; index + STEPS_PER_BLOCK <= steps; index++) {
      const one = blockPower(index);
      if (one <= gatePower) continue;
      sum += one;
      blocks += 1;
    }
    return blocks === 0 ? 0 : sum / blocks;
  };

  return {
    push(samples) {
      for (let from = 0; from < samples.length; ) {
        const to = Math.min(samples.length, from + stepEnd(steps + 1) - position);
        measure(samples, from, to);
        position += to - from;
        from = to;
        if (position === stepEnd(steps + 1)) endStep();
      }
    },
    integrated() {
      const absolute = powerOf(ABSOLUTE_GATE_LUFS);
      const loud = gated(absolute);
      return loudnessOf(gated(Math.max(absolute, loud * 10 ** (RELATIVE_GATE_LU / 10))));
    },
  };
}

const loudnessOf = (power: number): number => OFFSET_LU + 10 * Math.log10(power);
const powerOf = (lufs: number): number => 10 ** ((lufs - OFFSET_LU) / 10);
