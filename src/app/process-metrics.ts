// What a process measures of itself, and the admission that rests on it: metrics, the delay of its event loop, the share
// of its time that is in use.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import { createUsedShare } from '../base/used-share.ts';
import { createGatewayMetrics, type GatewayGauges } from '../gateway/sockets/gateway-metrics.ts';
import { createHeadroom } from '../limits/headroom.ts';
import { createAdmissionControl, type SpeechAsker } from '../session/admission-control.ts';
import type { Config } from '../settings/settings.ts';
import type { AppContext } from './context.ts';

const LOOP_DELAY_RESOLUTION_MS = 10;
/** Whoever scrapes once a minute or oftener sees every window. */
const WINDOW_MS = 15_000;
const KEPT_WINDOWS = 4;

/**
 * The 99th percentile of the loop's delay in the worst of the last four quarters of a minute: who reads it, and how often,
 * changes nothing. The second function stops the measuring.
 */
function watchLoopDelay(clock: Clock): readonly [readSeconds: () => number, stop: () => void] {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  loopDelay.enable();
  const present = () => {
    // It measures its own timer: an idle loop shows the resolution.
    const seconds = Math.max(0, loopDelay.percentile(99) / 1e9 - LOOP_DELAY_RESOLUTION_MS / 1000);
    return Number.isFinite(seconds) ? seconds : 0;
  };
  let windows: readonly number[] = [];
  const turn = () => {
    windows = [...windows, present()].slice(-KEPT_WINDOWS);
    loopDelay.reset();
    cancel = clock.after(WINDOW_MS, turn);
  };
  let cancel = clock.after(WINDOW_MS, turn);
  const read = () => (windows.length === 0 ? present() : Math.max(...windows));
  const stop = () => {
    cancel();
    loopDelay.disable();
  };
  return [read, stop];
}

const MICROSECONDS = 1e6;
const FILES = '/proc/self/fd';

/** Open descriptors; undefined where the system does not tell. Newer kernels (6.2) tell their number without a list. */
function openFiles(): number | undefined {
  try {
    return statSync(FILES).size || readdirSync(FILES).length;
  } catch {
    return undefined;
  }
}

/** The most that there may be. */
function maxOpenFiles(): number | undefined {
  try {
    const told = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return told === undefined ? undefined : Number(told);
  } catch {
    return undefined;
  }
}

/** By the names that dashboards for Node and Prometheus know. Of several processes the figures are added up. */
function addProcessFigures(metrics: Metrics, version: string): void {
  const builds = { version: [version], node: [process.versions.node] };
  metrics.gauges(
    'voxgate_build_info',
    '1, with the version of Voxgate and of Node.',
    builds,
    () => [[{ version, node: process.versions.node }, 1]],
    'most',
  );
  metrics.readCounter('process_cpu_seconds_total', 'Processor time that was used.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROSECONDS;
  });
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  metrics.gauge(
    'process_start_time_seconds',
    'When the process was started, in Unix time.',
    () => startedAt,
    'least',
  );
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge(
    'nodejs_heap_size_used_bytes',
    'Used part of the heap.',
    () => process.memoryUsage().heapUsed,
  );
  metrics.gauge('nodejs_heap_size_total_bytes', 'The heap.', () => process.memoryUsage().heapTotal);
  metrics.gauge(
    'nodejs_external_memory_bytes',
    'Memory outside the heap that objects in it hold.',
    () => process.memoryUsage().external,
  );
  metrics.gauge('process_open_fds', 'Open files and sockets.', openFiles);
  const maxFiles = maxOpenFiles();
  metrics.gauge('process_max_fds', 'Open files and sockets that there may be.', () => maxFiles, 'least');
}

/** `counts`: of the sessions that this process plays. */
export function openProcessMetrics(
  { config, version, clock, metrics, onStop }: AppContext,
  counts: Pick<GatewayGauges, 'sessions' | 'detachedSessions' | 'turns' | 'bufferedBytes' | 'observers'>,
) {
  const [loopDelaySeconds, stopWatching] = watchLoopDelay(clock);
  addProcessFigures(metrics, version);
  onStop(stopWatching);
  const gatewayMetrics = createGatewayMetrics(metrics, {
    ...counts,
    loopDelaySeconds,
    usedRatio: () => headroom.usedShare(),
    headroomRatio: () => headroom.free(clock.now()),
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
