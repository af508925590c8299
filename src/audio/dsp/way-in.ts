// The way of decoded sound into a turn's encoder: one stage for samples of a rate, and another when the rate changes, or the
// stride in which a filter may read them.

import type { ClosableStage, PcmBlock } from '../stage.ts';
import { strideOf } from './thinning.ts';

export type WayIn = {
  /** What may hold more than the sound before it is not read in its strides: it would fold back. */
  push(block: PcmBlock, belowHz: number | undefined): void;
  /** Hz of the last block; 0 before there was any. */
  rate(): number;
  /** All that came in comes out; the next block opens another stage. */
  flush(): void;
  /** What has not come out never will. */
  close(): void;
};

/** What stages are had from. */
export type StageMaker = {
  /** A stage for samples of a rate that hold nothing above `belowHz`. */
  openStage(fromRate: number, belowHz: number | undefined): ClosableStage<Float32Array>;
  /** What they are brought to from there. */
  toRate(fromRate: number): number;
};

/** One for each turn, called for each MP3 frame. */
class StagedWayIn implements WayIn {
  private readonly maker: StageMaker;
  private stage: ClosableStage<Float32Array> | undefined;
  private lastRate = 0;
  private limitHz: number | undefined;
  private stride = 1;

  constructor(maker: StageMaker) {
    this.maker = maker;
  }

  push({ samples, sampleRate }: PcmBlock, belowHz: number | undefined): void {
    if (sampleRate !== this.lastRate || belowHz !== this.limitHz) this.change(sampleRate, belowHz);
    this.stage ??= this.maker.openStage(sampleRate, belowHz);
    this.stage.push(samples);
  }
  rate(): number {
    return this.lastRate;
  }
  flush(): void {
    this.stage?.flush();
    this.stage = undefined;
  }
  close(): void {
    this.stage?.close();
    this.stage = undefined;
  }

  private change(fromRate: number, belowHz: number | undefined): void {
    const stride = strideOf({ fromRate, toRate: this.maker.toRate(fromRate), belowHz });
    if (fromRate !== this.lastRate || stride !== this.stride) this.flush();
    this.lastRate = fromRate;
    this.limitHz = belowHz;
    this.stride = stride;
  }
}

export const createWayIn = (maker: StageMaker): WayIn => new StagedWayIn(maker);
