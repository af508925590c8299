// A gateway of one process: what plays sessions and what answers requests, side by side on one listener.

import { createAttachTokens } from '../access/attach-tokens.ts';
import { systemClock } from '../base/clock.ts';
import { createMetrics } from '../base/metrics.ts';
import { systemRandom } from '../base/random.ts';
import { createLegDesk } from '../gateway/calls/leg-desk.ts';
import { viewsOf } from '../http/routes/live-view.ts';
import { createOpenReplies } from '../http/server/open-replies.ts';
import { findSession } from '../session/live-sessions.ts';
import { openAppAdmin } from './admin.ts';
import {
  asGateway,
  type Gateway,
  originOf,
  portOf,
  SECRET_BYTES,
  type StartOptions,
  type Stop,
} from './gateway.ts';
import { openAppPlaying } from './playing.ts';
import { readTls } from './read-tls.ts';
import { openAppRest } from './rest.ts';
import { chooseService, openAppUpstream, openQuotaStore } from './upstream.ts';

/** `stopAll` does what was handed to `onStop`, in reverse. */
export async function startAlone(
  options: StartOptions,
  onStop: (stop: Stop) => void,
  stopAll: () => Promise<void>,
): Promise<Gateway> {
  const { config, log, version } = options;
  const tls = readTls(config);
  const ports = { config, version, clock: systemClock, random: systemRandom, log };
  const { clock, random } = ports;
  const metrics = createMetrics();
  const common = { ...ports, metrics, onStop };

  const speech = await chooseService(options);
  const quotas = openQuotaStore(common, speech);
  onStop(() => quotas.close());
  const upstream = openAppUpstream(common, speech, quotas);
  const { runtime, sockets, legs, onlookers, credentials, admission } = await openAppPlaying({
    ...common,
    upstream,
    legDesk() {
      // Leg and session meet in one process, so the secret need not outlive it.
      const tokens = createAttachTokens(random.id(SECRET_BYTES));
      const desk = createLegDesk(clock, tokens);
      return { tokens, desk, arrivals: desk, maxLegs: config.maxConnections };
    },
    tokenSecret: random.id(SECRET_BYTES),
    tokenClock: clock,
    maxOnlookers: config.maxOnlookers,
    findAgent: async (userId, agentId) => service?.findAgent(userId, agentId),
  });

  let phase: 'ready' | 'stopping' = 'ready';
  const views = (userId: string | undefined) => viewsOf(sockets.connections, userId, clock.now());
  const replies = createOpenReplies(clock, admission);
  const { http, service, playground } = await openAppRest({
    ...options,
    ...common,
    tls,
    upstream,
    runtime,
    credentials,
    replies,
    onlookers,
    legs,
    origin: () => url,
    exposeMetrics: () => metrics.expose(),
    routes: {
      sessions: () => sockets.connections,
      isStopping: () => phase === 'stopping',
      hasSession: (userId, id) => findSession(() => sockets.connections, userId, id) !== undefined,
      sessionsOf: views,
      revoke: (userId, id) => onlookers.tokens.revoke(userId, id),
      pool: () => upstream.pool.state(),
    },
  });
  sockets.attach(http.server);
  await http.listen({ host: config.host, port: config.port });
  onStop(() => http.close());
  const scheme = tls === undefined ? 'http' : 'https';
  const url = originOf(scheme, config.host, portOf(http.server.address()));
  service?.start();
  if (config.audiosocketPort !== 0) {
    await legs.audioSockets.listen({ host: config.host, port: config.audiosocketPort });
    onStop(() => legs.audioSockets.close());
  }
  const adminUrl = await openAppAdmin(
    config,
    {
      exposeMetrics: () => metrics.expose(),
      pool: () => upstream.pool.state(),
      sessions: () => views(undefined),
    },
    onStop,
  );

  return asGateway({ url, playground, engineUrl: upstream.engineUrl, adminUrl }, async (drainMs) => {
    phase = 'stopping';
    legs.drain();
    await Promise.all([sockets.drain(drainMs), replies.drain(drainMs)]);
    legs.close();
    await stopAll();
  });
}
