// The way of decoded sound into a turn's encoder: one stage for samples of a rate, and another when the rate changes, or the
// stride in which a filter may read them.

import type { ClosableStage, PcmBlock } from './stage.ts';
import { strideOf } from './thinning.ts';

export type WayIn = {
  /** What may hold more than the sound before it is not read in its strides: it would fold back. */
  push(block: PcmBlock, belowHz: number | undefined): void;
  /** Hz of the last block; 0 before there was any. */
  rate(): number;
  /** All that came in comes out; the next block opens another stage. */
  readonly flush: () => void;
  /** What has not come out never will. */
  close(): void;
};

/** `open` makes a stage for samples of a rate that hold nothing above `belowHz`; `toRate`: what they are brought to from there. */
export function createWayIn(
  open: (fromRate: number, belowHz: number | undefined) => ClosableStage<Float32Array>,
  toRate: (fromRate: number) => number,
): WayIn {
  let stage: ClosableStage<Float32Array> | undefined;
  let rate = 0;
  let limitHz: number | undefined;
  let stride = 1;

  const flush = () => {
    stage?.flush();
    stage = undefined;
  };
  return {
    push({ samples, sampleRate: fromRate }, belowHz) {
      if (fromRate !== rate || belowHz !== limitHz) {
        const next = strideOf({ fromRate, toRate: toRate(fromRate), belowHz });
        if (fromRate !== rate || next !== stride) flush();
        [rate, limitHz, stride] = [fromRate, belowHz, next];
      }
      stage ??= open(fromRate, belowHz);
      stage.push(samples);
    },
    rate: () => rate,
    flush,
    close() {
      stage?.close();
      stage = undefined;
    },
  };
}
