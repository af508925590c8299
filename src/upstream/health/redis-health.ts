// The exchange of shared-health.ts among all instances, in Redis (6.2 or later): one script, by Redis's time alone. Of each service there
// is a hash: what each process says of it, who tries what, and what was announced last. All of it ends by itself.

import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { connectQuotaRedis } from '../quota/quota-connection.ts';
import {
  agedWord,
  type HealthAnswer,
  type HealthExchange,
  type HealthSubject,
  type HealthWord,
  readWords,
  stayMs,
  TRY_MS,
} from './shared-health.ts';

/** Of one service: processes that speak of it, and voices that are tried. */
const MAX_FIELDS = 512;
const MAX_SAID_CHARS = 32_768;
/** Longer than any word holds. */
const FORGOTTEN_MS = 70_000;

/**
 * KEYS: a hash of each service. ARGV: process, ms for which it may try, largest number of fields, ms until a hash is forgotten; then
 * for each service its words as JSON (or ''), ms for which they hold, a state to be announced (or ''), names that it wants to try as JSON.
 * Answers for each service `{{age, words of another}…, names that it may try, 1 when it announces}`.
 */
const EXCHANGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local me, try_ms, most, forgotten = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local function entry(ms, body) return string.format('%.0f %s %.0f %s', now + ms, me, now, body) end
local answer = {}
for i, key in ipairs(KEYS) do
  local at = 4 * i + 1
  local said, stay, state, wants = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2], cjson.decode(ARGV[at + 3])
  local others, holders, count = {}, {}, 0
  local all = redis.call('HGETALL', key)
  for n = 1, #all, 2 do
    local name, value = all[n], all[n + 1]
    local ends, from, when, body = string.match(value, '^(%d+) (%S+) (%d+) (.*)$')
    if name == 'announced' then count = count
    elseif not ends or tonumber(ends) <= now then redis.call('HDEL', key, name)
    else
      count = count + 1
      if string.sub(name, 1, 2) == 't ' then holders[name] = from
      elseif from ~= me then others[#others + 1] = { string.format('%.0f', now - tonumber(when)), body } end
    end
  end
  local changed = false
  if said == '' then redis.call('HDEL', key, 'w ' .. me)
  elseif count < most or redis.call('HEXISTS', key, 'w ' .. me) == 1 then
    redis.call('HSET', key, 'w ' .. me, entry(stay, said))
    changed = true
  end
  local granted = {}
  for _, name in ipairs(wants) do
    local field = 't ' .. name
    if (holders[field] == nil and count < most) or holders[field] == me then
      redis.call('HSET', key, field, entry(try_ms, ''))
      granted[#granted + 1] = name
      changed = true
    end
  end
  local announces = 0
  if state ~= '' and redis.call('HGET', key, 'announced') ~= state then
    redis.call('HSET', key, 'announced', state)
    announces = 1
    changed = true
  end
  if changed then redis.call('PEXPIRE', key, forgotten) end
  answer[i] = { others, granted, announces }
end
return answer
`;

type Script = (...args: (string | number)[]) => Promise<unknown>;

export type RedisHealth = {
  readonly exchange: HealthExchange;
  readonly isUp: () => boolean;
  readonly close: () => void;
};

export type RedisHealthOptions = {
  /** As in RedisQuotaStoreOptions. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
};

export function openRedisHealth({ url, clock, log }: RedisHealthOptions): RedisHealth {
  const { redis, isReady } = connectQuotaRedis({ url, name: 'voxgate-health', clock, log }, () => {});
  redis.defineCommand('voxgateExchangeHealth', { lua: EXCHANGE });
  const { voxgateExchangeHealth } = redis as unknown as { readonly voxgateExchangeHealth: Script };

  return {
    isUp: isReady,
    async exchange({ from, services, words, tries, news }) {
      if (!isReady()) throw new Error('Redis is away.');
      const args = services.flatMap((service): (string | number)[] => {
        const own = words.filter((word) => word.service === service);
        const said = own.length === 0 ? '' : JSON.stringify(own.map(wordOnly));
        const stay = Math.max(0, ...own.map(stayMs));
        const state = news.find((it) => it.service === service)?.state ?? '';
        const wanted = tries.filter((subject) => subject.service === service).map(({ voice }) => voice);
        return [said, Math.ceil(stay), state, JSON.stringify(wanted.map((voice) => JSON.stringify(voice)))];
      });
      const keys = services.map((service) => `voxgate:{health}:${service}`);
      const bounds = [from, TRY_MS, MAX_FIELDS, FORGOTTEN_MS];
      const reply = await voxgateExchangeHealth.call(redis, keys.length, ...keys, ...bounds, ...args);
      return readAnswer(services, reply, tries, news);
    },
    close: () => redis.disconnect(),
  };
}

const wordOnly = ({ voice, phase, forMs, tryInMs }: HealthWord) => ({
  voice,
  phase,
  forMs: Math.round(forMs),
  tryInMs: Math.round(tryInMs),
});

type Told = readonly [others: readonly (readonly [string, string])[], granted: readonly string[], number];

/** Anybody who reaches Redis can write there: what is no word is left out. */
function readAnswer(
  services: readonly string[],
  reply: unknown,
  tries: readonly HealthSubject[],
  news: Parameters<HealthExchange>[0]['news'],
): HealthAnswer {
  const told = new Map(services.map((service, at) => [service, (reply as readonly Told[])[at]!]));
  return {
    words: [...told].flatMap(([service, [others]]) =>
      others.flatMap(([ageMs, said]) => {
        const words = said.length > MAX_SAID_CHARS ? [] : readWords(service, parseJson(said)?.value);
        return words.flatMap((word) => agedWord(word, Math.max(0, Number(ageMs))) ?? []);
      }),
    ),
    tries: tries.filter(({ service, voice }) => told.get(service)?.[1].includes(JSON.stringify(voice))),
    news: news.filter(({ service }) => told.get(service)?.[2] === 1),
  };
}
