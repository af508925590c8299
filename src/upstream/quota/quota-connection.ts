// The connection to Redis on which requests wait for their quota, and what it says of itself.

import { Redis } from 'ioredis';
import type { Clock } from '../../base/clock.ts';
import { faultCode } from '../../base/fault-code.ts';
import type { Log } from '../../base/log.ts';

type QuotaConnectionOptions = {
  /** As in RedisQuotaStoreOptions. */
  readonly url: string;
  /** By which Redis lists it. */
  readonly name: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
};

/**
 * No caller waits this long. An older answer is dropped, because its send was counted too long ago; one that a busy process
 * reads late is not lost.
 */
const COMMAND_MS = 200;
const CONNECT_MS = 1_000;
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;
const LOG_EVERY_MS = 10_000;

type QuotaRedis = {
  readonly redis: Redis;
  readonly isReady: () => boolean;
  /** Identifies the server behind the address; empty when unknown. */
  readonly run: () => string;
};

/** A connection on which callers wait: a command fails soon, and none is sent again. */
export function connectQuotaRedis(
  { url, name, clock, log }: QuotaConnectionOptions,
  onConnection: (state: 'ready' | 'lost') => void,
): QuotaRedis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    connectionName: name,
    retryStrategy: (attempt) => Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(attempt, 10)),
    // The primary has become a replica: after reconnecting the name leads to the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  let isReady = false;
  let run = '';
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  redis.on('error', (error: Error) => {
    if (clock.now() - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = clock.now();
    log.warn('redis_error', { code: faultCode(error) });
  });
  redis.on('close', () => {
    isReady = false;
    onConnection('lost');
  });
  redis.on('ready', () => {
    const begin = (info: string) => {
      if (redis.status !== 'ready') return;
      run = /^run_id:(\w+)/m.exec(info)?.[1] ?? '';
      isReady = true;
      onConnection('ready');
    };
    redis.info('server').then(begin, () => begin(''));
  });
  return { redis, isReady: () => isReady, run: () => run };
}
