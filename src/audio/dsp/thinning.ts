// Sound whose upper band is empty has samples to spare: every second to fourth says all of it, and a filter that reads only
// these is as much shorter. A decoder leaves empty what a telephone does not carry, so towards 8 kHz it is nearly always so.
//
//   heard │▓▓▓▓▓▓▓│ filtered out │▒▒▒▒│ empty …            rate / 2
//         0    heardBelowHz    belowHz │◀─ folds back ─▶│ above heardBelowHz: filtered out, too

import { greatestCommonDivisor, heardBelowHz } from './filter-bank.ts';
import type { Rates } from './sound-path.ts';

/** Longer ones leave so little of a frame that there is nothing more to gain. */
const STRIDES = [1, 2, 3, 4] as const;
/** With more rows than a frame has outputs none is used twice, and each is fetched for one output: twice as dear. */
const MOST_SHARED_ROWS = 100;

/**
 * Of how many samples one is enough: what folds back at the lower rate must lie where the filter towards `toRate` lets
 * nothing through. 1 where nothing is known of the band. Of those that are possible, the one that costs least: a filter is
 * as long as the rate that it reads is high.
 */
export function strideOf({ fromRate, toRate, belowHz }: Rates): number {
  if (belowHz === undefined || toRate >= fromRate) return 1;
  const leastRate = belowHz + heardBelowHz(toRate);
  const isPossible = (stride: number) =>
    fromRate % stride === 0 && fromRate / stride >= Math.max(toRate, leastRate);
  const cost = (stride: number) => {
    const rate = fromRate / stride;
    return toRate / greatestCommonDivisor(rate, toRate) > MOST_SHARED_ROWS ? 2 * rate : rate;
  };
  return STRIDES.filter(isPossible).reduce((best, next) => (cost(next) < cost(best) ? next : best), 1);
}
