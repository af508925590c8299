// A process that plays sessions: it has its own upgrades, legs and observers, and asks the primary that has forked it for
// everything else. Adapters are chosen here as in alone.ts.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAttachTokens } from '../access/attach-tokens.ts';
import { AppError } from '../base/app-error.ts';
import { systemClock } from '../base/clock.ts';
import { forwardingLog, type Log, type LogLevel } from '../base/log.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { helpersYieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { createFrontServer, watchedSession } from '../cluster/front-server.ts';
import { openPrimaryLine, type PrimaryLine } from '../cluster/ipc-player-process.ts';
import { createIpcQuotaStore } from '../cluster/ipc-quota-store.ts';
import { createIpcLegRegistry } from '../cluster/legs/ipc-leg-registry.ts';
import { createLegGuests } from '../cluster/legs/leg-guests.ts';
import { createLegSwitchboard } from '../cluster/legs/leg-switchboard.ts';
import type { PlayerAsks, PlayerNews, PlayerNumber, PrimaryAsks, PrimaryNews } from '../cluster/messages.ts';
import { type Answers, createPeer, type Listeners, type Peer } from '../cluster/peer.ts';
import { createSecretNotes } from '../cluster/peer-note.ts';
import { openPrivateListener } from '../cluster/private-listener.ts';
import { createReverseProxy, type Neighbour, passUpgradeOn } from '../cluster/reverse-proxy.ts';
import { viewsOf } from '../http/routes/live-view.ts';
import { createHttpServer } from '../http/server/http-server.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import { endSession } from '../session/live-sessions.ts';
import { operatorAccess } from '../settings/operator-access.ts';
import type { Config } from '../settings/settings.ts';
import type { QuotaState } from '../upstream/quota/quota-store.ts';
import type { ConfiguredSpeech } from './configured-speech.ts';
import { createAppContext, type Stop } from './context.ts';
import { listenAt, SPARE_SOCKETS } from './gateway.ts';
import { BY_SWITCHBOARD } from './legs.ts';
import { openAppPlaying } from './playing.ts';
import { viewsFor } from './service-quotas.ts';
import { ToldVoiceLists } from './service-voices.ts';
import { openAppUpstream } from './upstream.ts';

/** What a player is told at its start. */
export type PlayerBrief = {
  readonly player: PlayerNumber;
  readonly config: Config;
  readonly version: string;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Of attach tokens, and of callers' tokens. */
  readonly keys: { readonly legs: readonly string[]; readonly tokens: readonly string[] };
  /** Of the listeners between processes. */
  readonly peerSecret: string;
  /** Of the private listeners. */
  readonly folder: string;
  readonly speech: ConfiguredSpeech;
  readonly quotas: readonly QuotaState[];
  readonly revoked: readonly { readonly id: string; readonly leftMs: number }[];
};

type Primary = Peer<PrimaryAsks, PrimaryNews>;
type AppPlayer = {
  readonly answers: Omit<Answers<PlayerAsks<PlayerBrief>>, 'start' | 'stop'>;
  readonly listeners: Listeners<PlayerNews>;
  readonly ports: { readonly port: number; readonly audiosocketPort: number };
};

/** Written by the primary: lines of several processes would be mixed up. */
const logThrough = (primary: () => Primary, least?: LogLevel): Log =>
  forwardingLog((level, event, fields) => primary().tell('log', { level, event, fields }), least);

export const PRIMARY = 'primary';
export const privatePath = (folder: string, of: PlayerNumber | typeof PRIMARY) => join(folder, `${of}.sock`);

const ASK_MS = 3000;
/** Of a list that the primary is still reading. */
const VOICES_MS = 12_000;
/** Beyond what the primary waits for Redis. */
const EXCHANGE_MS = 500;

/** All of a player but its channel to the primary; `onStop` gets what is to be done at its end, in reverse order. */
async function openAppPlayer(
  { player, config, version, tls, keys, peerSecret, folder, speech, ...brief }: PlayerBrief,
  primary: Primary,
  onStop: (stop: Stop) => void,
): Promise<AppPlayer> {
  const log = logThrough(() => primary, config.logLevel);
  const context = createAppContext({ config, version, log }, onStop);
  const { clock, random, metrics } = context;
  const quotas = createIpcQuotaStore({ primary, clock, states: brief.quotas });
  const lists = new ToldVoiceLists((of) => primary.ask('listVoices', of, { deadlineMs: VOICES_MS }));
  const upstream = await openAppUpstream(context, speech, viewsFor(quotas), {
    lists,
    health: (ask) => primary.ask('exchangeHealth', ask, { deadlineMs: EXCHANGE_MS }),
  });

  const notes = createSecretNotes(peerSecret);
  const processAt = (of: PlayerNumber | typeof PRIMARY): Neighbour => ({
    at: { socketPath: privatePath(folder, of) },
    notes,
  });

  const legRegistry = (playout: PlayoutClock) => {
    const tokens = createAttachTokens(keys.legs, Date.now);
    const guests = createLegGuests({
      registry: () => registry,
      clock,
      playout,
      log,
    });
    onStop(() => guests.close());
    const registry = createIpcLegRegistry({
      tokens,
      clock,
      primary,
      async bring(address) {
        if (address.holder === player) switchboard.bringHome(address.key);
        else await guests.fetch({ ...address, from: processAt(address.holder) });
      },
    });
    legs = registry;
    return {
      tokens,
      registry,
      arrivals: BY_SWITCHBOARD,
      connect: switchboard.connect,
      maxLegs: Math.ceil(config.maxConnections / config.processes),
    };
  };
  let legs: ReturnType<typeof createIpcLegRegistry> | undefined;
  const switchboard = createLegSwitchboard({
    prefix: `${player}.${random.id(6)}`,
    clock,
    registry: () => legs!,
    onGone: (key, reason) => primary.tell('legLeft', { key, reason }),
  });

  const playing = await openAppPlaying({
    ...context,
    upstream,
    legRegistry,
    tokenKeys: keys.tokens,
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
    async handOver(session, upgrade) {
      const at = await primary.ask('findSession', session, { deadlineMs: ASK_MS });
      if (at === undefined || at === player) return false;
      await passUpgradeOn(upgrade, processAt(at));
      return true;
    },
  });
  const left = (id: string) => primary.tell('sessionLeft', id);
  const { sockets, observers, credentials } = playing;
  for (const { id, leftMs } of brief.revoked) observers.tokens.noteRevoked(id, leftMs);

  let phase: 'ready' | 'stopping' = 'ready';
  const seats = createHttpServer({
    clock,
    log,
    metrics,
    tls: undefined,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    loopbackOnly: !credentials.areRequired,
    access: operatorAccess(config),
    notReady: () => undefined,
    exposeMetrics: () => metrics.expose(),
    asyncApi: () => ({}),
  });
  await observers.addSeats(seats, {
    sessions: () => sockets.connections,
    isStopping: () => phase === 'stopping',
  });
  await seats.ready();
  onStop(() => seats.close());

  const path = privatePath(folder, player);
  rmSync(path, { force: true }); // of one that died
  const listener = await openPrivateListener({
    clock,
    listen: { path },
    notes,
    onRequest: (request, response) => seats.routing(request, response),
    onLeg: (key, open) => switchboard.give(decodeURIComponent(key), open),
    onUpgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
  });
  onStop(() => listener.close());
  const proxy = createReverseProxy({ clock, log });
  onStop(() => proxy.close());
  const front = createFrontServer({
    tls,
    maxSockets: config.maxConnections + SPARE_SOCKETS,
    onRequest(request, response) {
      const toPrimary = () => proxy.forward(request, response, processAt(PRIMARY));
      const session = watchedSession(request.url ?? '');
      if (session === undefined) return toPrimary();
      primary.ask('findSession', session, { deadlineMs: ASK_MS }).then((at) => {
        if (at === undefined) toPrimary();
        else if (at === player) seats.routing(request, response);
        else proxy.forward(request, response, processAt(at));
      }, toPrimary);
    },
  });
  sockets.attach(front.server);
  const at = listenAt(config, 'port');
  const port = await listening(front.listen(at), at);
  onStop(() => front.close());
  onStop(() => proxy.settle());
  const { audioSockets } = playing.legs;
  let audiosocketPort = 0;
  if (config.audiosocketPort !== 0) {
    const calls = listenAt(config, 'audiosocketPort');
    audiosocketPort = await listening(audioSockets.listen(calls), calls);
    onStop(() => audioSockets.close());
  }
  onStop(() => playing.legs.close());

  return {
    ports: { port, audiosocketPort },
    answers: {
      async drain(drainMs) {
        phase = 'stopping';
        playing.legs.drain();
        await sockets.drain({ deadlineMs: drainMs, spreadMs: 0 });
        return null;
      },
      metrics: () => metrics.snapshot(),
      pools: () => ({ player, services: upstream.reports() }),
      sessions: ({ userId }) =>
        viewsOf(sockets.connections, userId, clock.now()).map((view) => ({ ...view, process: player })),
      endSession: (id) => endSession(() => sockets.connections, id),
      revokeToken({ id, leftMs }) {
        observers.tokens.noteRevoked(id, leftMs);
        return null;
      },
      async dialLeg(wanted, signal) {
        const { id, kind, callId } = await playing.legs.dial(wanted, signal);
        return { id, kind, callId };
      },
    },
    listeners: {
      quotaChanged: quotas.changed,
      voicesListed: ({ service, ids }) => lists.told(service, ids),
      legGiven: (news) => legs!.given(news),
      legAwaited: (ask) => legs!.awaited(ask),
      legRefused: (news) => legs!.refused(news),
      legEnded: (news) => legs!.ended(news),
    },
  };
}

/** Plays for the process that has forked this one, until that process stops it; undefined when none has. */
export function play(): Promise<void> | undefined {
  const line = openPrimaryLine();
  if (line === undefined) return undefined;
  helpersYieldToPlayback();
  return playFor(line);
}

function playFor({ line, leave }: PrimaryLine): Promise<void> {
  return new Promise((resolve) => {
    const stops: Stop[] = [];
    const stopAll = async () => {
      for (const stop of stops.splice(0).reverse()) await stop();
    };
    let parts: AppPlayer | undefined;
    const early = () => new AppError('busy', 'The process has not started yet.');
    const now = () => {
      if (parts === undefined) throw early();
      return parts;
    };
    const primary: Primary = createPeer<PrimaryAsks, PrimaryNews, PlayerAsks<PlayerBrief>, PlayerNews>({
      line,
      clock: systemClock,
      log: logThrough(() => primary),
      onStuck: leave,
      answers: {
        async start(brief) {
          try {
            parts = await openAppPlayer(brief, primary, (stop) => stops.push(stop));
            return parts.ports;
          } catch (fault) {
            await stopAll();
            throw fault instanceof AppError ? fault : new AppError('internal', messageOf(fault));
          }
        },
        async stop() {
          await stopAll();
          systemClock.soon(() => {
            primary.close();
            leave();
            resolve();
          });
          return null;
        },
        drain: (drainMs, signal) => now().answers.drain(drainMs, signal),
        metrics: (nothing, signal) => now().answers.metrics(nothing, signal),
        pools: (nothing, signal) => now().answers.pools(nothing, signal),
        sessions: (of, signal) => now().answers.sessions(of, signal),
        endSession: (id, signal) => now().answers.endSession(id, signal),
        revokeToken: (token, signal) => now().answers.revokeToken(token, signal),
        dialLeg: (wanted, signal) => now().answers.dialLeg(wanted, signal),
      },
      listeners: {
        quotaChanged: (states) => parts?.listeners.quotaChanged(states),
        voicesListed: (listed) => parts?.listeners.voicesListed(listed),
        legGiven: (news) => parts?.listeners.legGiven(news),
        legAwaited: (ask) => parts?.listeners.legAwaited(ask),
        legRefused: (news) => parts?.listeners.legRefused(news),
        legEnded: (news) => parts?.listeners.legEnded(news),
      },
    });
    primary.tell('hello', null);
  });
}

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
