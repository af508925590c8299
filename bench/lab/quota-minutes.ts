// How well windows of the clock were used: by the service's own count of each minute. The mean time between two uses of
// a place, as used-share.ts has it, says little of them: it moves with the moment at which a minute's burst comes.

import type { StrictReport } from './strict-upstream.ts';

export type WholeMinutes = {
  readonly count: number;
  readonly accepted: number;
  /** Of the quota, 0…1; NaN when not one minute is whole. */
  readonly share: number;
};

const MINUTE_MS = 60_000;

const minutesOf = ({ keys }: StrictReport) => keys.flatMap(({ minutes }) => minutes);

/** When the minute began that the service has last counted in, in milliseconds since 1970; 0 when it has in none. */
export const newestMinuteMs = (report: StrictReport): number =>
  Math.max(0, ...minutesOf(report).map(({ unixMs }) => unixMs));

/** What was accepted on `keys` keys of `limit` a minute from the minute at `fromUnixMs` on, in those that are surely over. */
export function wholeMinutes(
  report: StrictReport,
  fromUnixMs: number,
  { keys, limit }: { readonly keys: number; readonly limit: number },
): WholeMinutes {
  const untilMs = newestMinuteMs(report);
  const count = Math.max(0, Math.round((untilMs - fromUnixMs) / MINUTE_MS));
  const accepted = minutesOf(report)
    .filter(({ unixMs }) => unixMs >= fromUnixMs && unixMs < untilMs)
    .reduce((sum, minute) => sum + minute.accepted, 0);
  return { count, accepted, share: accepted / (count * keys * limit) };
}
