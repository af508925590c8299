// What a process measures of itself, and the admission that rests on it: metrics, the delay of its event loop, the share
// of its time that is in use.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../base/clock.ts';
import { createUsedShare } from '../base/used-share.ts';
import { createGatewayMetrics, type GatewayGauges } from '../gateway/sockets/gateway-metrics.ts';
import { createHeadroom } from '../limits/headroom.ts';
import { createAdmissionControl, type SpeechAsker } from '../session/admission-control.ts';
import type { Config } from '../settings/settings.ts';
import type { AppContext } from './context.ts';

const LOOP_DELAY_RESOLUTION_MS = 10;

/** The loop's delay since the last reading; the second function stops the measuring. */
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

/** `counts`: of the sessions that this process plays. */
export function openProcessMetrics(
  { config, clock, metrics, onStop }: AppContext,
  counts: Pick<GatewayGauges, 'sessions' | 'turns' | 'bufferedBytes' | 'observers'>,
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

/** The headroom of this thread, and the controller that admits speech by it. */
function openAppAdmission(
  { busyAt }: Pick<Config, 'busyAt'>,
  { clock, onRefused }: { readonly clock: Clock; readonly onRefused: (asker: SpeechAsker) => void },
) {
  const headroom = createHeadroom(busyAt === 0 ? Number.POSITIVE_INFINITY : busyAt / 100);
  const usedShare = createUsedShare();
  const admission = createAdmissionControl({ headroom, clock, usedShare, onRefused });
  return { headroom, admission };
}
