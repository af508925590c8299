// What a process tells of itself and admits by, built: its figures, the delay of its event loop, what it uses of its time.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import { createGatewayMetrics, type GatewayGauges } from '../gateway/sockets/gateway-metrics.ts';
import type { Config } from '../settings/settings.ts';
import { openAppAdmission } from './admission.ts';
import type { Stop } from './gateway.ts';

export type AppMeasuresOptions = {
  readonly config: Config;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly onStop: (stop: Stop) => void;
};

const LOOP_DELAY_RESOLUTION_MS = 10;

/** The loop's delay since the last look; stopped by the second. */
function watchLoopDelay(): readonly [read: () => number, stop: () => void] {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  loopDelay.enable();
  const read = () => {
    // It measures its own timer: an idle loop shows the resolution.
    const seconds = Math.max(0, loopDelay.percentile(99) / 1e9 - LOOP_DELAY_RESOLUTION_MS / 1000);
    loopDelay.reset();
    return Number.isFinite(seconds) ? seconds : 0;
  };
  return [read, () => void loopDelay.disable()];
}

/** `counts`: of what this process plays. */
export function openAppMeasures(
  { config, clock, metrics, onStop }: AppMeasuresOptions,
  counts: Pick<GatewayGauges, 'sessions' | 'turns' | 'bufferedBytes' | 'onlookers'>,
) {
  const [loopDelaySeconds, stopWatching] = watchLoopDelay();
  onStop(stopWatching);
  const gatewayMetrics = createGatewayMetrics(metrics, {
    ...counts,
    loopDelaySeconds,
    usedRatio: () => headroom.usedShare(),
    headroomRatio: () => headroom.free(clock.now()),
    residentBytes: () => process.memoryUsage.rss(),
  });
  const { headroom, admission } = openAppAdmission(config, {
    clock,
    onRefused: gatewayMetrics.refusedAsBusy,
  });
  onStop(() => admission.close());
  return { gatewayMetrics, headroom, admission };
}
