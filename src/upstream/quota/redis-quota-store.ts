// The quota store that all instances share, in Redis (6.2 or later). This file is the transport: two scripts, names of one hash
// tag, and an answer within COMMAND_MS or none. The protocol is in shared-quota-store.ts.

import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { firstKnowledge, type QuotaKnowledge } from '../../limits/quota-knowledge.ts';
import { connectQuotaRedis } from './quota-connection.ts';
import { ACQUIRE, EXCHANGE } from './quota-scripts.ts';
import type { Acquired, Exchanged, Lease, QuotaServer, Told } from './quota-server.ts';
import type { QuotaId } from './quota-store.ts';
import { createSharedQuotaStore, type SharedQuotaStore } from './shared-quota-store.ts';

export type RedisQuotaStoreOptions = {
  /** `redis://[[user]:password@]host[:port][/database]`, `rediss://…`, or the path of a Unix socket. */
  readonly url: string;
  /** Instances that name the same pool count together: letters, digits, `-` and `_`. */
  readonly pool: string;
  readonly quotas: readonly {
    readonly quota: QuotaId;
    /** A cap on what is learned; undefined: find the limit out; `unlimited`: only its 429s stop the key. */
    readonly perMinute?: number | 'unlimited' | undefined;
  }[];
  /** Among how many instances a limit is divided while Redis has not told how many there are. */
  readonly maxInstances: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Between the fastest and the slowest way of a request to the service; 250…2,000. */
  readonly spreadMs?: number;
  /** The service's window, if it is not a minute. */
  readonly windowMs?: number;
};

/** The scripts as ioredis has them: `[number of keys, ...keys, ...arguments]`. */
type Scripts = {
  voxgateAcquire(...args: (string | number)[]): Promise<unknown>;
  voxgateExchange(...args: (string | number)[]): Promise<unknown>;
};

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

export function createRedisQuotaStore(options: RedisQuotaStoreOptions): SharedQuotaStore {
  const { pool, clock, random, log, maxInstances, windowMs } = options;
  if (!/^[\w-]+$/.test(pool)) throw new RangeError('a pool is named with letters, digits, - and _');
  const quotas = options.quotas.map(({ quota, perMinute }) => {
    const known = firstKnowledge(perMinute, options.spreadMs);
    return { quota, first: windowMs === undefined ? known : { ...known, windowMs } };
  });
  const server = createRedisQuotaServer(options, quotas);
  return createSharedQuotaStore({ server, quotas, maxInstances, clock, random, log });
}

function createRedisQuotaServer(
  { url, pool, clock, log }: RedisQuotaStoreOptions,
  quotas: readonly { readonly quota: QuotaId; readonly first: QuotaKnowledge }[],
): QuotaServer {
  let listener: (state: 'ready' | 'lost') => void = () => {};
  const told = { url, name: 'voxgate-quota', clock, log };
  const { redis, isReady, run } = connectQuotaRedis(told, (state) => listener(state));
  redis.defineCommand('voxgateAcquire', { lua: ACQUIRE });
  redis.defineCommand('voxgateExchange', { lua: EXCHANGE });
  const scripts = redis as unknown as Scripts;

  const name = (rest: string) => `voxgate:{${pool}}:${rest}`;
  const common = [name('epoch'), name('instances'), name('answered')];
  // Instances that were configured otherwise learn apart, but count the same sends.
  const keys = new Map(
    quotas.map(({ quota, first }) => [
      quota,
      [
        name(`sends:${quota}`),
        name(`rule:${quota}:${digest(JSON.stringify(first))}`),
        name(`leases:${quota}`),
        name(`gone:${quota}`),
        name(`open:${quota}`),
      ] as const,
    ]),
  );
  /** The last two are of no concern to a grant. */
  const keysOf = (among: readonly QuotaId[]) => [
    ...common,
    ...among.flatMap((quota) => keys.get(quota)!.slice(0, 3)),
  ];
  const allKeys = [...common, ...[...keys.values()].flat()];

  return {
    isReady,
    async acquire({ epoch, instance, latestMs, ask, leaves, own, keepMs }) {
      const { reservation, among, forecast } = ask;
      const asked = keysOf(among);
      const ownIndex = own === undefined ? 0 : among.indexOf(own) + 1;
      const args = [epoch, latestMs, instance, reservation, leaves.join(','), forecast, ownIndex, keepMs];
      return readAcquired(await scripts.voxgateAcquire(asked.length, ...asked, ...args), among);
    },
    async exchange(request) {
      const told = JSON.stringify({ ...request, run: run() });
      return readExchanged(await scripts.voxgateExchange(allKeys.length, ...allKeys, told));
    },
    onConnection(next) {
      listener = next;
    },
    close() {
      listener = () => {};
      redis.disconnect();
    },
  };
}

function readAcquired(reply: unknown, among: readonly QuotaId[]): Acquired {
  const [kind, ...rest] = reply as [string, ...unknown[]];
  if (kind === 'epoch') return { kind: 'other epoch' };
  if (kind === 'rebuilding' || kind === 'ahead') return { kind };
  if (kind === 'granted') {
    return { kind, quota: among[Number(rest[0]) - 1]! };
  }
  const [waitsMs, isHeld] = rest as [string[], string];
  return { kind: 'full', waitsMs: waitsMs.map(Number), room: isHeld === '1' ? 'held' : 'none' };
}

function readExchanged(reply: unknown): Exchanged {
  const [kind, ...rest] = reply as [string, ...unknown[]];
  if (kind !== 'ahead') return readTold(rest);
  const [shiftMs, serverMs] = rest.map(Number) as [number, number];
  return { kind, shiftMs, serverMs };
}

function readTold(told: readonly unknown[]): Told {
  const [epoch, storeMs, shiftMs, rebuilding, instances, quotas] = told as [
    string,
    string,
    string,
    string,
    number,
    [number, string, string[], [string, number, number, number] | [], string[], number][],
  ];
  return {
    kind: 'told',
    epoch,
    storeMs: Number(storeMs),
    shiftMs: Number(shiftMs),
    isRebuilding: rebuilding === '1',
    instances,
    quotas: quotas.map(([version, state, sends, lease, gone, othersOpen]) => ({
      version,
      state: state === '' ? undefined : state,
      sends: pairs(sends),
      gone,
      othersOpen: othersOpen < 0 ? Number.POSITIVE_INFINITY : othersOpen,
      lease: leaseOf(lease),
    })),
  };
}

function leaseOf(told: readonly (string | number)[]): Lease | undefined {
  if (told.length < 4) return undefined;
  const [atMs, extra, counted, among] = told.map(Number) as [number, number, number, number];
  return { atMs, extra, counted, among };
}

/** Members and scores in turn. */
function pairs(flat: readonly string[]): (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) found.push([flat[i]!, Number(flat[i + 1])]);
  return found;
}
