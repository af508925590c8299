// How far peaks are turned down so that what is heard of a file, decoded, stays at −1 dBTP. Encoders add peaks of their own:
// the less they have to spend, the more. So a file begins with a headroom that was measured for its format; where it can be
// decoded again, it is, and what is still above the ceiling is made once more with as much less.

import { CEILING_DBTP } from '../../audio/dsp/loudness-rule.ts';
import type { ServiceFormat } from '../../speech/audio-format.ts';

/** dB that encoders have added to limited speech at most, and a little more. */
const LOSSY_DB = 1.2;
const LOSSY_LOW_RATE_DB = 3.2;
const LOW_RATE_KBPS = 16;
/** Steps of µ-law near full scale are 3 % of it. */
const MULAW_DB = 0.9;
/** What lies between samples, where speech fills the band up to half the rate. */
const NARROW_BAND_DB = 0.6;
const WIDE_BAND_DB = 0.1;
const NARROW_BAND_RATE = 16_000;

/** Kept between what was heard too high and the next try. */
const MARGIN_DB = 0.1;
/** Of one file, the first included. */
export const MAX_WRITES = 3;

/** dBTP to which peaks are limited at first. */
export function firstCeilingDbtp(
  format: ServiceFormat,
  sampleRate: number,
  bitrateKbps: number | undefined,
): number {
  if (format === 'mulaw') return CEILING_DBTP - MULAW_DB;
  if (format === 'mp3' || format === 'ogg') {
    const isLow = bitrateKbps !== undefined && bitrateKbps <= LOW_RATE_KBPS;
    return CEILING_DBTP - (isLow ? LOSSY_LOW_RATE_DB : LOSSY_DB);
  }
  return CEILING_DBTP - (sampleRate <= NARROW_BAND_RATE ? NARROW_BAND_DB : WIDE_BAND_DB);
}

/** The ceiling for the next try after a file was heard to have `peakDbtp`; undefined when it is low enough. */
export function nextCeilingDbtp(ceilingDbtp: number, peakDbtp: number): number | undefined {
  // Meters tell tenths of a decibel.
  return peakDbtp <= CEILING_DBTP ? undefined : ceilingDbtp - (peakDbtp - CEILING_DBTP) - MARGIN_DB;
}
