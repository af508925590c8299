// The sound path without WASM, in doubles: several times as slow, the reference that the other is tested against, and
// the fallback where the WASM instance has no room.

import type { ClosableStage, Stage } from '../stage.ts';
import type { FilterBanks } from './filter-bank.ts';
import { createPlainMixer } from './mix-down.ts';
import { createPcmEncoder } from './pcm-format.ts';
import { createResampler } from './resampler.ts';
import type { Rates, SoundPath } from './sound-path.ts';

export function createPlainSoundPath(banks: FilterBanks): SoundPath {
  const resample = (rates: Rates, emit: (samples: Float32Array) => void) =>
    endingOnce(createResampler(banks, rates, emit));
  return {
    ...createPlainMixer(),
    resample,
    encode: (rates, format, emit) => resample(rates, createPcmEncoder(format, emit)),
  };
}

function endingOnce(stage: Stage<Float32Array>): ClosableStage<Float32Array> {
  let isOver = false;
  return {
    push(samples) {
      if (!isOver) stage.push(samples);
    },
    flush() {
      if (isOver) return;
      isOver = true;
      stage.flush();
    },
    close() {
      isOver = true;
    },
  };
}
