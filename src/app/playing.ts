// Builds what plays sessions: the clock that paces them, codecs, legs, observers, and the upgrades that let callers in.
// A gateway of one process has it beside everything else; of several processes, each player has one.

import { createCredentials } from '../access/credentials.ts';
import { createFilterBanks } from '../audio/dsp/filter-bank.ts';
import { createSoundPath } from '../audio/dsp/wasm-sound-path.ts';
import { createLayer3Decoders } from '../audio/mp3/layer3-decoders.ts';
import { warmCodecs } from '../audio/warm-codecs.ts';
import { DIALECTS } from '../dialects/dialects.ts';
import {
  MAX_BYTES_PER_SECOND,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_PER_SECOND,
} from '../gateway/sockets/socket-bounds.ts';
import { createSocketServer, type SocketServerOptions } from '../gateway/sockets/socket-server.ts';
import { createWorkerEncoderPool } from '../pipeline/encoders/worker-encoder-pool.ts';
import { createProcessWordTimer } from '../pipeline/word-timing/process-word-timer.ts';
import { createSplitWordTimer } from '../pipeline/word-timing/word-timer.ts';
import { createPlayoutClock, type PlayoutClock } from '../playout/playout-clock.ts';
import type { SessionRuntime } from '../session/session-runtime.ts';
import { createTextWork } from '../session/text-work.ts';
import type { Config } from '../settings/settings.ts';
import { espeakCommand, isEspeakInstalled } from '../speech-program/speech-command.ts';
import type { AppContext } from './context.ts';
import { type AppLegRegistry, openAppLegs } from './legs.ts';
import { type AppObserversOptions, openAppObservers } from './observers.ts';
import { openProcessMetrics } from './process-metrics.ts';
import { type AppUpstream, sessionSettings, upstreamOf } from './upstream.ts';

export type AppPlayingOptions = AppContext &
  Pick<AppObserversOptions, 'tokenKeys' | 'maxOnlookers'> & {
    readonly upstream: AppUpstream;
    /** Of the clock that paces legs, when there is one. */
    readonly legRegistry: (playout: PlayoutClock) => AppLegRegistry;
    readonly findAgent: SocketServerOptions['findAgent'];
    readonly enlist?: SocketServerOptions['enlist'];
    readonly handOver?: SocketServerOptions['resume']['handOver'];
    readonly journal?: SocketServerOptions['resume']['journal'];
  };

export const openAppCredentials = ({ apiKeys }: Config) =>
  createCredentials(apiKeys.map(({ user, key }) => ({ userId: user, apiKey: key })));

export async function openAppPlaying(options: AppPlayingOptions) {
  const { config, clock, random, log, upstream, onStop } = options;
  const { gatewayMetrics, headroom, admission } = openProcessMetrics(options, {
    sessions: () => sockets.connections.size,
    detachedSessions: () => sockets.waiting(),
    turns: () => sum((connection) => connection.turnsUnheard()),
    bufferedBytes: () => sum((connection) => connection.bufferedBytes()),
    observers: () => observers.runtime.count.open,
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

  const { codecs, timer } = openAppSound(options);
  const credentials = openAppCredentials(config);
  const legRegistry = options.legRegistry(playout);
  const legs = openAppLegs(
    config,
    credentials,
    { clock, playout, admission, random, log, intake: gatewayMetrics },
    legRegistry,
  );
  onStop(() => legs.close()); // for a start that fails; a stop closes them before the listener
  const observers = openAppObservers({ ...options, credentials });
  onStop(() => observers.close());
  const runtime: SessionRuntime = {
    ...upstreamOf(upstream),
    phrases: upstream.phrases,
    codecs,
    timer,
    legs: legs.registry,
    onlookers: observers.runtime,
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
    listVoices: (of) => upstream.voices.list(of),
  };
  const sockets = createSocketServer({
    version: options.version,
    runtime,
    admission: {
      ...config,
      dialects: DIALECTS,
      scheme: config.tlsCert === undefined ? 'http' : 'https',
      credentials,
      tokens: observers.tokens,
      resumeTokens: observers.resumeTokens,
    },
    limits: {
      ...config,
      messageBytes: MAX_MESSAGE_BYTES,
      messagesPerSecond: MAX_MESSAGES_PER_SECOND,
      bytesPerSecond: MAX_BYTES_PER_SECOND,
    },
    settings: sessionSettings(config, upstream.voices),
    findAgent: options.findAgent,
    ...(options.enlist === undefined ? {} : { enlist: options.enlist }),
    resume: {
      ...config,
      metrics: gatewayMetrics,
      ...(options.handOver === undefined ? {} : { handOver: options.handOver }),
      ...(options.journal === undefined ? {} : { journal: options.journal }),
    },
    legs: legs.server,
    intake: gatewayMetrics,
    onOpened: gatewayMetrics.sessionOpened,
    onClosed: gatewayMetrics.sessionClosed,
  });
  const sum = (
    of: (connection: typeof sockets.connections extends ReadonlySet<infer C> ? C : never) => number,
  ) => [...sockets.connections].reduce((total, connection) => total + of(connection), 0);
  onStop(() => sockets.close());
  return { runtime, sockets, legs, observers, credentials, admission };
}

/** Codecs, the workers of CPU-heavy encoders, and the process that times words. */
export function openAppSound({ config, clock, log, onStop }: AppContext) {
  const heavy = createWorkerEncoderPool({ log });
  onStop(() => heavy.close());
  const codecs = { decoders: createLayer3Decoders(), sound: createSoundPath(createFilterBanks()), heavy };
  warmCodecs(codecs);
  const timerOptions = {
    log,
    clock,
    command: isEspeakInstalled() ? espeakCommand() : undefined,
    // Where a service tells none, as with captions.
    when: config.wordTimes === 'service' ? 'captions' : config.wordTimes,
    endings: config.endings === 'words' ? 'followed' : 'never',
    most: config.timedTurns,
  } as const;
  const listening = createProcessWordTimer(timerOptions);
  onStop(() => listening.close());
  listening.warm();
  const waiting = createProcessWordTimer({ ...timerOptions, works: 'in-background' });
  onStop(() => waiting.close());
  return { codecs, timer: createSplitWordTimer({ listening, waiting }) };
}
