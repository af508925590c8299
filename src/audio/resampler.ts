// One stream's change of sample rate: polyphase filtering over a shared bank, in whole-number positions that never
// drift. However the input is split, the same samples come out bit for bit; output sample 0 lies on input sample 0,
// and the whole length is round-half-up(samplesIn · toRate / fromRate).

import type { FilterBanks } from './filter-bank.ts';
import type { Stage } from './stage.ts';

/** Input is worked on in blocks of at most this many samples, one MPEG-1 frame, which bounds a stream's memory. */
const BLOCK = 1152;

/**
 * Sum of `taps` products; `taps` is a multiple of 8. Four sums at a time do not wait for each other, and doubles
 * spare a conversion per product: measured 1.3 to 1.8 times as fast as the plain loop.
 */
function dot(samples: Float64Array, at: number, rows: Float64Array, row: number, taps: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (const end = at + taps; at < end; at += 8, row += 8) {
    a += samples[at]! * rows[row]! + samples[at + 4]! * rows[row + 4]!;
    b += samples[at + 1]! * rows[row + 1]! + samples[at + 5]! * rows[row + 5]!;
    c += samples[at + 2]! * rows[row + 2]! + samples[at + 6]! * rows[row + 6]!;
    d += samples[at + 3]! * rows[row + 3]! + samples[at + 7]! * rows[row + 7]!;
  }
  return a + b + (c + d);
}

/**
 * Rates are whole Hz in 8000…48000. Samples come out as soon as the filter's half length (3.5 ms towards 8 kHz) has
 * arrived behind them; `flush` takes silence for the rest. `emit` gets scratch memory, valid during the call.
 */
export function createResampler(
  banks: FilterBanks,
  fromRate: number,
  toRate: number,
  emit: (samples: Float32Array) => void,
): Stage<Float32Array> {
  if (fromRate === toRate)
    return {
      push(samples) {
        if (samples.length > 0) emit(samples);
      },
      flush() {},
    };

  const { up, down, taps, phases, rows } = banks.of(fromRate, toRate);
  const wholeStep = Math.floor(down / up);
  const partStep = down % up;

  const held = new Float64Array(taps + BLOCK);
  // A full buffer has BLOCK + 1 places for a row to begin.
  const made = new Float32Array(Math.ceil(((BLOCK + 1) * up) / down));
  // The next output's taps begin at held[at], and it lies part/up of an input sample after the row's centre.
  let at = 0;
  let part = 0;
  let end = taps / 2 - 1;
  let samplesIn = 0;
  let samplesOut = 0;

  const sampleHere = (): number => {
    const place = (part * phases) / up;
    const phase = Math.floor(place);
    const sample = dot(held, at, rows, phase * taps, taps);
    if (place === phase) return sample;
    return sample + (place - phase) * (dot(held, at, rows, (phase + 1) * taps, taps) - sample);
  };

  const emitReady = (): void => {
    const total = Math.floor((2 * samplesIn * up + down) / (2 * down));
    let count = 0;
    while (at + taps <= end && samplesOut < total) {
      made[count++] = sampleHere();
      samplesOut++;
      at += wholeStep;
      part += partStep;
      if (part >= up) {
        part -= up;
        at++;
      }
    }
    if (count > 0) emit(made.subarray(0, count));
  };

  const append = (samples: Float32Array): void => {
    for (let from = 0; from < samples.length; ) {
      if (end === held.length) {
        held.copyWithin(0, at, end);
        end -= at;
        at = 0;
      }
      const until = Math.min(samples.length, from + held.length - end);
      while (from < until) held[end++] = samples[from++]!;
      emitReady();
    }
  };

  return {
    push(samples) {
      samplesIn += samples.length;
      append(samples);
    },
    flush() {
      append(new Float32Array(taps / 2));
    },
  };
}
