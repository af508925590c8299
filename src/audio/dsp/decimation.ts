// Decimation on reading: sound whose upper band is empty is fully described by every second to fourth sample, and a filter that
// reads only these is shorter by that factor. A decoder leaves empty what a telephone does not carry, so towards 8 kHz it
// nearly always applies.
//
//   heard │▓▓▓▓▓▓▓│ filtered out │▒▒▒▒│ empty …            rate / 2
//         0    heardBelowHz    belowHz │◀─ folds back ─▶│ above heardBelowHz: filtered out, too

import { greatestCommonDivisor, heardBelowHz } from './filter-bank.ts';
import type { Rates } from './sound-path.ts';

/** Larger factors leave so few samples of a frame that there is nothing more to gain. */
const FACTORS = [1, 2, 3, 4] as const;
/**
 * With more rows than a frame has outputs none is used twice, and each is fetched for one output, which costs twice as much.
 */
const MAX_SHARED_ROWS = 100;

/**
 * The decimation factor: one sample of so many is read. What folds back at the lower rate must lie where the filter towards
 * `toRate` lets nothing through. 1 where nothing is known of the band. Of the possible factors, the one that costs least:
 * the length of a filter grows with the rate that it reads.
 */
export function decimationOf({ fromRate, toRate, belowHz }: Rates): number {
  if (belowHz === undefined || toRate >= fromRate) return 1;
  const minRate = belowHz + heardBelowHz(toRate);
  const isPossible = (factor: number) =>
    fromRate % factor === 0 && fromRate / factor >= Math.max(toRate, minRate);
  const cost = (factor: number) => {
    const rate = fromRate / factor;
    return toRate / greatestCommonDivisor(rate, toRate) > MAX_SHARED_ROWS ? 2 * rate : rate;
  };
  return FACTORS.filter(isPossible).reduce((best, next) => (cost(next) < cost(best) ? next : best), 1);
}
