// Gain of speech that is brought to the level of another voice. It moves smoothly while there is sound, and turns what would
// be clipped down at once; as many samples come out as go in, without delay.

import type { PcmBlock } from '../stage.ts';

/** A change of gain is 63 % done after this. */
const MOVING_MS = 60;
/** What was turned down comes back by 63 % in this time. */
const RELEASE_MS = 80;
/** Just below full scale. */
const CEILING = 0.99;
/** A factor this near to where it moves is there. */
const THERE = 1e-4;

const NONE = new Float32Array(0);

/** One for each turn; does nothing unless another service goes on with it. */
export class SpeechGain {
  private target = 1;
  private factor = 1;
  /** What the limiter leaves of it. */
  private left = 1;
  private stream: 'before-sound' | 'in-sound' = 'before-sound';
  private made = NONE;

  /** Another stream begins, which has no gain yet. */
  begin(): void {
    this.target = 1;
    this.factor = 1;
    this.left = 1;
    this.stream = 'before-sound';
  }
  /** dB from here on: at once where the stream begins, else smoothly. */
  set(db: number): void {
    this.target = 10 ** (db / 20);
    if (this.stream === 'before-sound') this.factor = this.target;
  }
  /** It changes something. */
  isOn(): boolean {
    return this.target !== 1 || this.factor !== 1;
  }
  /** dB to which it is set. */
  db(): number {
    return 20 * Math.log10(this.target);
  }
  /** The block itself while it changes nothing; else scratch memory. */
  over(block: PcmBlock): PcmBlock {
    this.stream = 'in-sound';
    return this.isOn() ? { ...block, samples: this.apply(block) } : block;
  }

  private apply({ samples, sampleRate }: PcmBlock): Float32Array {
    if (this.made.length < samples.length) this.made = new Float32Array(samples.length);
    const made = this.made.length === samples.length ? this.made : this.made.subarray(0, samples.length);
    const move = 1 - Math.exp(-1000 / (sampleRate * MOVING_MS));
    const rise = 1 - Math.exp(-1000 / (sampleRate * RELEASE_MS));
    const { target } = this;
    let { factor, left } = this;
    for (let i = 0; i < samples.length; i += 1) {
      factor += (target - factor) * move;
      left += (1 - left) * rise;
      const asked = samples[i]! * factor;
      const loud = asked < 0 ? -asked : asked;
      if (loud * left > CEILING) left = CEILING / loud;
      made[i] = asked * left;
    }
    this.factor = Math.abs(target - factor) < THERE ? target : factor;
    this.left = left;
    return made;
  }
}
