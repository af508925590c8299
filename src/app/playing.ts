// What plays sessions, built: the clock that paces them, codecs, legs, onlookers, and the upgrades that let callers in. A
// gateway of one process has it beside everything else; of several, each that plays has one.

import { createCredentials } from '../access/credentials.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { DIALECTS } from '../dialects/dialects.ts';
import { createSocketServer, type SocketServerOptions } from '../gateway/sockets/socket-server.ts';
import { createPlayoutClock, type PlayoutClock } from '../playout/playout-clock.ts';
import type { SessionRuntime } from '../session/session-runtime.ts';
import { createTextWork } from '../session/text-work.ts';
import type { Config } from '../settings/settings.ts';
import { type AppLegDesk, openAppLegs } from './legs.ts';
import { openAppMeasures } from './measures.ts';
import { type AppOnlookersOptions, openAppOnlookers } from './onlookers.ts';
import { openAppSound } from './sound.ts';
import type { AppUpstream } from './upstream.ts';
import { sessionSettings } from './voices.ts';

export type AppPlayingOptions = Pick<AppOnlookersOptions, 'tokenSecret' | 'tokenClock' | 'maxOnlookers'> & {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly upstream: AppUpstream;
  /** Of the clock that paces legs, when there is one. */
  readonly legDesk: (playout: PlayoutClock) => AppLegDesk;
  readonly findAgent: SocketServerOptions['findAgent'];
  readonly enlist?: SocketServerOptions['enlist'];
  readonly onStop: (stop: () => Promise<void> | void) => void;
};

/** The gateway's own bounds that no one has needed to set. */
const MESSAGE_BYTES = 256 * 1024;
const MESSAGES_PER_SECOND = 5000;
/** Thirty times what a thousand tokens a second need. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;

export const openAppCredentials = ({ apiKeys }: Config) =>
  createCredentials(apiKeys.map(({ user, key }) => ({ userId: user, apiKey: key })));

export async function openAppPlaying(options: AppPlayingOptions) {
  const { config, clock, random, log, upstream, onStop } = options;
  const { gatewayMetrics, headroom, admission } = openAppMeasures(options, {
    sessions: () => sockets.connections.size,
    turns: () => sum((connection) => connection.turnsUnheard()),
    bufferedBytes: () => sum((connection) => connection.bufferedBytes()),
    onlookers: () => onlookers.runtime.count.open,
  });
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
  onStop(() => playout.close());

  const { codecs, timer } = await openAppSound(config, { clock, log, onStop });
  const credentials = openAppCredentials(config);
  const legDesk = options.legDesk(playout);
  const legs = openAppLegs(
    config,
    credentials,
    { clock, playout, admission, random, log, intake: gatewayMetrics },
    legDesk,
  );
  onStop(() => legs.close()); // for a start that fails; a stop closes them before the listener
  const onlookers = openAppOnlookers({ ...options, credentials });
  onStop(() => onlookers.close());
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
    textWork: createTextWork(clock),
    random,
    log,
    admission,
    metrics: gatewayMetrics,
    limits: {
      textChars: config.textChars,
      pendingTextChars: config.pendingTextChars,
      textBytes: config.textBytes,
      turnsInFlight: config.maxTurnsInFlight,
      spoolBytes: config.spoolBytes,
      creditTimeoutMs: config.creditTimeoutMs,
      pauseTimeoutMs: config.pauseTimeoutMs,
      upstreamMaxWaitMs: config.upstreamMaxWaitMs,
    },
    defaultVoice: upstream.voice,
    defaultVoice2: upstream.voice2,
  };
  const sockets = createSocketServer({
    version: options.version,
    runtime,
    admission: {
      ...config,
      dialects: DIALECTS,
      scheme: config.tlsCert === undefined ? 'http' : 'https',
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
    findAgent: options.findAgent,
    ...(options.enlist === undefined ? {} : { enlist: options.enlist }),
    legs: legs.server,
    intake: gatewayMetrics,
    onOpened: gatewayMetrics.sessionOpened,
    onClosed: gatewayMetrics.sessionClosed,
  });
  const sum = (
    of: (connection: typeof sockets.connections extends ReadonlySet<infer C> ? C : never) => number,
  ) => [...sockets.connections].reduce((total, connection) => total + of(connection), 0);
  onStop(() => sockets.close());
  return { runtime, sockets, legs, onlookers, credentials, admission };
}
