// Builds every object of the gateway once and stops them in the reverse order. Adapters are chosen here
// and in app-upstream.ts; everything below gets what it needs as an argument.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createCredentials } from './access/credentials.ts';
import { openAppAdmission } from './app-admission.ts';
import { openAppLegs } from './app-legs.ts';
import { openAppOnlookers } from './app-onlookers.ts';
import { openAppService } from './app-service.ts';
import { openAppSound } from './app-sound.ts';
import { openAppUpstream } from './app-upstream.ts';
import { sessionSettings } from './app-voices.ts';
import { systemClock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { createMetrics } from './base/metrics.ts';
import { systemRandom } from './base/random.ts';
import { asyncApiDocument } from './dialects/asyncapi.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { createGatewayMetrics } from './gateway/gateway-metrics.ts';
import { createSocketServer } from './gateway/socket-server.ts';
import { createAdminServer } from './http/admin-server.ts';
import { addCompatRoutes } from './http/compat/compat-routes.ts';
import { createHttpServer } from './http/http-server.ts';
import { createOpenReplies } from './http/open-replies.ts';
import { addPlaygroundRoutes } from './http/playground-routes.ts';
import { addServiceApi } from './http/service-api.ts';
import { createPlayoutClock } from './playout/playout-clock.ts';
import type { SessionRuntime } from './session/session-runtime.ts';
import { readTls } from './settings/read-tls.ts';
import type { Config } from './settings/settings.ts';

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
  /** The built page; by default beside the built program. */
  readonly playgroundFolder?: string;
};

const PLAYGROUND = fileURLToPath(new URL('playground', import.meta.url));
/** The gateway's own bounds that no one has needed to set. */
const MESSAGE_BYTES = 256 * 1024;
const MESSAGES_PER_SECOND = 5000;
/** Thirty times what a thousand tokens a second need. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;
/** Sockets beyond sessions: plain requests, and half-open ones, of which a flood must not shut out the rest. */
const SPARE_SOCKETS = 16_384;
const LOOP_DELAY_RESOLUTION_MS = 10;

type Stop = () => Promise<void> | void;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await build(options, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function build(
  { config, log, version, service = 'on', searchPath, playgroundFolder = PLAYGROUND }: GatewayOptions,
  stops: Stop[],
  stopAll: Stop,
): Promise<Gateway> {
  const tls = readTls(config);
  const clock = systemClock;
  const random = systemRandom;
  const metrics = createMetrics();
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  loopDelay.enable();
  stops.push(() => {
    loopDelay.disable();
  });

  const upstream = await openAppUpstream({
    config,
    clock,
    random,
    log,
    metrics,
    onStop: (stop) => stops.push(stop),
  });

  const gatewayMetrics = createGatewayMetrics(metrics, {
    sessions: () => sockets.connections.size,
    turns: () => sum((connection) => connection.turnsUnheard),
    bufferedBytes: () => sum((connection) => connection.bufferedBytes),
    onlookers: () => onlookers.runtime.count.open,
    loopDelaySeconds() {
      // It measures its own timer: an idle loop shows the resolution.
      const seconds = Math.max(0, loopDelay.percentile(99) / 1e9 - LOOP_DELAY_RESOLUTION_MS / 1000);
      loopDelay.reset();
      return Number.isFinite(seconds) ? seconds : 0;
    },
    usedRatio: () => headroom.usedShare,
    headroomRatio: () => headroom.free(clock.now()),
    residentBytes: () => process.memoryUsage.rss(),
  });
  const { headroom, admission } = openAppAdmission(config, {
    clock,
    onRefused: gatewayMetrics.refusedAsBusy,
  });
  stops.push(() => admission.close());
  const playout = createPlayoutClock({
    clock,
    onTick(latenessMs) {
      gatewayMetrics.tick(latenessMs);
      headroom.ticked(latenessMs);
    },
    onFault(player, fault) {
      log.error('a session failed while sending', { cause: String(fault) });
      sockets.failed(player);
    },
  });
  stops.push(() => playout.close());

  const { codecs, timer } = await openAppSound(config, { clock, log, onStop: (stop) => stops.push(stop) });
  const credentials = createCredentials(
    config.apiKeys.map(({ user, key }) => ({ userId: user, apiKey: key })),
  );
  const legs = openAppLegs(config, credentials, { clock, playout, admission, random, log });
  stops.push(() => legs.close()); // for a start that fails; a stop closes them before the listener
  const onlookers = openAppOnlookers({ config, credentials, clock, random, log });
  stops.push(() => onlookers.close());
  const runtime: SessionRuntime = {
    upstream: upstream.pool,
    upkeep: upstream.upkeep,
    phrases: upstream.phrases,
    codecs,
    timer,
    legs: legs.desk,
    onlookers: onlookers.runtime,
    clock,
    playout,
    random,
    log,
    admission,
    metrics: gatewayMetrics,
    limits: {
      textChars: config.textChars,
      pendingTextChars: config.pendingTextChars,
      turnsInFlight: config.maxTurnsInFlight,
      spoolBytes: config.spoolBytes,
      creditTimeoutMs: config.creditTimeoutMs,
      pauseTimeoutMs: config.pauseTimeoutMs,
    },
    defaultVoice: upstream.voice,
    defaultVoice2: upstream.voice2,
  };
  const scheme = tls === undefined ? 'http' : 'https';
  const sockets = createSocketServer({
    version,
    runtime,
    admission: {
      ...config,
      dialects: DIALECTS,
      scheme,
      credentials,
      tokens: onlookers.tokens,
    },
    limits: {
      ...config,
      messageBytes: MESSAGE_BYTES,
      messagesPerSecond: MESSAGES_PER_SECOND,
      bytesPerSecond: BYTES_PER_SECOND,
    },
    settings: sessionSettings(config, upstream.aliases),
    checkVoices: (named) => upstream.voices.check(named),
    findAgent: async (userId, agentId) => speechService?.findAgent(userId, agentId),
    legs: legs.server,
    onOpened: gatewayMetrics.sessionOpened,
    onClosed: gatewayMetrics.sessionClosed,
  });
  const sum = (
    of: (connection: typeof sockets.connections extends ReadonlySet<infer C> ? C : never) => number,
  ) => [...sockets.connections].reduce((total, connection) => total + of(connection), 0);
  stops.push(() => sockets.close());

  let phase: 'ready' | 'stopping' = 'ready';
  const http = createHttpServer({
    clock,
    log,
    tls,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    loopbackOnly: !credentials.areRequired,
    adminKey: config.adminKey,
    notReady: () => (phase === 'stopping' ? 'stopping' : undefined),
    exposeMetrics: () => metrics.expose(),
    asyncApi: () => asyncApi,
  });
  sockets.attach(http.server);
  const replies = createOpenReplies(clock, admission);
  const speechService =
    service === 'off'
      ? undefined
      : await openAppService({
          config,
          version,
          clock,
          random,
          log,
          metrics,
          upstream,
          runtime,
          credentials,
          replies,
          origin: () => url,
          searchPath,
          onStop: (stop) => stops.push(stop),
        });
  if (speechService !== undefined) {
    await addServiceApi(http, { ...speechService.api, legs });
    await addCompatRoutes(http, speechService.compat);
  }
  await onlookers.addRoutes(http, {
    sessions: () => sockets.connections,
    pool: () => upstream.pool.state(),
    isStopping: () => phase === 'stopping',
  });
  const playground = addPlaygroundRoutes(http, {
    folder: playgroundFolder,
    publicUrl: config.publicUrl,
    wants: credentials.areRequired ? 'keys' : 'nothing',
  });
  await http.listen({ host: config.host, port: config.port });
  stops.push(() => http.close());
  const url = `${scheme}://${addressOf(config.host, http.server.address())}`;
  const asyncApi = asyncApiDocument(version, new URL(config.publicUrl ?? url));
  speechService?.start();
  if (config.audiosocketPort !== 0) {
    await legs.audioSockets.listen({ host: config.host, port: config.audiosocketPort });
    stops.push(() => legs.audioSockets.close());
  }
  const adminUrl = await startAdmin();

  async function startAdmin(): Promise<string | undefined> {
    if (config.adminPort === 0) return undefined;
    const admin = createAdminServer({
      adminKey: config.adminKey,
      exposeMetrics: () => metrics.expose(),
      pool: () => upstream.pool.state(),
      sessions: () =>
        [...sockets.connections].map(({ id, openedAtMs, turnsUnheard, bufferedBytes }) => ({
          id,
          ageMs: Math.round(clock.now() - openedAtMs),
          turnsUnheard,
          bufferedBytes,
        })),
    });
    await admin.listen({ host: '127.0.0.1', port: config.adminPort });
    stops.push(() => admin.close());
    return `http://${addressOf('127.0.0.1', admin.server.address())}`;
  }

  let stopping: Promise<void> | undefined;
  return {
    url,
    sessionUrl: `${url.replace(/^http/, 'ws')}/v1/session`,
    playgroundUrl: playground === 'served' ? `${url}/` : undefined,
    engineUrl: upstream.engineUrl,
    adminUrl,
    stop(drainMs) {
      stopping ??= (async () => {
        phase = 'stopping';
        legs.drain();
        await Promise.all([sockets.drain(drainMs), replies.drain(drainMs)]);
        legs.close();
        await stopAll();
      })();
      return stopping;
    },
  };
}

const addressOf = (host: string, address: unknown): string => {
  const { port } = address as { port: number };
  // Whoever listens everywhere is reached on this machine by its own name.
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
};
