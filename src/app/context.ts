// What every part of a gateway is built with, and the two things that a process reads before anything is started: its
// clock, randomness and counters, and the certificate of the public listener. A wrong file is reported by the name of its
// setting, not by the TLS library.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ERROR_TABLE } from '../base/app-error.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { EVENTS_COUNTED, EVENTS_SERIES, eventRow, FAILURES_OF, FAILURES_SERIES } from '../base/log-events.ts';
import { createMetrics, type Metrics } from '../base/metrics.ts';
import { type Random, systemRandom } from '../base/random.ts';
import { type Config, toEnv } from '../settings/settings.ts';
import { createBoundedLog } from './bounded-log.ts';

const REDIS_USES = ['quotas', 'phrases', 'generations', 'instances', 'health', 'journal'] as const;
/**
 * The counting of the upstream's quota, kept phrases, what each user has under way, which instances there are, how services are, and
 * what sessions need to go on elsewhere.
 */
type RedisUse = (typeof REDIS_USES)[number];

/** Sentences of the log that warn, each about a fault of ours, are counted as one. */
const FAULT = 'fault';

export type Stop = () => Promise<void> | void;

export type AppContext = {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether each connection to Redis is up; what opens one adds it. */
  readonly redisLinks: Map<RedisUse, () => boolean>;
  /** How many other instances live; what finds them sets it. */
  readonly peers: { count: () => number };
  /** Takes what is to be done at the end, in reverse order. */
  readonly onStop: (stop: Stop) => void;
};

export function createAppContext(
  { config, version, log: written }: Pick<AppContext, 'config' | 'version' | 'log'>,
  onStop: AppContext['onStop'],
): AppContext {
  const clock = systemClock;
  const metrics = createMetrics();
  const failures = metrics.counters(
    FAILURES_SERIES,
    'What ended by a failure or was not let in, by the code of the failure',
    { of: FAILURES_OF, code: Object.keys(ERROR_TABLE) },
  );
  const events = metrics.counters(EVENTS_SERIES, 'What the log tells and nothing else counts, by event', {
    event: [...EVENTS_COUNTED, FAULT],
  });
  const log = createBoundedLog({
    log: written,
    clock,
    onFailure: (of, code) => failures.add(1, { of, code }),
    onEvent(event, level) {
      const row = eventRow(event);
      if (row === undefined) {
        if (level === 'warn' || level === 'error') events.add(1, { event: FAULT });
      } else if (row.countedBy === EVENTS_SERIES) events.add(1, { event });
    },
  });
  onStop(() => log.close());
  const redisLinks = new Map<RedisUse, () => boolean>();
  metrics.gauges(
    'voxgate_redis_up',
    '1 while Redis answers, by what it is used for',
    { use: REDIS_USES },
    () => [...redisLinks].map(([use, isUp]) => [{ use }, isUp() ? 1 : 0] as const),
    'least',
  );
  const peers = { count: () => 0 };
  metrics.gauge(
    'voxgate_instances',
    'Instances that live, this one included',
    () => peers.count() + 1,
    'most',
  );
  return { config, version, clock, random: systemRandom, log, metrics, redisLinks, peers, onStop };
}

export type Tls = { readonly cert: string; readonly key: string };

const reasonOf = (thrown: unknown) => {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message;
};

function readPem(name: 'tlsCert' | 'tlsKey', path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new Error(
      `${toEnv(name)} names a file that cannot be read: ${JSON.stringify(path)} (${reasonOf(thrown)})`,
    );
  }
}

/** Undefined when TLS is not asked for. Throws an Error whose message names the setting. */
export function readTls({ tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>): Tls | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: readPem('tlsCert', tlsCert), key: readPem('tlsKey', tlsKey) };
  try {
    createSecureContext(tls);
  } catch (thrown) {
    const both = `${toEnv('tlsCert')} and ${toEnv('tlsKey')}`;
    throw new Error(`${both} must be a PEM certificate and its private key (${reasonOf(thrown)})`);
  }
  return tls;
}
