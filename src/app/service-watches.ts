// What is known of each configured service by what was heard, with its metrics, its line in the log and its webhook; and the order in which
// those that may say a turn are asked.

import { AppError } from '../base/app-error.ts';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import { HEALTH_PHASES, type HealthPhase } from '../upstream/health/service-health.ts';
import { createServiceWatch, RIVAL_RESULTS, type ServiceWatch } from '../upstream/health/service-watch.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import type { ServiceStanding } from '../upstream/service-choice.ts';
import type { AppContext } from './context.ts';

const FIRST_SPEECH_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

/** One for each of `names`; undefined for all where there is one service, which is not chosen. */
export function openServiceWatches(
  { clock, log, metrics }: Pick<AppContext, 'clock' | 'log' | 'metrics'>,
  names: readonly string[],
): (name: string) => ServiceWatch | undefined {
  if (names.length < 2) return () => undefined;
  const rivals = metrics.counters(
    'voxgate_rivals_total',
    'Requests to the next speech service because this one was late, by what came of them',
    { service: names, result: RIVAL_RESULTS },
  );
  const firstSpeech = metrics.histograms(
    'voxgate_first_speech_seconds',
    'From sending a request to the first speech in its sound',
    FIRST_SPEECH_SECONDS,
    { service: names },
  );
  const changes = metrics.counters(
    'voxgate_service_changes_total',
    'Speech services that became healthy, suspect, out or proving',
    { service: names, to: HEALTH_PHASES },
  );
  const watches = new Map(
    names.map((service) => {
      const watch = createServiceWatch({
        clock,
        onRival: (result) => rivals.add(1, { service, result }),
        onSpoke: (afterMs) => firstSpeech.observe(afterMs / 1000, { service }),
        onChange({ from, to, code }) {
          changes.add(1, { service, to: to.phase });
          if (isNews(from.phase, to.phase))
            log.warn('upstream_service', { service, state: to.phase, was: from.phase, code });
        },
      });
      return [service, watch] as const;
    }),
  );
  metrics.gauges(
    'voxgate_service_health',
    '1 for the state that a speech service is in',
    { service: names, state: HEALTH_PHASES },
    () =>
      [...watches].flatMap(([service, watch]) =>
        HEALTH_PHASES.map((state) => [{ service, state }, watch.health().phase === state ? 1 : 0] as const),
      ),
    'most',
  );
  return (name) => {
    const watch = watches.get(name);
    if (watch === undefined) throw new AppError('internal', `No speech service is called ${name}.`);
    return watch;
  };
}

/** One fault is no news, nor is a trial that fails. */
const isNews = (from: HealthPhase, to: HealthPhase): boolean =>
  (to === 'out' && from !== 'proving') || (to === 'healthy' && from === 'proving');

/** For the order of a turn. */
export const standingOf = (
  watch: ServiceWatch,
  pool: () => PoolReport,
  voice: string,
  reader: 'listener' | 'nobody',
): ServiceStanding => ({
  health: watch.standing(voice, reader),
  isFull: pool().keys.every(
    ({ state, limit, used, inFlight, cap }) =>
      state !== 'ready' || inFlight >= cap || (limit !== undefined && used >= limit),
  ),
  usualMs: watch.usualMs(voice),
});

/** What an operator is told of it. */
export function healthReport(watch: ServiceWatch | undefined, nowMs: number): Pick<ServiceReport, 'health'> {
  if (watch === undefined) return {};
  const { phase, sinceMs, faults } = watch.health();
  const usualMs = watch.usualMs('');
  return {
    health: {
      state: phase,
      forMs: Math.round(nowMs - sinceMs),
      faults,
      askNextAfterMs: Math.round(watch.askAfterMs('')),
      ...(usualMs === undefined ? {} : { firstSpeechMs: Math.round(usualMs) }),
    },
  };
}
