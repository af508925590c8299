// Where instances count their requests at once: Redis (6.2 or later), with a connection for the scripts of place-scripts.ts and one
// on which it says whose turn it is. The protocol is in shared-places.ts.

import { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { FREE_PLACE, RENEW_PLACES, TAKE_PLACE } from './place-scripts.ts';
import { connectQuotaRedis } from './quota-connection.ts';
import type { QuotaId } from './quota-store.ts';
import { LEASE_MS, type PlaceAnswer, type PlaceServer, RENEW_MS } from './shared-places.ts';

export type RedisPlacesOptions = {
  /** As in RedisQuotaStoreOptions. */
  readonly url: string;
  readonly pool: string;
  readonly quotas: readonly { readonly quota: QuotaId }[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

/** A waiter that does not ask again in this time loses its turn; one that was told, in the shorter one. */
const TURN_MS = 500;
const WOKEN_TURN_MS = 150;
/** What is not announced (a place that lapsed, a message that was lost) is seen by asking again after this. */
const LONGEST_WAIT_MS = 250;
/** In this time every living instance has told its places. */
const REBUILD_MS = 2 * RENEW_MS;
/** How long Redis remembers that all its places are known. */
const STATE_MS = 7 * 24 * 3_600_000;

/** As ioredis has scripts: `[number of keys, ...keys, ...arguments]`. */
type Script = (...args: (string | number)[]) => Promise<unknown>;
type Scripts = { voxgateTakePlace: Script; voxgateFreePlace: Script; voxgateRenewPlaces: Script };

export function createRedisPlaces({
  url,
  pool,
  quotas,
  clock,
  random,
  log,
}: RedisPlacesOptions): PlaceServer {
  const instance = random.id(9);
  const name = (rest: string) => `voxgate:{${pool}}:${rest}`;
  const channel = name('turns');
  const [epoch, instances] = [name('places'), name('places:instances')];
  const keys = new Map(
    quotas.map(({ quota }) => [quota, [name(`places:${quota}`), name(`waiting:${quota}`)]]),
  );
  const allKeys = [epoch, instances, ...[...keys.values()].flat()];

  let onReady = () => {};
  let onTurn: (quota: QuotaId, asker: string) => void = () => {};
  const { redis, isReady, run } = connectQuotaRedis({ url, name: 'voxgate-places', clock, log }, (state) => {
    if (state === 'ready') onReady();
  });
  redis.defineCommand('voxgateTakePlace', { lua: TAKE_PLACE });
  redis.defineCommand('voxgateFreePlace', { lua: FREE_PLACE });
  redis.defineCommand('voxgateRenewPlaces', { lua: RENEW_PLACES });
  const scripts = redis as unknown as Scripts;

  const turns = new Redis(url, {
    maxRetriesPerRequest: null,
    disableClientInfo: true,
    connectionName: 'voxgate-turns',
    retryStrategy: () => 1_000,
  });
  // The other connection tells the log.
  turns.on('error', () => {});
  turns.subscribe(channel).catch(() => {});
  turns.on('message', (_channel, message) => {
    const [waiter = '', quota = ''] = message.split(' ');
    if (waiter.startsWith(`${instance}/`)) onTurn(quota, waiter.slice(instance.length + 1));
  });

  return {
    isReady,
    async take({ quota, reservation, asker, limit }) {
      const args = [reservation, `${instance}/${asker}`, quota, limit, LEASE_MS, TURN_MS, WOKEN_TURN_MS];
      const asked = [epoch, ...keys.get(quota)!];
      return readTaken(await scripts.voxgateTakePlace(3, ...asked, ...args, LONGEST_WAIT_MS, channel));
    },
    async free({ quota, reservation, limit }) {
      await scripts.voxgateFreePlace(
        2,
        ...keys.get(quota)!,
        reservation,
        quota,
        limit,
        WOKEN_TURN_MS,
        channel,
      );
    },
    async renew(told) {
      const times = { leaseMs: LEASE_MS, rebuildMs: REBUILD_MS, stateMs: STATE_MS, wokenMs: WOKEN_TURN_MS };
      const request = JSON.stringify({ ...told, ...times, instance, run: run() });
      const answer = await scripts.voxgateRenewPlaces(allKeys.length, ...allKeys, request, channel);
      const [rebuilding, living, used] = answer as [string, number, number[]];
      return { isRebuilding: rebuilding === '1', instances: living, used };
    },
    onReady(listener) {
      onReady = listener;
    },
    onTurn(listener) {
      onTurn = listener;
    },
    close() {
      onReady = () => {};
      onTurn = () => {};
      redis.disconnect();
      turns.disconnect();
    },
  };
}

function readTaken(reply: unknown): PlaceAnswer {
  const [kind, used, waitMs] = reply as ['taken' | 'full' | 'rebuilding', number, string];
  if (kind === 'rebuilding') return { kind };
  return kind === 'taken' ? { kind, used } : { kind, used, waitMs: Number(waitMs) };
}
