// The directory of instances in Redis. An instance is listed while it says so every BEAT_MS; what it has is listed by
// name, so that one command finds it however much there is. Times are Redis's own.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { connectQuotaRedis } from '../../upstream/quota/quota-connection.ts';
import type { Instance, InstanceDirectory } from './instance-directory.ts';
import { MAX_SKEW_MS, type SignedNotes } from './signed-notes.ts';

export type RedisInstanceDirectoryOptions = {
  readonly url: string;
  readonly own: Instance;
  /** Anybody who reaches Redis can write there: only what is signed is believed. */
  readonly notes: Pick<SignedNotes, 'signEntry' | 'isEntry'>;
  readonly clock: Clock;
  /** The time of day, ms: when an entry was signed. */
  readonly unixMs: () => number;
  readonly random: Random;
  readonly log: Log;
  /** Another instance is listed that was not. */
  readonly onFound?: (instance: string) => void;
};

const BEAT_MS = 2000;
/** Three beats are missing. */
const LEASE_MS = 6000;
/** An instance that is cut off for a minute is still found: its last beat is up to 20 s older. */
const NAME_LEASE_MS = 90_000;
const NAME_BEAT_MS = 20_000;
/** Commands of one batch: Redis serves others between two. */
const BATCH = 200;
/** An entry is an address and a version. */
const MAX_ENTRY_CHARS = 2048;
const TOKEN_ID = /^[\w-]{1,64}$/;

/** As many as an instance remembers itself. */
const MAX_REVOKED = 100_000;

const TAG = 'voxgate:{instances}';
const KEYS = [`${TAG}:seen`, `${TAG}:entries`, `${TAG}:version`, `${TAG}:changes`] as const;
/** An instance that has missed more of them is told the whole list. */
const MAX_CHANGES = 256;
/** Both the key of what goes by a name and the channel on which it is told of. */
const keyOf = (name: string) => `voxgate:has:${name}`;

/** In a script: `changed(id, name)` notes that the list has another name since this instance came or went. */
const CHANGED = `
local function made(change, by) return string.sub(change, 1, #by + 1) == by .. ' ' end
local function changed(id, name)
  -- What an older version has changed is in no note: then all that was noted before is of no use.
  local last = redis.call('LINDEX', KEYS[4], -1)
  if last and not made(last, redis.call('GET', KEYS[3]) or '') then redis.call('DEL', KEYS[4]) end
  redis.call('SET', KEYS[3], name)
  redis.call('RPUSH', KEYS[4], name .. ' ' .. id)
  redis.call('LTRIM', KEYS[4], -${MAX_CHANGES}, -1)
end
`;
/**
 * KEYS: when each was seen, what each has said of itself, a name of the present list, the last changes with the name that each
 * made. ARGV: id, entry, lease ms, the name that is known, a new name. Answers the name and, where it is another than the known
 * one, what has changed since: pairs of an id and its entry, empty when it is gone; or else all of the list.
 */
const BEAT = `
${CHANGED}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
  changed(id, ARGV[5])
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
if redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) == 1 then changed(ARGV[1], ARGV[5]) end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 10 * ARGV[3]) end
local name = redis.call('GET', KEYS[3]) or ''
if name == ARGV[4] then return { name } end
local changes = redis.call('LRANGE', KEYS[4], 0, -1)
-- The last one made the present name, and one made the known name: then nothing is missing in between.
if ARGV[4] ~= '' and #changes > 0 and made(changes[#changes], name) then
  local told = {}
  for at = #changes, 1, -1 do
    if made(changes[at], ARGV[4]) then return { name, 'changes', told } end
    local id = string.match(changes[at], ' (.+)$')
    told[#told + 1] = id
    told[#told + 1] = redis.call('HGET', KEYS[2], id) or ''
  end
end
return { name, 'all', redis.call('HGETALL', KEYS[2]) }
`;
/** KEYS as above. ARGV: id, a new name. */
const LEAVE = `
${CHANGED}
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('HDEL', KEYS[2], ARGV[1]) == 1 then changed(ARGV[1], ARGV[2]) end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 60000) end
`;
const REVOKED_KEYS = [`${TAG}:revoked`, `${TAG}:revocations`] as const;
/**
 * KEYS: tokens with the number of their revocation, the last number. Both are forgotten when no token can be used any more. ARGV:
 * how long a token could still be used, ms; token.
 */
const REVOKE = `
local time = redis.call('TIME')
local until_ms = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
local number = redis.call('INCR', KEYS[2])
redis.call('ZADD', KEYS[1], number, string.format('%.0f', until_ms) .. ' ' .. ARGV[2])
if redis.call('ZCARD', KEYS[1]) > ${MAX_REVOKED} then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, 0) end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, math.max(ARGV[1], redis.call('PTTL', key))) end
`;
/** KEYS as above. ARGV: the last number that is known. Answers the last one, the time, and what has been revoked since. */
const REVOKED = `
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local known = tonumber(ARGV[1])
if known > last then known = 0 end
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
return { last, now, redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. known, '+inf') }
`;
/** KEYS: of a name. ARGV: id. Another instance may have it by now. */
const FORGET = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

const unknownError = (cause?: unknown) =>
  new AppError('busy', 'Which instance has it cannot be told now; try again.', { cause, retryAfterMs: 2000 });

export function createRedisInstanceDirectory(options: RedisInstanceDirectoryOptions): InstanceDirectory {
  const { url, own, notes, clock, unixMs, random, log, onFound } = options;
  /** Signed anew at each beat: what is older than its lease was written by somebody who has only read it. */
  const entry = () => {
    const said = JSON.stringify({ ...own, atMs: unixMs() });
    return JSON.stringify({ said, signature: notes.signEntry(said) });
  };
  const names = new Set<string>();
  const watched = new Map<string, Set<() => void>>();
  let known = '';
  let living: ReadonlyMap<string, Instance> = new Map();
  /** Those that are no more listed: they may only be cut off from Redis. */
  const silent = new Map<string, { readonly instance: Instance; readonly untilMs: number }>();
  /** An entry was not believed: it may be later, when a clock that was off is set. */
  let hasDoubted = false;
  /** The next beat asks for all of the list. */
  let isAllDue = false;
  let readyAtMs = Number.NEGATIVE_INFINITY;
  let phase: 'open' | 'closed' = 'open';
  let disarmBeat = () => {};
  let disarmNames = () => {};
  /** Told of by the connection itself. */
  const failed = () => {};

  const { redis, isReady } = connectQuotaRedis({ url, name: 'voxgate-instances', clock, log }, (state) => {
    if (state === 'lost' || phase === 'closed') return;
    known = '';
    readyAtMs = clock.now();
    beat();
    tellNames();
  });
  // A connection that is subscribed does nothing else.
  const news = redis.duplicate({ autoResubscribe: false, connectionName: 'voxgate-instances-news' });
  const call = (listeners: ReadonlySet<() => void> | undefined) => {
    for (const listener of [...(listeners ?? [])]) listener();
  };
  const subscribe = (name: string) => {
    const look = () => call(watched.get(name));
    news.subscribe(keyOf(name)).then(look, failed);
  };
  news.on('error', () => {}); // as the other one, which tells
  news.on('ready', () => {
    for (const name of watched.keys()) subscribe(name);
  });
  news.on('message', (channel: string) => call(watched.get(channel.slice(keyOf('').length))));
  const readEntry = (id: string, text: string): Instance | undefined => {
    const read = text.length > MAX_ENTRY_CHARS ? undefined : parseJson(text)?.value;
    if (!isJsonObject(read)) return undefined;
    const { said: told, signature } = read;
    if (typeof told !== 'string' || typeof signature !== 'string' || !notes.isEntry(told, signature))
      return undefined;
    // Nobody else can have signed it, so it has the shape that it was given.
    const { atMs, ...instance } = parseJson(told)!.value as Instance & { readonly atMs: number };
    const isFresh = Math.abs(unixMs() - atMs) <= LEASE_MS + MAX_SKEW_MS;
    return instance.id === id && isFresh ? instance : undefined;
  };
  const learn = (how: 'all' | 'changes', told: readonly string[]) => {
    const now = new Map(how === 'all' ? [] : living);
    for (let at = 0; at + 1 < told.length; at += 2) {
      const [id, entry] = [told[at]!, told[at + 1]!];
      const instance = id === own.id ? undefined : readEntry(id, entry);
      if (instance === undefined) now.delete(id);
      else now.set(id, instance);
      if (instance === undefined && id !== own.id && entry !== '') hasDoubted = true;
    }
    for (const [id, { url: where, version }] of now) {
      if (living.has(id)) continue;
      log.info('instance_found', { instance: id, url: where, version });
      onFound?.(id);
    }
    for (const [id, instance] of living) {
      if (now.has(id)) continue;
      log.info('instance_gone', { instance: id });
      silent.set(id, { instance, untilMs: clock.now() + NAME_LEASE_MS });
    }
    for (const [id, { untilMs }] of silent) if (now.has(id) || untilMs <= clock.now()) silent.delete(id);
    living = now;
  };
  const beat = () => {
    disarmBeat();
    if (phase === 'closed') return;
    disarmBeat = clock.after(BEAT_MS, beat);
    if (!isReady()) return;
    learnRevoked();
    redis
      .eval(BEAT, KEYS.length, ...KEYS, own.id, entry(), LEASE_MS, isAllDue ? '' : known, random.id(9))
      .then((answer) => {
        const [name, how, told = []] = answer as [string, ('all' | 'changes')?, (readonly string[])?];
        known = name;
        if (how === 'all') isAllDue = false;
        if (how !== undefined && phase === 'open') learn(how, told);
      })
      .catch(failed);
  };
  const unwritten = new Map<string, number>();
  let lastRevocation = 0;
  let onRevoked: (token: string, leftMs: number) => void = () => {};
  const write = (token: string, untilMs: number) => {
    const leftMs = Math.ceil(untilMs - clock.now());
    if (leftMs <= 0) return void unwritten.delete(token);
    redis
      .eval(REVOKE, REVOKED_KEYS.length, ...REVOKED_KEYS, leftMs, token)
      .then(() => unwritten.delete(token), failed);
  };
  const learnRevoked = () => {
    for (const [token, untilMs] of unwritten) write(token, untilMs);
    redis
      .eval(REVOKED, REVOKED_KEYS.length, ...REVOKED_KEYS, lastRevocation)
      .then((answer) => {
        const [last, nowMs, revoked] = answer as [number, string, readonly string[]];
        lastRevocation = last;
        for (const each of revoked) {
          const [untilMs = '0', token = ''] = each.split(' ', 2);
          const leftMs = Number(untilMs) - Number(nowMs);
          if (leftMs > 0 && TOKEN_ID.test(token)) onRevoked(token, leftMs);
        }
      })
      .catch(failed);
  };
  const tellNames = () => {
    disarmNames();
    if (phase === 'closed') return;
    const isNews = clock.now() - readyAtMs < NAME_BEAT_MS;
    disarmNames = clock.after(NAME_BEAT_MS, tellNames);
    isAllDue ||= hasDoubted;
    hasDoubted = false;
    const left = [...names];
    const tellSome = () => {
      if (phase === 'closed' || !isReady()) return;
      const batch = redis.pipeline();
      const some = left.splice(0, BATCH).filter((name) => names.has(name));
      for (const name of some) batch.set(keyOf(name), own.id, 'PX', NAME_LEASE_MS);
      // Who has waited while Redis was away has heard nothing.
      if (isNews) for (const name of some) batch.publish(keyOf(name), own.id);
      batch.exec().then(() => {
        if (left.length > 0) tellSome();
      }, failed);
    };
    tellSome();
  };
  beat();
  tellNames();

  return {
    others: () => [...living.values()],
    async find(name, unlisted = 'busy') {
      const holder = await redis.get(keyOf(name)).catch((cause: unknown) => {
        throw unknownError(cause);
      });
      const found = holder === null ? undefined : living.get(holder);
      if (found !== undefined || holder === own.id) return found;
      // One that has just been heard of again, or was never; and a Redis that has forgotten all is told it by and by.
      if (holder !== null) beat();
      if (holder !== null && unlisted === 'ask-it') return silent.get(holder)?.instance;
      if (holder !== null || clock.now() - readyAtMs < 2 * BEAT_MS) throw unknownError();
      return undefined;
    },
    watch(name, listener) {
      const listeners = watched.get(name) ?? new Set();
      watched.set(name, listeners.add(listener));
      if (listeners.size === 1 && news.status === 'ready') subscribe(name);
      else clock.soon(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || watched.get(name) !== listeners) return;
        watched.delete(name);
        if (phase === 'open' && news.status === 'ready') news.unsubscribe(keyOf(name)).catch(failed);
      };
    },
    entered(name) {
      names.add(name);
      if (!isReady()) return;
      const batch = redis.pipeline().set(keyOf(name), own.id, 'PX', NAME_LEASE_MS);
      batch.publish(keyOf(name), own.id).exec().catch(failed);
    },
    left(name) {
      names.delete(name);
      if (isReady()) redis.eval(FORGET, 1, keyOf(name), own.id).catch(failed);
    },
    revoke(token, leftMs) {
      unwritten.set(token, clock.now() + leftMs);
      if (isReady()) write(token, unwritten.get(token)!);
    },
    onRevoked(listener) {
      onRevoked = listener;
      lastRevocation = 0;
      if (isReady()) learnRevoked();
    },
    isUp: isReady,
    async close() {
      phase = 'closed';
      disarmBeat();
      disarmNames();
      if (isReady()) await redis.eval(LEAVE, KEYS.length, ...KEYS, own.id, random.id(9)).catch(failed);
      news.disconnect();
      redis.disconnect();
    },
  };
}
