// One stream's change of sample rate: polyphase filtering over a shared bank, in whole-number positions that never
// drift. However the input is split, the same samples come out bit for bit; output sample 0 lies on input sample 0,
// and the whole length is round-half-up(samplesIn · toRate / fromRate).

import { createDecimator } from '../../base/decimator.ts';
import type { Stage } from '../stage.ts';
import { decimationOf } from './decimation.ts';
import type { FilterBanks } from './filter-bank.ts';
import type { Rates } from './sound-path.ts';

/** Input is worked on in blocks of at most this many samples, one MPEG-1 frame, which bounds a stream's memory. */
const BLOCK = 1152;

/**
 * Sum of `taps` products, into `sums[to]`: a double that a function returns is boxed, and of all that a busy gateway
 * allocated that was a quarter. `taps` is a multiple of 8. Four sums at a time do not wait for each other, and
 * doubles spare a conversion per product: measured 1.3 to 1.8 times as fast as the plain loop.
 */
function dot(
  sums: Float64Array,
  to: 0 | 1,
  samples: Float64Array,
  at: number,
  rows: Float64Array,
  row: number,
  taps: number,
): void {
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
  sums[to] = a + b + (c + d);
}

/**
 * Samples come out as soon as the filter's half length (3.5 ms towards 8 kHz) has arrived behind them; `flush` takes
 * silence for the rest. `emit` gets scratch memory, valid during the call.
 */
export function createResampler(
  banks: FilterBanks,
  rates: Rates,
  emit: (samples: Float32Array) => void,
): Stage<Float32Array> {
  const { fromRate, toRate } = rates;
  if (fromRate === toRate)
    return {
      push(samples) {
        if (samples.length > 0) emit(samples);
      },
      flush() {},
    };

  const decimation = decimationOf(rates);
  const decimate = createDecimator(decimation);
  const { up, down, taps, phases, rows } = banks.of(fromRate / decimation, toRate);
  const wholeStep = Math.floor(down / up);
  const partStep = down % up;

  const held = new Float64Array(taps + BLOCK);
  // A full buffer has BLOCK + 1 places for a row to begin.
  const made = new Float32Array(Math.ceil(((BLOCK + 1) * up) / down));
  const sums = new Float64Array(2);
  // The next output's taps begin at held[at], and it lies part/up of an input sample after the row's centre.
  let at = 0;
  let part = 0;
  let end = taps / 2 - 1;
  let samplesIn = 0;
  let samplesOut = 0;

  /** The output at row position `row` of `up`, as sums[0]: between two rows of a table it is blended from both. */
  const filter = (from: number, row: number): void => {
    if (phases === up) return dot(sums, 0, held, from, rows, row * taps, taps);
    const place = (row * phases) / up;
    const phase = Math.floor(place);
    dot(sums, 0, held, from, rows, phase * taps, taps);
    if (place === phase) return;
    dot(sums, 1, held, from, rows, (phase + 1) * taps, taps);
    sums[0] = sums[0]! + (place - phase) * (sums[1]! - sums[0]!);
  };

  const emitReady = (): void => {
    const total = Math.floor((2 * samplesIn * toRate + fromRate) / (2 * fromRate));
    const most = total - samplesOut;
    let count = 0;
    while (at + taps <= end && count < most) {
      filter(at, part);
      made[count++] = sums[0]!;
      at += wholeStep;
      part += partStep;
      if (part >= up) {
        part -= up;
        at++;
      }
    }
    samplesOut += count;
    if (count > 0) emit(made.subarray(0, count));
  };

  const append = (samples: Float32Array): void => {
    for (let from = 0; from < samples.length; ) {
      if (end === held.length) {
        held.copyWithin(0, at, end);
        end -= at;
        at = 0;
      }
      const piece = samples.subarray(from, from + held.length - end);
      held.set(piece, end);
      end += piece.length;
      from += piece.length;
      emitReady();
    }
  };

  return {
    push(samples) {
      samplesIn += samples.length;
      append(decimate(samples));
    },
    flush() {
      append(new Float32Array(taps / 2));
    },
  };
}
