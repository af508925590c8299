// Starts a gateway of one process or of several, and the embedded engine beside it; alone.ts and primary.ts build every
// object once and have them stopped in the reverse order. The engine is a process of its own behind a loopback port of the
// gateway, with a random key per start, used over HTTP like any other speech service.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { type Log, silentLog } from '../base/log.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { systemRandom } from '../base/random.ts';
import { createEngineKeeper } from '../cluster/engine-keeper.ts';
import { spawnEngineProcess } from '../cluster/ipc-engine-process.ts';
import { checkSecretTold, keepSecret } from '../service/file-service-secret.ts';
import type { Config } from '../settings/settings.ts';
import { usesEngine } from '../settings/upstream-list.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import { isEspeakInstalled, SPEECH_PACKAGE } from '../speech-program/speech-command.ts';
import { openDataFolder } from '../storage/data-folder.ts';
import { createAppContext, type Stop } from './context.ts';
import { type Gateway, type GatewayOptions, LISTENERS, listenAt } from './gateway.ts';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const stops: Stop[] = [];
  const onStop = (stop: Stop) => void stops.push(stop);
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const { config, log } = options;
  try {
    await checkPorts(config);
    const engine = usesEngine(config) ? launchEmbeddedEngine({ ...config, log }) : undefined;
    onStop(() => engine?.close());
    // Loaded while the engine starts: each of the two takes about as long as the other.
    const start =
      config.processes === 1
        ? (await import('./alone.ts')).startAlone
        : (await import('./primary.ts')).startPrimary;
    return await start({ ...options, engine }, onStop, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/**
 * The records of a data folder and those that instances share, which no gateway may have meanwhile. `into`: which of the two are
 * to be written. `isSecretKept`: all that instances sign with is in the folder, too. `onLost`: another process has taken it.
 */
export async function openBothRecords({
  config,
  version,
  into,
  onLost,
}: Pick<GatewayOptions, 'config' | 'version'> & {
  readonly into: 'folder' | 'shared' | 'neither';
  readonly onLost: () => void;
}) {
  const { dataDir, secret } = config;
  checkSecretTold(secret, dataDir);
  const stops: Stop[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const context = createAppContext({ config, version, log: silentLog }, (stop) => void stops.push(stop));
  try {
    if (into === 'folder') openDataFolder(dataDir);
    const { openAppRecords } = await import('./service-parts.ts');
    const folderOnly = { ...context, config: { ...config, databaseUrl: undefined, filesUrl: undefined } };
    const folder = await openAppRecords(folderOnly, { onLost, onNews: undefined });
    const shared = await openAppRecords(context, { onLost() {}, onNews: undefined });
    return { folder, shared, close, isSecretKept: into !== 'folder' || keepSecret(secret, dataDir) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Rejects in the words of the setting where a port cannot be had: that is told before an engine has been started for seconds. */
async function checkPorts(config: Config): Promise<void> {
  for (const at of LISTENERS.map((of) => listenAt(config, of)).filter(({ port }) => port !== 0)) {
    const probe = createServer();
    await listening(once(probe.listen(at.port, at.host), 'listening'), at);
    await new Promise((resolve) => probe.close(resolve));
  }
}

export type EmbeddedEngine = {
  readonly url: string;
  readonly key: { readonly userId: string; readonly apiKey: string; readonly perMinute: number | undefined };
  /** Ids of its first female and first male voice. */
  readonly femaleVoice: string | undefined;
  readonly maleVoice: string | undefined;
  readonly voices: readonly ListedVoice[];
};

/** An engine that is being started. */
export type LaunchedEngine = {
  /** Rejects when it cannot be started. */
  readonly started: Promise<EmbeddedEngine>;
  /** Whether it takes requests at once; while its process is started again they wait. */
  isReady(): boolean;
  close(): Promise<void>;
};

export type EngineLaunch = Pick<Config, 'enginePerMinute' | 'logLevel'> & {
  readonly log: Log;
};

const HOST = '127.0.0.1';
const KEY_BYTES = 24;

/** An engine alone may wait for its program; a gateway that could not speak at all is better refused before it starts. */
function requireSpeechPackage(): void {
  if (isEspeakInstalled()) return;
  throw new Error(
    'There is nothing to speak with: VOXGATE_UPSTREAM_URL is not set, and the embedded engine is not part of ' +
      'this installation. Set VOXGATE_UPSTREAM_URL and VOXGATE_UPSTREAM_KEYS to use a speech service, or bring ' +
      `the engine: the image "all", or "npm install --include=optional" for ${SPEECH_PACKAGE}.`,
  );
}

/** Starts it at once. Throws, saying what to do, when the speech program's package is missing. */
export function launchEmbeddedEngine(launch: EngineLaunch): LaunchedEngine {
  requireSpeechPackage();
  const { enginePerMinute: perMinute, log, logLevel } = launch;
  const userId = 'voxgate';
  const apiKey = systemRandom.id(KEY_BYTES);
  const keeper = createEngineKeeper({
    spawn: spawnEngineProcess,
    brief: { key: { userId, apiKey, perMinute }, logFrom: logLevel },
    clock: systemClock,
    log,
  });
  // Nothing is read here: whole connections are handed to the process that speaks.
  const door = createServer({ pauseOnConnect: true, noDelay: true }, (connection) => {
    connection.on('error', () => {}); // a client that waits here may leave
    keeper.take(connection);
  });
  door.listen(0, HOST);

  const start = async (): Promise<EmbeddedEngine> => {
    const [voices] = await Promise.all([keeper.started, once(door, 'listening')]);
    const firstOf = (gender: string) => voices.find((voice) => voice.gender === gender)?.id;
    return {
      url: `http://${HOST}:${(door.address() as { port: number }).port}`,
      key: { userId, apiKey, perMinute: perMinute === 0 ? undefined : perMinute },
      voices,
      femaleVoice: firstOf('Female'),
      maleVoice: firstOf('Male'),
    };
  };
  const started = start();
  started.catch(() => {}); // reported to whatever waits for it
  return {
    started,
    isReady: () => keeper.isReady(),
    async close() {
      const closed = new Promise((resolve) => door.close(resolve));
      await keeper.stop();
      await closed;
    },
  };
}
