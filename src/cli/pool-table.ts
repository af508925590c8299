// The state of a pool as a table for people: what /pool of the admin listener answers, checked and set in columns.

import { z } from 'zod';

const ms = z.number().min(0);
const count = z.number().min(0);

/** What of /pool is shown; further fields are no fault, so that an older `voxgate keys` reads a newer gateway. */
export const poolSchema = z.object({
  keys: z.array(
    z.object({
      fingerprint: z.string(),
      state: z.string(),
      used: count,
      limit: count.optional(),
      mode: z.string(),
      stage: z.string().optional(),
      source: z.string().optional(),
      configuredPerMinute: count.optional(),
      heldMs: ms,
      inFlight: count,
      cap: count,
      doubt: z.object({ reason: z.string(), restMs: ms }).optional(),
    }),
  ),
  waiting: count,
  waitingByClass: z.record(z.string(), count),
  hedge: z.object({ budget: z.number(), afterMs: ms.optional() }),
});
export type Pool = z.infer<typeof poolSchema>;

const COLUMNS = ['key', 'state', 'used', 'limit', 'counted', 'known', 'in flight', 'free in'] as const;

const seconds = (restMs: number): string => (restMs === 0 ? '–' : `${(restMs / 1000).toFixed(1)} s`);

/** With the configured number where the service takes less. */
const limitOf = ({ limit, configuredPerMinute }: Pool['keys'][number]): string => {
  if (limit === undefined) return '–';
  const isLess = configuredPerMinute !== undefined && limit < configuredPerMinute;
  return isLess ? `${limit} of ${configuredPerMinute}` : String(limit);
};

const rowOf = (key: Pool['keys'][number]): readonly string[] => [
  key.fingerprint,
  key.state,
  String(key.used),
  limitOf(key),
  key.mode,
  [key.source, key.stage].filter((part) => part !== undefined).join(', ') || '–',
  `${key.inFlight} of ${key.cap}`,
  seconds(Math.max(key.heldMs, key.doubt?.restMs ?? 0)),
];

/** Lines of a table, one row per key, and what waits below it. */
export function poolTable({ keys, waiting, waitingByClass, hedge }: Pool): readonly string[] {
  const rows = [COLUMNS, ...keys.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  const classes = Object.entries(waitingByClass)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${name} ${number}`);
  const late =
    hedge.afterMs === undefined
      ? 'not known yet how late is late'
      : `a second key is asked after ${Math.round(hedge.afterMs)} ms, ${Math.floor(hedge.budget)} in hand`;
  return [
    ...rows.map(line),
    `waiting: ${waiting}${classes.length === 0 ? '' : ` (${classes.join(', ')})`}`,
    `hedging: ${late}`,
  ];
}
