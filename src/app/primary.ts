// The process that owns: records, the speech engine, quotas, the registry of sessions and legs, and every plain request.
// It plays no session; it forks those that do and keeps them alive.

import { fileURLToPath } from 'node:url';
import { createAttachTokens } from '../access/attach-tokens.ts';
import { systemClock } from '../base/clock.ts';
import { createMetrics } from '../base/metrics.ts';
import { metricsText } from '../base/metrics-snapshot.ts';
import { systemRandom } from '../base/random.ts';
import { sharedClock } from '../base/shared-clock.ts';
import { openPlayerProcesses } from '../cluster/ipc-player-process.ts';
import { createLegRegistry } from '../cluster/legs/leg-registry.ts';
import { createPlayerHost } from '../cluster/player-host.ts';
import { createPlayers } from '../cluster/players.ts';
import { openPrivateListener } from '../cluster/private-listener.ts';
import { createQuotaShare } from '../cluster/quota-share.ts';
import { createSessionRegistry } from '../cluster/session-registry.ts';
import { createWholeGateway } from '../cluster/whole-gateway.ts';
import { createOpenReplies } from '../http/server/open-replies.ts';
import { openTemporaryFolder } from '../storage/temporary-folder.ts';
import { quotaIdOf } from '../upstream/key-digest.ts';
import { openAppAdmin } from './admin.ts';
import { asGateway, type Gateway, originOf, SECRET_BYTES, type StartOptions, type Stop } from './gateway.ts';
import { openAppMeasures } from './measures.ts';
import { openAppOnlookers } from './onlookers.ts';
import { type PlayerBrief, PRIMARY, privatePath } from './player.ts';
import { openAppCredentials } from './playing.ts';
import { readTls } from './read-tls.ts';
import { openAppRest } from './rest.ts';
import { openAppSound } from './sound.ts';
import { chooseService, openAppUpstream, openQuotaStore } from './upstream.ts';

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));

const none = () => 0;

/** `stopAll` does what was handed to `onStop`, in reverse. */
export async function startPrimary(
  options: StartOptions,
  onStop: (stop: Stop) => void,
  stopAll: () => Promise<void>,
): Promise<Gateway> {
  const { config, log, version } = options;
  const tls = readTls(config);
  const spawn = openPlayerProcesses(PROGRAM, ['player']);
  const ports = { config, version, clock: systemClock, random: systemRandom, log };
  const { clock, random } = ports;
  const metrics = createMetrics();
  const common = { ...ports, metrics, onStop };
  const secrets = {
    legs: random.id(SECRET_BYTES),
    tokens: random.id(SECRET_BYTES),
    peers: random.id(SECRET_BYTES),
  };
  const { path: folder, remove } = openTemporaryFolder();
  onStop(remove);
  // Of its own thread, in which REST speaks; each player has some for its sessions.
  const { admission } = openAppMeasures(common, {
    sessions: none,
    turns: none,
    bufferedBytes: none,
    onlookers: none,
  });

  const speech = await chooseService(options);
  const store = openQuotaStore(common, speech);
  onStop(() => store.close());
  const share = createQuotaShare({
    store,
    placesOf: (quota) =>
      config.upstreamMaxInFlightPerKey *
      speech.keys.filter(({ apiKey }) => quotaIdOf(apiKey) === quota).length,
  });
  const upstream = openAppUpstream(common, speech, share.open());
  const { codecs, timer } = await openAppSound(config, { clock, log, onStop });
  const credentials = openAppCredentials(config);
  const onlookers = openAppOnlookers({
    ...ports,
    credentials,
    tokenSecret: secrets.tokens,
    tokenClock: sharedClock,
    maxOnlookers: 0,
  });
  onStop(() => onlookers.close());

  const sessions = createSessionRegistry(config);
  const legs = createLegRegistry(clock, createAttachTokens(secrets.legs), (player, name, news) =>
    players.of(player)?.tell(name, news),
  );
  const host = createPlayerHost({
    share,
    sessions,
    legs,
    log,
    findAgent: async (userId, agentId) => service?.findAgent(userId, agentId),
    tellQuota: (player, states) => players.of(player)?.tell('quotaChanged', states),
  });
  const players = createPlayers<PlayerBrief>({
    count: config.processes,
    spawn,
    briefFor: (player, shared) => ({
      player,
      // Those that come later share what the first one has got.
      config: { ...config, ...shared },
      version,
      tls,
      secrets,
      folder,
      speech,
      quotas: store.state(),
      revoked: onlookers.tokens.revoked(),
    }),
    answersFor: host.answersFor,
    listenersFor: host.listenersFor,
    onGone: host.gone,
    clock,
    log,
  });
  const whole = createWholeGateway({ players, metrics, pool: upstream.pool, tokens: onlookers.tokens });

  let phase: 'ready' | 'stopping' = 'ready';
  const replies = createOpenReplies(clock, admission);
  const { http, service, playground } = await openAppRest({
    ...options,
    ...common,
    tls: undefined,
    upstream,
    runtime: { upstream: upstream.pool, upkeep: upstream.upkeep, codecs, timer, clock },
    credentials,
    replies,
    onlookers,
    legs: { dial: whole.dialLeg },
    origin: () => url,
    exposeMetrics: async () => metricsText(await whole.metrics()),
    routes: {
      sessions: () => [],
      isStopping: () => phase === 'stopping',
      hasSession: sessions.has,
      sessionsOf: whole.sessions,
      revoke: whole.revoke,
      pool: whole.pool,
    },
  });
  await http.ready();
  onStop(() => http.close());
  const listener = await openPrivateListener({
    clock,
    path: privatePath(folder, PRIMARY),
    secret: secrets.peers,
    onRequest: (request, response) => http.routing(request, response),
  });
  onStop(() => listener.close());
  onStop(() => players.stop());
  const { port } = await players.start();
  const url = originOf(tls === undefined ? 'http' : 'https', config.host, port);
  service?.start();
  const adminUrl = await openAppAdmin(
    config,
    {
      exposeMetrics: async () => metricsText(await whole.metrics()),
      pool: whole.pool,
      sessions: () => whole.sessions(undefined),
    },
    onStop,
  );

  return asGateway({ url, playground, engineUrl: upstream.engineUrl, adminUrl }, async (drainMs) => {
    phase = 'stopping';
    await Promise.all([players.drain(drainMs), replies.drain(drainMs)]);
    await listener.settle();
    await stopAll();
  });
}
