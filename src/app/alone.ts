// A gateway of one process: what plays sessions and what answers requests, beside each other on one listener.

import { createAttachTokens } from '../access/attach-tokens.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { joinServices } from '../cluster/joined-pools.ts';
import { createLocalLegRegistry } from '../gateway/calls/local-leg-registry.ts';
import { viewsOf } from '../http/routes/live-view.ts';
import type { OperatorDesk } from '../http/routes/operator-routes.ts';
import { createOpenReplies } from '../http/server/open-replies.ts';
import { endSession, findSession } from '../session/live-sessions.ts';
import { findServices } from './configured-speech.ts';
import { createAppContext, readTls, type Stop } from './context.ts';
import {
  asGateway,
  type Gateway,
  listenAt,
  openAppSecrets,
  originOf,
  portOf,
  type StartOptions,
  type StopPhase,
} from './gateway.ts';
import { createAppInstances, enlistIn } from './instances.ts';
import { openAppPlaying } from './playing.ts';
import { openAppAdmin, openAppRest } from './rest.ts';
import { openHealthExchange, openQuotaStore, quotasFor } from './service-quotas.ts';
import { ReadVoiceLists } from './service-voices.ts';
import { openAppUpstream } from './upstream.ts';

/** `stopAll` does what was handed to `onStop`, in reverse. */
export async function startAlone(
  options: StartOptions,
  onStop: (stop: Stop) => void,
  stopAll: () => Promise<void>,
): Promise<Gateway> {
  const context = createAppContext(options, onStop);
  const { config, clock, metrics } = context;
  const tls = readTls(config);

  const instances = await createAppInstances(context);
  const speech = await findServices(options);
  const quotas = await openQuotaStore(context, speech);
  onStop(() => quotas.close());
  const upstream = await openAppUpstream(context, speech, quotasFor(quotas, speech, context), {
    lists: new ReadVoiceLists(context),
    health: await openHealthExchange(context, speech, undefined),
  });
  const secrets = openAppSecrets(options);
  const tokens = createAttachTokens(secrets.legs, Date.now);
  const registry = createLocalLegRegistry(clock, tokens);
  const { runtime, sockets, legs, observers, credentials, admission } = await openAppPlaying({
    ...context,
    upstream,
    legRegistry: (playout) => ({
      tokens,
      registry,
      arrivals: registry,
      maxLegs: config.maxConnections,
      ...instances?.openLegs(registry, playout),
    }),
    tokenKeys: secrets.tokens,
    maxOnlookers: config.maxOnlookers,
    findAgent: async (userId, agentId) => service?.findAgent(userId, agentId),
    ...(instances === undefined
      ? {}
      : {
          enlist: enlistIn(instances),
          handOver: (session, upgrade) => instances.handOver(session, upgrade),
          journal: instances.journal,
        }),
  });

  let phase: StopPhase = 'ready';
  const views = (userId: string | undefined) => viewsOf(sockets.connections, userId, clock.now());
  const allViews = async (userId: string | undefined) => [
    ...views(userId),
    ...((await instances?.sessions(userId)) ?? []),
  ];
  const endHere = (id: string) => endSession(() => sockets.connections, id);
  const find = (id: string) => [...sockets.connections].find((each) => each.id === id);
  const desk: OperatorDesk = {
    sessions: () => allViews(undefined),
    calls: () => registry.calls(),
    services: () => upstream.reports(),
    endSession: async (id) => endHere(id) || ((await instances?.endSession(id)) ?? false),
  };
  const replies = createOpenReplies(clock, admission);
  const { http, service, playground } = await openAppRest({
    ...options,
    ...context,
    tls,
    upstream,
    runtime,
    credentials,
    secrets,
    replies,
    observers,
    legs,
    origin: () => url,
    isLeaving: () => phase !== 'ready',
    exposeMetrics: () => metrics.expose(),
    passOnlookersOn: (server) => instances?.passOnlookersOn(server, (id) => find(id) !== undefined),
    routes: {
      sessions: () => sockets.connections,
      isStopping: () => phase === 'stopping',
      hasSession: async (userId, id) =>
        findSession(() => sockets.connections, userId, id) !== undefined ||
        ((await instances?.isSessionOf(userId, id)) ?? false),
      isKept: async (id) => (await instances?.journal.has(id)) ?? false,
      sessionsOf: allViews,
      async revoke(userId, id) {
        observers.tokens.revoke(userId, id);
        await instances?.revoke(id);
      },
      noteRevoked: (id, leftMs) => observers.tokens.noteRevoked(id, leftMs),
      pool: () => joinServices(upstream.reports()),
      desk,
    },
  });
  sockets.attach(http.server);
  await listening(http.listen({ host: config.host, port: config.port }), listenAt(config, 'port'));
  onStop(() => http.close());
  await instances?.open({
    tls,
    onRequest: (request, response) => http.routing(request, response),
    onUpgrade: ({ request, socket, head }) => sockets.upgrade(request, socket, head),
    sessions: async ({ userId }) => views(userId ?? undefined),
    endSession: async ({ id }) => endHere(id),
    userOf: async ({ id }) => find(id)?.userId ?? null,
    async revokeToken({ id, leftMs }) {
      observers.tokens.noteRevoked(id, leftMs);
      return null;
    },
  });
  const scheme = tls === undefined ? 'http' : 'https';
  const url = originOf(scheme, config.host, portOf(http.server.address()));
  service?.start();
  if (config.audiosocketPort !== 0) {
    const at = listenAt(config, 'audiosocketPort');
    await listening(legs.audioSockets.listen(at), at);
    onStop(() => legs.audioSockets.close());
  }
  const adminUrl = await openAppAdmin(
    config,
    {
      exposeMetrics: () => metrics.expose(),
      pool: () => joinServices(upstream.reports()),
      desk,
    },
    onStop,
  );

  return asGateway({ url, playground, engineUrl: upstream.engineUrl, adminUrl }, async (drainMs) => {
    phase = 'leaving';
    await new Promise<void>((resolve) => clock.after(config.drainDelayMs, resolve));
    phase = 'stopping';
    legs.drain();
    service?.rest();
    // Clients that are all closed at once all come to the other instances at once.
    const spreadMs = context.peers.count() > 0 ? drainMs / 2 : 0;
    const times = { deadlineMs: drainMs, spreadMs };
    await Promise.all([sockets.drain(times), instances?.drainLegs(times), replies.drain(drainMs)]);
    legs.close();
    await stopAll();
  });
}
