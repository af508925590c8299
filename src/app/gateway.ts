// A running gateway as its caller sees it, and the options it was started with: the same for one process and for several.

import type { Log } from '../base/log.ts';
import type { ListenAt } from '../base/processes/listen-fault.ts';
import { openSecrets, type Secrets } from '../service/file-service-secret.ts';
import { type Config, toEnv } from '../settings/settings.ts';
import { openDataFolder } from '../storage/data-folder.ts';
import type { LaunchedEngine } from './start.ts';

export type Gateway = {
  /** `http://host:port` or `https://…`. */
  readonly url: string;
  /** `ws://host:port/v1/session` or `wss://…`. */
  readonly sessionUrl: string;
  /** Where people try it; undefined when the page has not been built. */
  readonly playgroundUrl: string | undefined;
  readonly engineUrl: string | undefined;
  readonly adminUrl: string | undefined;
  /** Lets playing turns finish for at most `drainMs`, then closes everything. Further calls wait for the same end. */
  stop(drainMs: number): Promise<void>;
};

export type GatewayOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  /** `off`: sessions only, without jobs, records and files; for a gateway that lives as long as one command. */
  readonly service?: 'on' | 'off';
  /** Where programs are looked for (`PATH`): ffmpeg gets this and nothing else of our environment. */
  readonly searchPath?: string | undefined;
  /** Another instance has taken the data folder: the caller that started this one stops it. */
  readonly onLost?: () => void;
  /** The built page; by default beside the built program. */
  readonly playgroundFolder?: string;
};

/** `engine`: the embedded one, when it is the speech service; the caller that launched it closes it. */
export type StartOptions = GatewayOptions & { readonly engine: LaunchedEngine | undefined };

/** What this gateway signs with; one that keeps no records keeps no secret either. */
export function openAppSecrets({ config, service }: Pick<GatewayOptions, 'config' | 'service'>): Secrets {
  if (service === 'off') return openSecrets(config.secret, undefined);
  openDataFolder(config.dataDir);
  return openSecrets(config.secret, config.dataDir);
}

/** Sockets beyond sessions: plain requests, and half-open ones, of which a flood must not shut out the rest. */
export const SPARE_SOCKETS = 16_384;
/** Of what is made anew at each start, as long as the digest that it keys. */
export const SECRET_BYTES = 32;

/** Of the operator's listener. */
export const ADMIN_HOST = '127.0.0.1';
export const LISTENERS = ['port', 'audiosocketPort', 'adminPort', 'peerPort'] as const;

/** A listener of this gateway, for what is said when it cannot be opened. */
export const listenAt = (
  config: Pick<Config, 'host' | (typeof LISTENERS)[number]>,
  of: (typeof LISTENERS)[number],
): ListenAt => ({
  port: config[of],
  portSetting: toEnv(of),
  ...(of === 'adminPort'
    ? { host: ADMIN_HOST, hostSetting: undefined }
    : { host: config.host, hostSetting: toEnv('host') }),
});

/** Of a listener on TCP that is up. */
export const portOf = (address: unknown): number => (address as { port: number }).port;

/** A listener on all interfaces is reached on this machine as `localhost`. */
export function originOf(scheme: string, host: string, port: number): string {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * `leaving`: told to stop, and for `drainDelayMs` not ready any more, but nothing is refused: load balancers take a moment to
 * notice. `stopping`: nothing new is taken, and what plays is played to its end.
 */
export type StopPhase = 'ready' | 'leaving' | 'stopping';

/** What the starter gets; `stop` runs once; further calls wait for its end. */
export function asGateway(
  {
    url,
    playground,
    ...addresses
  }: Pick<Gateway, 'url' | 'engineUrl' | 'adminUrl'> & { readonly playground: 'served' | 'not-built' },
  stop: (drainMs: number) => Promise<void>,
): Gateway {
  let stopping: Promise<void> | undefined;
  return {
    ...addresses,
    url,
    sessionUrl: `${url.replace(/^http/, 'ws')}/v1/session`,
    playgroundUrl: playground === 'served' ? `${url}/` : undefined,
    stop(drainMs) {
      stopping ??= stop(drainMs);
      return stopping;
    },
  };
}
