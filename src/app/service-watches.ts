// What is known of each configured service by what was heard, with its metrics, its line in the log and its webhook; and the order in which
// those that may say a turn are asked.

import { createHash } from 'node:crypto';
import { AppError } from '../base/app-error.ts';
import type { ServiceReport } from '../http/routes/operator-routes.ts';
import { createHttpGuardedFetch } from '../service/fetch/http-guarded-fetch.ts';
import { systemNameLookup } from '../service/fetch/name-lookup.ts';
import {
  createHealthWebhook,
  HEALTH_WEBHOOK_RESULTS,
  type HealthChangeTold,
} from '../service/webhooks/health-webhook.ts';
import { HEALTH_PHASES, isAway } from '../upstream/health/service-health.ts';
import {
  createServiceWatch,
  type HealthChange,
  RIVAL_RESULTS,
  type ServiceWatch,
} from '../upstream/health/service-watch.ts';
import {
  createHealthSharing,
  type HealthExchange,
  type HealthSharing,
} from '../upstream/health/shared-health.ts';
import { fingerprintOf } from '../upstream/key-digest.ts';
import type { PoolReport } from '../upstream/pool/pool-report.ts';
import type { ServiceStanding } from '../upstream/service-choice.ts';
import type { SpeechService } from './configured-speech.ts';
import type { AppContext } from './context.ts';

const FIRST_SPEECH_SECONDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

/**
 * One for each of `services`; undefined for all where there is one service, which is not chosen. `exchange`: what other processes and
 * instances are told by; undefined: there are none.
 */
export function openServiceWatches(
  context: AppContext,
  services: readonly SpeechService[],
  exchange: HealthExchange | undefined,
): (name: string) => ServiceWatch | undefined {
  const { clock, random, log, metrics, onStop } = context;
  const names = services.map(({ name }) => name);
  const webhook = openWebhook(context);
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
  let sharing: HealthSharing | undefined;
  const announce = (service: SpeechService, { to, code }: HealthChange) => {
    const { name, kind, isEmbedded } = service;
    const state = to.phase === 'out' ? 'out' : 'healthy';
    const change = { service: name, kind: isEmbedded ? 'engine' : kind, state, code } as const;
    if (sharing === undefined) webhook?.(change);
    else sharing.announce({ service: sharedNameOf(service), state }, () => webhook?.(change));
  };
  const watches = new Map(
    services.map((each) => {
      const service = each.name;
      const watch = createServiceWatch({
        clock,
        onRival: (result) => rivals.add(1, { service, result }),
        onSpoke: (afterMs) => firstSpeech.observe(afterMs / 1000, { service }),
        onChange(change) {
          const { from, to, code } = change;
          changes.add(1, { service, to: to.phase });
          // One fault is no news, nor is a trial that fails.
          if (isAway(from) === isAway(to)) return;
          const by = isHeard(change) ? 'others' : undefined;
          log.warn('upstream_service', { service, state: to.phase, was: from.phase, code, by });
          if (by === undefined) announce(each, change);
        },
      });
      return [service, watch] as const;
    }),
  );
  if (exchange !== undefined) {
    sharing = createHealthSharing({
      clock,
      from: random.id(9),
      exchange,
      watches: new Map(services.map((each) => [sharedNameOf(each), watches.get(each.name)!.shared])),
    });
    onStop(() => sharing?.close());
  }
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

/** Not found out here, so that it is not announced from here. */
const isHeard = ({ from, to }: HealthChange): boolean =>
  isAway(to) ? to.by === 'others' : from.by === 'others' || to.provenAtMs !== to.sinceMs;

/** The same wherever the same service is asked with the same keys: what one key meets says nothing of another. */
const sharedNameOf = ({ kind, url, model, options, keys }: SpeechService): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, url, model ?? null, options, keys.map((key) => fingerprintOf(key)).sort()]))
    .digest('hex')
    .slice(0, 24);

/** Undefined where the operator wants no messages. */
function openWebhook({
  config,
  clock,
  random,
  log,
  metrics,
  onStop,
}: AppContext): ((change: HealthChangeTold) => void) | undefined {
  const results = metrics.counters(
    'voxgate_health_webhooks_total',
    'Attempts to tell the operator that a speech service is out or back, by what came of them',
    { result: HEALTH_WEBHOOK_RESULTS },
  );
  const { healthWebhookUrl: url, healthWebhookSecrets: secrets } = config;
  if (url === undefined) return undefined;
  const fetch = createHttpGuardedFetch({ clock, allowPrivate: 'allowed', lookup: systemNameLookup });
  onStop(() => fetch.close());
  const onResult = (result: (typeof HEALTH_WEBHOOK_RESULTS)[number]) => results.add(1, { result });
  const webhook = createHealthWebhook({
    ...{ url, secrets, fetch, clock, unixMs: Date.now, random, log, onResult },
  });
  onStop(() => webhook.close());
  return (change) => webhook.tell(change);
}

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
  const { phase, sinceMs, faults, by } = watch.health();
  const usualMs = watch.usualMs('');
  return {
    health: {
      state: phase,
      forMs: Math.round(nowMs - sinceMs),
      faults,
      ...(by === 'others' ? { by } : {}),
      askNextAfterMs: Math.round(watch.askAfterMs('')),
      ...(usualMs === undefined ? {} : { firstSpeechMs: Math.round(usualMs) }),
    },
  };
}
