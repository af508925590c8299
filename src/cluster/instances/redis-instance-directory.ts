// The directory of instances in Redis. An instance is listed while it says so every BEAT_MS; a session is listed by itself, so
// that it is found with one command however many there are. Times are Redis's own.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { connectQuotaRedis } from '../../upstream/quota/quota-connection.ts';
import type { Instance, InstanceDirectory } from './instance-directory.ts';
import type { SignedNotes } from './signed-notes.ts';

export type RedisInstanceDirectoryOptions = {
  readonly url: string;
  readonly own: Instance;
  /** Anybody who reaches Redis can write there: only what is signed is believed. */
  readonly notes: Pick<SignedNotes, 'signEntry' | 'isEntry'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

const BEAT_MS = 2000;
/** Three beats are missing. */
const LEASE_MS = 6000;
const SESSION_LEASE_MS = 60_000;
const SESSION_BEAT_MS = 20_000;
/** Commands of one batch: Redis serves others between two. */
const BATCH = 200;
/** An entry is an address and a version. */
const MAX_ENTRY_CHARS = 2048;

const TAG = 'voxgate:{instances}';
const KEYS = [`${TAG}:seen`, `${TAG}:entries`, `${TAG}:version`] as const;
const sessionKey = (id: string) => `voxgate:session:${id}`;

/**
 * KEYS: when each was seen, what each has said of itself, a name of the present list. ARGV: id, entry, lease ms, the name that
 * is known, a new name. Answers the name, and the list where it is another than the known one.
 */
const BEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local changed = false
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
  changed = true
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  changed = true
end
if changed then redis.call('SET', KEYS[3], ARGV[5]) end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 10 * ARGV[3]) end
local name = redis.call('GET', KEYS[3]) or ''
if name == ARGV[4] then return { name } end
return { name, redis.call('HGETALL', KEYS[2]) }
`;
/** KEYS as above. ARGV: id, a new name. */
const LEAVE = `
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], ARGV[2], 'PX', 60000)
`;
/** KEYS: of a session. ARGV: id. Another instance may have it by now. */
const FORGET = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

export function createRedisInstanceDirectory(options: RedisInstanceDirectoryOptions): InstanceDirectory {
  const { url, own, notes, clock, random, log } = options;
  const said = JSON.stringify(own);
  const entry = JSON.stringify({ said, signature: notes.signEntry(said) });
  const sessions = new Set<string>();
  let known = '';
  let list: readonly Instance[] = [];
  let phase: 'open' | 'closed' = 'open';
  let disarmBeat = () => {};
  let disarmSessions = () => {};

  const { redis, isReady } = connectQuotaRedis({ url, name: 'voxgate-instances', clock, log }, (state) => {
    if (state === 'lost' || phase === 'closed') return;
    known = '';
    beat();
    tellSessions();
  });
  /** Told of by the connection itself. */
  const failed = () => {};

  const readEntry = (id: string, text: string): Instance | undefined => {
    const read = text.length > MAX_ENTRY_CHARS ? undefined : parseJson(text)?.value;
    if (!isJsonObject(read)) return undefined;
    const { said: told, signature } = read;
    if (typeof told !== 'string' || typeof signature !== 'string' || !notes.isEntry(told, signature))
      return undefined;
    // Nobody else can have signed it, so it has the shape that it was given.
    const instance = parseJson(told)?.value as Instance;
    return instance.id === id ? instance : undefined;
  };
  const learn = (told: readonly string[]) => {
    const now: Instance[] = [];
    for (let at = 0; at + 1 < told.length; at += 2) {
      if (told[at] === own.id) continue;
      const instance = readEntry(told[at]!, told[at + 1]!);
      if (instance !== undefined) now.push(instance);
    }
    for (const { id, url: where, version } of now)
      if (!list.some((before) => before.id === id))
        log.info('instance_found', { instance: id, url: where, version });
    for (const { id } of list)
      if (!now.some((after) => after.id === id)) log.info('instance_gone', { instance: id });
    list = now;
  };
  const beat = () => {
    disarmBeat();
    if (phase === 'closed') return;
    disarmBeat = clock.after(BEAT_MS, beat);
    if (!isReady()) return;
    redis
      .eval(BEAT, KEYS.length, ...KEYS, own.id, entry, LEASE_MS, known, random.id(9))
      .then((answer) => {
        const [name, told] = answer as [string, string[] | undefined];
        known = name;
        if (told !== undefined && phase === 'open') learn(told);
      })
      .catch(failed);
  };
  const tellSessions = () => {
    disarmSessions();
    if (phase === 'closed') return;
    disarmSessions = clock.after(SESSION_BEAT_MS, tellSessions);
    const left = [...sessions];
    const tellSome = () => {
      if (phase === 'closed' || !isReady()) return;
      const batch = redis.pipeline();
      const some = left.splice(0, BATCH).filter((id) => sessions.has(id));
      for (const id of some) batch.set(sessionKey(id), own.id, 'PX', SESSION_LEASE_MS);
      batch.exec().then(() => {
        if (left.length > 0) tellSome();
      }, failed);
    };
    tellSome();
  };
  beat();
  tellSessions();

  return {
    others: () => list,
    async find(session) {
      const holder = await redis.get(sessionKey(session)).catch((cause: unknown) => {
        const retryAfterMs = 1000;
        throw new AppError('busy', 'Where the session is cannot be told; try again.', {
          cause,
          retryAfterMs,
        });
      });
      return list.find(({ id }) => id === holder);
    },
    entered(session) {
      sessions.add(session);
      if (isReady()) redis.set(sessionKey(session), own.id, 'PX', SESSION_LEASE_MS).catch(failed);
    },
    left(session) {
      sessions.delete(session);
      if (isReady()) redis.eval(FORGET, 1, sessionKey(session), own.id).catch(failed);
    },
    isUp: isReady,
    async close() {
      phase = 'closed';
      disarmBeat();
      disarmSessions();
      if (isReady()) await redis.eval(LEAVE, KEYS.length, ...KEYS, own.id, random.id(9)).catch(failed);
      redis.disconnect();
    },
  };
}
