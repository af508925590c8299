// Instances that are one gateway to callers: what a session, an onlooker or a token of one needs of the others. Built only
// where VOXGATE_PEER_PORT is set.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MAX_TOKEN_LIFE_MS } from '../access/token-issuer.ts';
import { listening } from '../base/processes/listen-fault.ts';
import { watchedSession } from '../cluster/front-server.ts';
import {
  type Instance,
  type InstanceDirectory,
  sessionName,
} from '../cluster/instances/instance-directory.ts';
import { createInstanceLegs, type InstanceLegs } from '../cluster/instances/instance-legs.ts';
import {
  type InstanceAnswers,
  type InstanceLinks,
  type InstanceLinksOptions,
  legPath,
  neighbourOf,
  openInstanceLinks,
} from '../cluster/instances/instance-links.ts';
import { createReachableInstances } from '../cluster/instances/reachable-instances.ts';
import { createSignedNotes, type SignedNotes } from '../cluster/instances/signed-notes.ts';
import { createLegGuests } from '../cluster/legs/leg-guests.ts';
import { createLegSwitchboard } from '../cluster/legs/leg-switchboard.ts';
import type { LocalLegRegistry } from '../gateway/calls/local-leg-registry.ts';
import type { SessionJournal } from '../gateway/journal/journal-writer.ts';
import type { DrainTimes } from '../gateway/sockets/drain-in-turn.ts';
import type { UpgradeRequest } from '../gateway/sockets/returning-clients.ts';
import type { LiveView } from '../http/routes/live-view.ts';
import type { PlayoutClock } from '../playout/playout-clock.ts';
import type { AppContext, Tls } from './context.ts';
import { listenAt } from './gateway.ts';
import { type AppLegRegistry, BY_SWITCHBOARD } from './legs.ts';

/** What this instance does for the others. */
export type OwnSide = InstanceAnswers & {
  readonly tls: Tls | undefined;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade: (upgrade: UpgradeRequest) => void;
};

export type AppInstances = {
  entered(session: string): void;
  left(session: string): void;
  /** The other instance that has the session. Rejects with `busy` while that cannot be told. */
  find(session: string): Promise<Instance | undefined>;
  /** Of the others, of one user or of all. */
  sessions(userId: string | undefined): Promise<readonly LiveView[]>;
  /** Whether another instance had such a session. */
  endSession(id: string): Promise<boolean>;
  isSessionOf(userId: string, id: string): Promise<boolean>;
  revoke(id: string): Promise<void>;
  /** What sessions of this instance need to go on at another. */
  readonly journal: SessionJournal;
  /** False: no other instance has the session, or the one that has it is gone. */
  handOver(session: string, upgrade: UpgradeRequest): Promise<boolean>;
  /** Onlookers of sessions that others have go on to them; `isOwn`: this instance has it. */
  passOnlookersOn(http: FastifyInstance, isOwn: (session: string) => boolean): void;
  /** The registry of this instance as one of all instances. */
  openLegs(
    local: LocalLegRegistry,
    playout: PlayoutClock,
  ): Pick<AppLegRegistry, 'registry' | 'arrivals' | 'connect'>;
  /** Resolves when calls whose sockets are here have been heard out by the sessions of other instances, at the deadline at the latest. */
  drainLegs(times: DrainTimes): Promise<void>;
  /** Takes what the others ask, until the end. */
  open(own: OwnSide): Promise<void>;
};

const ID_BYTES = 9;

/** Undefined where this instance is the only one. */
export async function createAppInstances(context: AppContext): Promise<AppInstances | undefined> {
  const { config, version, clock, random, log, peers, redisLinks, onStop } = context;
  const { peerPort, peerUrl, redisUrl, secret: secrets } = config;
  if (peerPort === 0 || peerUrl === undefined || redisUrl === undefined) return undefined;
  const { createRedisInstanceDirectory } = await import('../cluster/instances/redis-instance-directory.ts');
  const { createRedisSessionJournal } = await import('../cluster/instances/redis-session-journal.ts');
  const id = random.id(ID_BYTES);
  const notes: SignedNotes = createSignedNotes({ secrets, id, unixMs: Date.now, random });
  const own: Instance = { id, url: peerUrl, version };
  const directory: InstanceDirectory = createRedisInstanceDirectory({
    url: redisUrl,
    own,
    notes,
    clock,
    unixMs: Date.now,
    random,
    log,
    onFound: (instance) => reachable.found(instance),
  });
  onStop(() => directory.close());
  redisLinks.set('instances', () => directory.isUp());
  peers.count = () => directory.others().length;
  const reachable = createReachableInstances(
    (instance) => directory.others().some((each) => each.id === instance),
    clock,
  );
  const journal = createRedisSessionJournal({
    url: redisUrl,
    id,
    secrets,
    isAlive: (instance) => reachable.isAlive(instance),
    forMs: config.resumeMs,
    clock,
    random,
    log,
  });
  onStop(() => journal.close());
  redisLinks.set('journal', () => journal.isUp());
  let links: InstanceLinks | undefined;
  let giveLeg: InstanceLinksOptions['onLeg'] = async () => 'gone';
  let drainLegs: AppInstances['drainLegs'] = async () => {};

  const find = (session: string, unlisted: 'busy' | 'ask-it' = 'busy') =>
    directory.find(sessionName(session), unlisted);
  return {
    entered: (session) => directory.entered(sessionName(session)),
    left: (session) => directory.left(sessionName(session)),
    journal,
    find,
    async sessions(userId) {
      return ((await links?.askAll('sessions', { userId: userId ?? null })) ?? []).flat();
    },
    async endSession(session) {
      return ((await links?.askAll('endSession', { id: session })) ?? []).some(Boolean);
    },
    async isSessionOf(userId, session) {
      const at = await find(session);
      return at !== undefined && (await links?.ask(at, 'userOf', { id: session })) === userId;
    },
    async revoke(token) {
      const leftMs = MAX_TOKEN_LIFE_MS;
      directory.revoke(token, leftMs);
      // Those that do not answer learn it from the directory.
      await links?.askAll('revokeToken', { id: token, leftMs });
    },
    async handOver(session, upgrade) {
      if (links === undefined || links.isPassedOn(upgrade.request)) return false;
      const at = await find(session, 'ask-it');
      if (at === undefined || !reachable.isWorthAsking(at.id)) return false;
      try {
        await links.passOn(upgrade, at);
        reachable.found(at.id);
      } catch {
        reachable.notReached(at.id);
        return false;
      }
      return true;
    },
    passOnlookersOn(http, isOwn) {
      http.addHook('onRequest', async (request, reply) => {
        const session = watchedSession(request.raw.url ?? '');
        if (session === undefined || isOwn(session)) return;
        if (links === undefined || links.isPassedOn(request.raw)) return;
        const at = await find(session);
        if (at === undefined) return;
        reply.hijack();
        links.forward(request.raw, reply.raw, at);
      });
    },
    openLegs(local, playout) {
      const registry: InstanceLegs = createInstanceLegs({
        local,
        directory,
        fetch: (from, name, userId) =>
          guests.fetch({
            key: name,
            userId,
            from: neighbourOf(from, notes),
            path: legPath(name, userId),
          }),
        sendHome: (name) => guests.sendHome(name),
        askPlayer: (key) => switchboard.askPlayer(key),
        clock,
      });
      const guests = createLegGuests({ registry: () => registry, clock, playout, log });
      onStop(() => guests.close());
      const switchboard = createLegSwitchboard({
        prefix: id,
        clock,
        registry: () => registry,
        onGone: (key) => registry.gone(key),
      });
      giveLeg = (name, userId, openRelay) =>
        registry.take(name, userId, (key) => switchboard.give(key, openRelay));
      drainLegs = (times) => switchboard.drain(times);
      return { registry, arrivals: BY_SWITCHBOARD, connect: switchboard.connect };
    },
    drainLegs: (times) => drainLegs(times),
    async open({ tls, onRequest, onUpgrade, ...answers }) {
      const opening = openInstanceLinks({
        directory,
        notes,
        listen: { host: config.host, port: peerPort, tls: peerUrl.startsWith('https:') ? tls : undefined },
        answers: {
          ...answers,
          sessions: async (of) => (await answers.sessions(of)).map((view) => ({ ...view, instance: id })),
        },
        onLeg: (name, userId, open) => giveLeg(name, userId, open),
        onRequest,
        onUpgrade: (request, socket, head) => onUpgrade({ request, socket, head }),
        clock,
        log,
      });
      directory.onRevoked((token, leftMs) => void answers.revokeToken({ id: token, leftMs }));
      links = await listening(opening, listenAt(config, 'peerPort'));
      onStop(() => links?.close());
    },
  };
}

/** Sessions are found by other instances for as long as they are open. */
export const enlistIn =
  ({ entered, left }: Pick<AppInstances, 'entered' | 'left'>) =>
  async ({ id }: { readonly id: string }) => {
    entered(id);
    return () => left(id);
  };
