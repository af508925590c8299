// The process that owns the records, the speech engine, the quotas, the registry of sessions and legs, and every plain
// request. It plays no session; it forks the processes that do and keeps them alive.

import { fileURLToPath } from 'node:url';
import { createAttachTokens } from '../access/attach-tokens.ts';
import { metricsText } from '../base/metrics-snapshot.ts';
import { openPlayerProcesses } from '../cluster/ipc-player-process.ts';
import { createLegDirectory } from '../cluster/legs/leg-directory.ts';
import type { PlayerNews } from '../cluster/messages.ts';
import { createSecretNotes } from '../cluster/peer-note.ts';
import { createPlayerHost } from '../cluster/player-host.ts';
import { createPlayers } from '../cluster/players.ts';
import { openPrivateListener } from '../cluster/private-listener.ts';
import { createQuotaShare } from '../cluster/quota-share.ts';
import { createSessionRegistry } from '../cluster/session-registry.ts';
import { createWholeGateway } from '../cluster/whole-gateway.ts';
import type { OperatorDesk } from '../http/routes/operator-routes.ts';
import { createOpenReplies } from '../http/server/open-replies.ts';
import { openTemporaryFolder } from '../storage/temporary-folder.ts';
import { createHealthBoard } from '../upstream/health/shared-health.ts';
import { findServices, placesOf } from './configured-speech.ts';
import { createAppContext, readTls, type Stop } from './context.ts';
import {
  asGateway,
  type Gateway,
  openAppSecrets,
  originOf,
  SECRET_BYTES,
  type StartOptions,
  type StopPhase,
} from './gateway.ts';
import { openAppObservers } from './observers.ts';
import { type PlayerBrief, PRIMARY, privatePath } from './player.ts';
import { openAppCredentials, openAppSound } from './playing.ts';
import { openProcessMetrics } from './process-metrics.ts';
import { openAppAdmin, openAppRest } from './rest.ts';
import { openHealthExchange, openQuotaStore, viewsFor } from './service-quotas.ts';
import { ReadVoiceLists } from './service-voices.ts';
import { openAppUpstream, upstreamOf } from './upstream.ts';

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));

const none = () => 0;

/** `stopAll` does what was handed to `onStop`, in reverse. */
export async function startPrimary(
  options: StartOptions,
  onStop: (stop: Stop) => void,
  stopAll: () => Promise<void>,
): Promise<Gateway> {
  const context = createAppContext(options, onStop);
  const { config, version, clock, random, log, metrics } = context;
  const tls = readTls(config);
  const spawn = openPlayerProcesses(PROGRAM, ['player']);
  const secrets = openAppSecrets(options);
  const { legs: legKeys, tokens: tokenKeys } = secrets;
  const peers = random.id(SECRET_BYTES);
  const { path: folder, remove } = openTemporaryFolder();
  onStop(remove);
  // Of its own thread, in which REST speaks; each player has some for its sessions.
  const { admission } = openProcessMetrics(context, {
    sessions: none,
    detachedSessions: none,
    turns: none,
    bufferedBytes: none,
    observers: none,
  });

  const speech = await findServices(options);
  const store = await openQuotaStore(context, speech);
  onStop(() => store.close());
  let tellVoices: (listed: PlayerNews['voicesListed']) => void = () => {}; // a process asks when it starts
  const share = createQuotaShare({
    store,
    placesOf: (quota) => placesOf(speech.services, quota, config.upstreamMaxInFlightPerKey),
    clock,
  });
  const lists = new ReadVoiceLists(context, (service, ids) => tellVoices({ service, ids }));
  const health = (await openHealthExchange(context, speech, createHealthBoard(clock)))!;
  const upstream = await openAppUpstream(context, speech, viewsFor(share.open()), { lists, health });
  const { codecs, timer } = openAppSound(context);
  const credentials = openAppCredentials(config);
  const observers = openAppObservers({
    ...context,
    credentials,
    tokenKeys,
    maxOnlookers: 0,
  });
  onStop(() => observers.close());

  const sessions = createSessionRegistry(config);
  const legs = createLegDirectory(clock, createAttachTokens(legKeys, Date.now), (player, name, news) =>
    players.of(player)?.tell(name, news),
  );
  const host = createPlayerHost({
    share,
    health,
    sessions,
    legs,
    log: options.log, // players have bounded and counted their lines
    findAgent: async (userId, agentId) => service?.findAgent(userId, agentId),
    listVoices: (of) => lists.of(of),
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
      keys: { legs: legKeys, tokens: tokenKeys },
      peerSecret: peers,
      folder,
      speech,
      quotas: store.state(),
      revoked: observers.tokens.revoked(),
    }),
    answersFor: host.answersFor,
    listenersFor: host.listenersFor,
    onGone: host.gone,
    clock,
    log,
  });
  tellVoices = (listed) => {
    for (const player of players.all()) player.tell('voicesListed', listed);
  };
  const whole = createWholeGateway({ players, metrics, pools: upstream.reports, tokens: observers.tokens });

  const desk: OperatorDesk = {
    sessions: () => whole.sessions(undefined),
    calls: () => legs.calls(),
    services: whole.services,
    endSession: whole.endSession,
  };

  let phase: StopPhase = 'ready';
  const replies = createOpenReplies(clock, admission);
  const { http, service, playground } = await openAppRest({
    ...options,
    ...context,
    tls: undefined,
    upstream,
    runtime: { ...upstreamOf(upstream), codecs, timer, clock },
    credentials,
    secrets,
    replies,
    observers,
    legs: { dial: whole.dialLeg },
    origin: () => url,
    isLeaving: () => phase !== 'ready',
    exposeMetrics: async () => metricsText(await whole.metrics()),
    routes: {
      sessions: () => [],
      isStopping: () => phase === 'stopping',
      hasSession: sessions.has,
      sessionsOf: whole.sessions,
      revoke: whole.revoke,
      noteRevoked: whole.noteRevoked,
      pool: whole.pool,
      desk,
    },
  });
  await http.ready();
  onStop(() => http.close());
  const listener = await openPrivateListener({
    clock,
    listen: { path: privatePath(folder, PRIMARY) },
    notes: createSecretNotes(peers),
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
      desk,
    },
    onStop,
  );

  return asGateway({ url, playground, engineUrl: upstream.engineUrl, adminUrl }, async (drainMs) => {
    phase = 'leaving';
    await new Promise<void>((resolve) => clock.after(config.drainDelayMs, resolve));
    phase = 'stopping';
    service?.rest();
    await Promise.all([players.drain(drainMs), replies.drain(drainMs)]);
    await listener.settle();
    await stopAll();
  });
}
