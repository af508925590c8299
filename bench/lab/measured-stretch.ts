// A stretch of live playing, measured from both ends: what the gateway says of itself before and after, and what its
// listeners counted in between.

import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayLab } from './lab.ts';
import type { Listeners, ListenerTally } from './listeners.ts';
import { quantileBetween } from './scraped-metrics.ts';
import { type Spread, spreadOf } from './spread.ts';

/** For a stretch of some hundred turns: the first ones are dear, as V8 still compiles what they run. */
export const WARM_UP_MS = 10_000;
/** A look at the metrics holds up gateway and clients; what comes of it is over by then. */
export const LOOKED_AT_MS = 1000;
const TICKS = 'voxgate_tick_lateness_seconds';

type Usage<L extends Pick<GatewayLab, 'usage'>> = Awaited<ReturnType<L['usage']>>;

export type MeasuredStretch<U> = {
  readonly before: U;
  readonly after: U;
  readonly tickP50Ms: number;
  readonly tickP99Ms: number;
  /** Of the first listeners. */
  readonly frameLatenessMs: Spread;
  /** Of each of the listeners, in their order. */
  readonly tallies: readonly ListenerTally[];
};

/** `listeners` are playing already; the first of them are who the stretch is about. */
export async function measureStretch<L extends Pick<GatewayLab, 'usage' | 'metrics'>>(
  lab: L,
  listeners: readonly [Listeners, ...Listeners[]],
  seconds: number,
  signal: AbortSignal,
): Promise<MeasuredStretch<Usage<L>>> {
  const earlier = await lab.metrics();
  await pause(LOOKED_AT_MS, undefined, { signal });
  const before = (await lab.usage()) as Usage<L>;
  const tallies = listeners.map((each) => each.count());
  await pause(seconds * 1000, undefined, { signal });
  for (const each of listeners) each.count();
  const [after, later] = [(await lab.usage()) as Usage<L>, await lab.metrics()];
  const tickMs = (share: number) => 1000 * quantileBetween(earlier, later, TICKS, share);
  return {
    before,
    after,
    tickP50Ms: tickMs(0.5),
    tickP99Ms: tickMs(0.99),
    frameLatenessMs: spreadOf(tallies[0]!.latenessMs),
    tallies,
  };
}
