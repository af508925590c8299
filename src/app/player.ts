// A process that plays sessions: upgrades, legs and onlookers of its own, and for all else the primary. Adapters are
// chosen here as in alone.ts.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAttachTokens } from '../access/attach-tokens.ts';
import { AppError } from '../base/app-error.ts';
import { systemClock } from '../base/clock.ts';
import { createMetrics } from '../base/metrics.ts';
import { systemRandom } from '../base/random.ts';
import { sharedClock } from '../base/shared-clock.ts';
import { createFrontServer, watchedSession } from '../cluster/front-server.ts';
import { createIpcQuotaStore } from '../cluster/ipc-quota-store.ts';
import { createIpcLegDesk } from '../cluster/legs/ipc-leg-desk.ts';
import { createLegGuests } from '../cluster/legs/leg-guests.ts';
import { createLegSwitchboard } from '../cluster/legs/leg-switchboard.ts';
import type { PlayerAsks, PlayerNews, PlayerNumber, PrimaryAsks, PrimaryNews } from '../cluster/messages.ts';
import type { Answers, Listeners, Peer } from '../cluster/peer.ts';
import { openPrivateListener } from '../cluster/private-listener.ts';
import { createReverseProxy } from '../cluster/reverse-proxy.ts';
import { createTellingLog } from '../cluster/telling-log.ts';
import { viewsOf } from '../http/routes/live-view.ts';
import { createHttpServer } from '../http/server/http-server.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { Config } from '../settings/settings.ts';
import type { QuotaState } from '../upstream/quota/quota-store.ts';
import { SPARE_SOCKETS, type Stop } from './gateway.ts';
import { openAppPlaying } from './playing.ts';
import { openAppUpstream, type SpeechService } from './upstream.ts';

/** What a player is told at its start. */
export type PlayerBrief = {
  readonly player: PlayerNumber;
  readonly config: Config;
  readonly version: string;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Of attach tokens, of callers' tokens, and of the listeners between processes. */
  readonly secrets: { readonly legs: string; readonly tokens: string; readonly peers: string };
  /** Of the private listeners. */
  readonly folder: string;
  readonly speech: SpeechService;
  readonly quotas: readonly QuotaState[];
  readonly revoked: readonly { readonly id: string; readonly leftMs: number }[];
};

export type Primary = Peer<PrimaryAsks, PrimaryNews>;
export type AppPlayer = {
  readonly answers: Omit<Answers<PlayerAsks<PlayerBrief>>, 'start' | 'stop'>;
  readonly listeners: Listeners<PlayerNews>;
  readonly ports: { readonly port: number; readonly audiosocketPort: number };
};

export const PRIMARY = 'primary';
export const privatePath = (folder: string, of: PlayerNumber | typeof PRIMARY) => join(folder, `${of}.sock`);

const ASK_MS = 3000;

/** All of a player but its line to the primary; `onStop` gets what is to be done at its end, in reverse. */
export async function openAppPlayer(
  { player, config, version, tls, secrets, folder, speech, ...brief }: PlayerBrief,
  primary: Primary,
  onStop: (stop: Stop) => void,
): Promise<AppPlayer> {
  const log = createTellingLog(() => primary, config.logLevel);
  const ports = { config, version, clock: systemClock, random: systemRandom, log };
  const { clock, random } = ports;
  const metrics = createMetrics();
  const quotas = createIpcQuotaStore({ primary, clock, states: brief.quotas });
  const upstream = openAppUpstream({ ...ports, metrics, onStop }, speech, quotas);

  const legDesk = (playout: PlayoutClock) => {
    const tokens = createAttachTokens(secrets.legs);
    const guests = createLegGuests({
      desk: () => desk,
      pathOf: (of) => privatePath(folder, of),
      secret: secrets.peers,
      clock,
      playout,
      log,
    });
    onStop(() => guests.close());
    const desk = createIpcLegDesk({
      tokens,
      clock,
      primary,
      async bring(address) {
        if (address.holder === player) switchboard.bringHome(address.key);
        else await guests.fetch(address);
      },
    });
    legs = desk;
    return {
      tokens,
      desk,
      arrivals: { arrive: () => unreachable(), turnAway: () => unreachable() },
      connect: switchboard.connect,
      maxLegs: Math.ceil(config.maxConnections / config.processes),
    };
  };
  let legs: ReturnType<typeof createIpcLegDesk> | undefined;
  const switchboard = createLegSwitchboard({ player, primary, desk: () => legs!, life: random.id(6) });

  const playing = await openAppPlaying({
    ...ports,
    metrics,
    onStop,
    upstream,
    legDesk,
    tokenSecret: secrets.tokens,
    tokenClock: sharedClock,
    maxOnlookers: Math.ceil(config.maxOnlookers / config.processes),
    async findAgent(userId, agentId) {
      const profile = await primary.ask('findAgent', { userId, agentId }, { deadlineMs: ASK_MS });
      if (profile === undefined) return undefined;
      return { profile, used: (use) => primary.tell('agentUsed', { userId, agentId, use }) };
    },
    async enlist({ id, userId }) {
      await primary.ask('enterSession', { id, userId }, { deadlineMs: ASK_MS, onLate: () => left(id) });
      return () => left(id);
    },
  });
  const left = (id: string) => primary.tell('sessionLeft', id);
  const { sockets, onlookers, credentials } = playing;
  for (const { id, leftMs } of brief.revoked) onlookers.tokens.forget(id, leftMs);

  let phase: 'ready' | 'stopping' = 'ready';
  const seats = createHttpServer({
    clock,
    log,
    tls: undefined,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    loopbackOnly: !credentials.areRequired,
    adminKey: config.adminKey,
    notReady: () => undefined,
    exposeMetrics: () => metrics.expose(),
    asyncApi: () => ({}),
  });
  await onlookers.addSeats(seats, {
    sessions: () => sockets.connections,
    isStopping: () => phase === 'stopping',
  });
  await seats.ready();
  onStop(() => seats.close());

  const path = privatePath(folder, player);
  rmSync(path, { force: true }); // of one that died
  const listener = await openPrivateListener({
    clock,
    path,
    secret: secrets.peers,
    onRequest: (request, response) => seats.routing(request, response),
    onLeg: switchboard.give,
  });
  onStop(() => listener.close());
  const proxy = createReverseProxy({ secret: secrets.peers, clock, log });
  onStop(() => proxy.close());
  const front = createFrontServer({
    tls,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    onRequest(request, response) {
      const toPrimary = () => proxy.forward(request, response, privatePath(folder, PRIMARY));
      const session = watchedSession(request.url ?? '');
      if (session === undefined) return toPrimary();
      primary.ask('findSession', session, { deadlineMs: ASK_MS }).then((at) => {
        if (at === undefined) toPrimary();
        else if (at === player) seats.routing(request, response);
        else proxy.forward(request, response, privatePath(folder, at));
      }, toPrimary);
    },
  });
  sockets.attach(front.server);
  const port = await front.listen({ host: config.host, port: config.port });
  onStop(() => front.close());
  onStop(() => proxy.settle());
  const { audioSockets } = playing.legs;
  let audiosocketPort = 0;
  if (config.audiosocketPort !== 0) {
    audiosocketPort = await audioSockets.listen({ host: config.host, port: config.audiosocketPort });
    onStop(() => audioSockets.close());
  }
  onStop(() => playing.legs.close());

  return {
    ports: { port, audiosocketPort },
    answers: {
      async drain(drainMs) {
        phase = 'stopping';
        playing.legs.drain();
        await sockets.drain(drainMs);
        return null;
      },
      metrics: () => metrics.snapshot(),
      pool: () => upstream.pool.state(),
      sessions: ({ userId }) =>
        viewsOf(sockets.connections, userId, clock.now()).map((view) => ({ ...view, process: player })),
      revokeToken({ id, leftMs }) {
        onlookers.tokens.forget(id, leftMs);
        return null;
      },
      async dialLeg(wanted, signal) {
        const { id, kind, callId } = await playing.legs.dial(wanted, signal);
        return { id, kind, callId };
      },
    },
    listeners: {
      quotaChanged: quotas.changed,
      legGiven: (news) => legs!.given(news),
      legAwaited: (ask) => legs!.awaited(ask),
      legRefused: (news) => legs!.refused(news),
      legEnded: (news) => legs!.ended(news),
    },
  };
}

const unreachable = (): never => {
  throw new AppError('internal', 'A leg has come in by no switchboard.');
};
