// What every part of a gateway is built with, and the two things that a process reads before anything is started: its
// clock, randomness and counters, and the certificate of the public listener. A wrong file is reported by the name of its
// setting, not by the TLS library.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createMetrics, type Metrics } from '../base/metrics.ts';
import type { ListenAt } from '../base/processes/listen-fault.ts';
import { type Random, systemRandom } from '../base/random.ts';
import { type Config, toEnv } from '../settings/settings.ts';

export type Stop = () => Promise<void> | void;

export type AppContext = {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Takes what is to be done at the end, in reverse order. */
  readonly onStop: (stop: Stop) => void;
};

export const createAppContext = (
  { config, version, log }: Pick<AppContext, 'config' | 'version' | 'log'>,
  onStop: AppContext['onStop'],
): AppContext => ({
  config,
  version,
  clock: systemClock,
  random: systemRandom,
  log,
  metrics: createMetrics(),
  onStop,
});

/** A listener of this gateway, for what is said when it cannot be opened. */
export const listenAt = (
  { host, ...ports }: Pick<Config, 'host' | 'port' | 'audiosocketPort'>,
  of: 'port' | 'audiosocketPort',
): ListenAt => ({ host, port: ports[of], portSetting: toEnv(of), hostSetting: toEnv('host') });

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
