// Characters that all instances count together, in Redis (6.2 or later). No caller waits for it for long.
//
// Without Redis an instance takes its part of what was left of a limit when it was last heard, and a minute later its part of
// the limit of a minute: together they stay within both. Where one alone is cut off and the others are not, a limit may be
// exceeded by its part. When Redis has lost its data, the first instance that asks tells what it knew. What was taken without it is
// told as soon as it answers again, whether it was gone or only silent; what it may have counted for a text that was not sent is taken back then.

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  CHARACTER_SPAN_MS,
  type CharacterAnswer,
  type CharacterAsk,
  type CharacterCount,
  type CharacterQuota,
  inMinuteOf,
  KEPT_MS,
  monthOf,
} from './character-limits.ts';
import { createServerCircuit } from './circuit-breaker.ts';
import { connectQuotaRedis } from './quota-connection.ts';
import type { QuotaId } from './quota-store.ts';

/** How often a Redis that did not answer is tried. */
const RETRY_MS = 500;
/** Of a month, until nothing can be asked about it any more. */
const MONTH_KEPT_MS = 40 * 24 * 3_600_000;

const TIME = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function text(n) return string.format('%.0f', n) end
-- Where Redis knows nothing of the month, what the instance knew of it, and of the minute, was.
local function begin(inMonth, inMinute, keepMs)
  if redis.call('EXISTS', KEYS[2]) == 0 then
    redis.call('HSET', KEYS[2], 'used', inMonth)
    if tonumber(inMinute) > 0 and redis.call('EXISTS', KEYS[1]) == 0 then
      redis.call('ZADD', KEYS[1], text(now), inMinute .. ':before')
    end
  end
  redis.call('PEXPIRE', KEYS[2], keepMs)
end
`;

/**
 * KEYS: sends (members `characters in the minute:reservation`, scored by time), month (a hash with `used`). ARGV: member, its
 * characters in the minute and in the month, the two limits (0: none), how long a minute lasts and sends are kept, what the
 * instance knows of the month and of the minute, how long a month is kept.
 * Answers `{kind, ms to wait, used in the minute, used in the month}`.
 */
const TAKE = `${TIME}
local inMinute, inMonth = tonumber(ARGV[2]), tonumber(ARGV[3])
local perMinute, perMonth, span = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
begin(ARGV[8], ARGV[9], ARGV[10])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now - tonumber(ARGV[7])))
local month = tonumber(redis.call('HGET', KEYS[2], 'used'))
local sends = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. text(now - span), '+inf', 'WITHSCORES')
local minute = 0
for i = 1, #sends, 2 do minute = minute + tonumber(string.match(sends[i], '^%d+')) end
local function answer(kind, wait) return { kind, text(wait), text(minute), text(month) } end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return answer('taken', 0) end
if perMonth > 0 and month + inMonth > perMonth then return answer('spent', 0) end
local over = minute + inMinute - perMinute
if perMinute > 0 and over > 0 then
  for i = 1, #sends, 2 do
    over = over - tonumber(string.match(sends[i], '^%d+'))
    if over <= 0 then return answer('full', math.max(1, sends[i + 1] + span - now)) end
  end
end
redis.call('ZADD', KEYS[1], text(now), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
month, minute = redis.call('HINCRBY', KEYS[2], 'used', inMonth), minute + inMinute
return answer('taken', 0)
`;

/**
 * KEYS: sends, month. ARGV: `add` (it was taken without Redis), `remove` or `keep`, member, change of the month, what the instance
 * knows of the month and of the minute, how long a month and sends are kept, how long ago it was taken, and
 * what of the month was asked for then.
 */
const CHANGE = `${TIME}
begin(ARGV[4], ARGV[5], ARGV[6])
if ARGV[1] == 'remove' and redis.call('ZREM', KEYS[1], ARGV[2]) == 0 then return 0 end
if ARGV[1] == 'add' then
  -- It was counted after all when it was asked, and the answer came too late: what has changed since is left.
  if redis.call('ZSCORE', KEYS[1], ARGV[2]) then
    redis.call('HINCRBY', KEYS[2], 'used', ARGV[3] - ARGV[9])
    return 0
  end
  -- What is older than a minute is kept for a while as well, so that it is not counted again.
  local kept = tonumber(ARGV[7])
  redis.call('ZADD', KEYS[1], text(now - math.min(tonumber(ARGV[8]), kept / 2)), ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[7])
end
redis.call('HINCRBY', KEYS[2], 'used', ARGV[3])
return 1
`;

type Script = (...args: (string | number)[]) => Promise<unknown>;
type Scripts = { voxgateTakeCharacters: Script; voxgateChangeCharacters: Script };

export type RedisCharactersOptions = {
  /** As in RedisQuotaStoreOptions. */
  readonly url: string;
  readonly pool: string;
  readonly quotas: readonly CharacterQuota[];
  readonly maxInstances: number;
  readonly clock: Clock;
  /** The wall clock. */
  readonly unixMs: () => number;
  readonly log: Log;
};

type Send = {
  /** By which Redis knows it: its characters in the minute, and its reservation. */
  readonly member: string;
  readonly atMs: number;
  readonly month: string;
  readonly inMinute: number;
  /** What it has cost, as far as that is known; at first `asked`. */
  inMonth: number;
  readonly asked: number;
};
type Account = CharacterQuota & {
  /** Own sends that may still be given back, by reservation. */
  readonly sent: Map<string, Send>;
  /** As last heard, of all instances, and what this one has taken alone since. */
  month: string;
  inMonth: number;
  inMinute: number;
  heardAtMs: number;
  readonly alone: Send[];
  /** Not sent: Redis did not answer in time, and may have counted them. */
  readonly doubtful: Send[];
};

export type RedisCharacterCount = CharacterCount & {
  /** Redis answers: what is counted is counted with the other instances. */
  readonly isShared: () => boolean;
};

export function createRedisCharacters(options: RedisCharactersOptions): RedisCharacterCount {
  const { url, pool, clock, unixMs, log, maxInstances } = options;
  const circuit = createServerCircuit(clock, () => {});
  const { redis, isReady } = connectQuotaRedis({ url, name: 'voxgate-characters', clock, log }, (state) => {
    if (state === 'ready') tellAll();
  });
  redis.defineCommand('voxgateTakeCharacters', { lua: TAKE });
  redis.defineCommand('voxgateChangeCharacters', { lua: CHANGE });
  const scripts = redis as unknown as Scripts;

  const accounts = new Map(
    options.quotas.map((limits): [QuotaId, Account] => {
      const heard = { month: '', inMonth: 0, inMinute: 0, heardAtMs: Number.NEGATIVE_INFINITY };
      return [limits.quota, { ...limits, ...heard, sent: new Map(), alone: [], doubtful: [] }];
    }),
  );
  const keysOf = (quota: QuotaId, month: string) =>
    [`voxgate:{${pool}}:characters:${quota}`, `voxgate:{${pool}}:characters:${quota}:${month}`] as const;
  const mayAsk = () => isReady() && !circuit.isOpen();
  let phase: 'open' | 'closed' = 'open';
  let stopRetrying: (() => void) | undefined;

  const find = (quota: QuotaId): Account | undefined => {
    const account = accounts.get(quota);
    if (account === undefined) return undefined;
    const month = monthOf(unixMs());
    if (account.month !== month) {
      account.month = month;
      account.inMonth = 0;
    }
    if (clock.now() - account.heardAtMs >= CHARACTER_SPAN_MS) account.inMinute = 0;
    for (const [reservation, { atMs }] of account.sent) {
      if (clock.now() - atMs < KEPT_MS) break;
      account.sent.delete(reservation);
    }
    return account;
  };
  const aloneIn = ({ alone, month }: Account) => ({
    inMonth: alone.reduce((sum, send) => sum + (send.month === month ? send.inMonth : 0), 0),
    inMinute: alone.reduce(
      (sum, { atMs, inMinute }) => sum + (clock.now() - atMs < CHARACTER_SPAN_MS ? inMinute : 0),
      0,
    ),
  });

  const ask = async (account: Account, send: Send): Promise<CharacterAnswer> => {
    const { quota, charactersPerMinute = 0, charactersPerMonth = 0, inMonth, inMinute } = account;
    const told = [send.member, send.inMinute, send.inMonth];
    const limits = [charactersPerMinute, charactersPerMonth, CHARACTER_SPAN_MS, KEPT_MS];
    const known = [inMonth, inMinute, MONTH_KEPT_MS];
    const keys = keysOf(quota, send.month);
    const reply = await circuit.heard(
      scripts.voxgateTakeCharacters(2, ...keys, ...told, ...limits, ...known),
    );
    const [kind, waitMs, minute, month] = reply as [CharacterAnswer['kind'], string, string, string];
    account.inMinute = Number(minute);
    account.inMonth = Number(month);
    account.heardAtMs = clock.now();
    return kind === 'full' ? { kind, waitMs: Number(waitMs) } : { kind };
  };
  const takeAlone = (account: Account, send: Send): CharacterAnswer => {
    const { charactersPerMinute, charactersPerMonth } = account;
    const own = aloneIn(account);
    const part = (limit: number, used: number) => Math.floor(Math.max(0, limit - used) / maxInstances);
    if (charactersPerMonth !== undefined) {
      const left = part(charactersPerMonth, account.inMonth) - own.inMonth;
      if (send.inMonth > left) return { kind: 'spent' };
    }
    if (charactersPerMinute !== undefined) {
      const left = part(charactersPerMinute, account.inMinute) - own.inMinute;
      if (send.inMinute > left) return { kind: 'full', waitMs: 1_000 };
    }
    account.alone.push(send);
    return { kind: 'taken' };
  };
  const tell = (account: Account, how: 'add' | 'remove' | 'keep', send: Send, by: number) => {
    const { quota, inMonth, inMinute } = account;
    const { member, month, atMs, asked } = send;
    const known = [month === account.month ? inMonth : 0, inMinute, MONTH_KEPT_MS, KEPT_MS];
    const agoMs = Math.round(clock.now() - atMs);
    return circuit.heard(
      scripts.voxgateChangeCharacters(2, ...keysOf(quota, month), how, member, by, ...known, agoMs, asked),
    );
  };
  /** Each of `sends`; those that do not get there stay. */
  const tellEach = (account: Account, sends: Send[], how: 'add' | 'remove', by: (send: Send) => number) => {
    for (const send of sends.splice(0))
      tell(account, how, send, by(send)).catch(() => {
        sends.push(send);
        retrySoon();
      });
  };
  const tellAll = () => {
    for (const account of accounts.values()) {
      tellEach(account, account.alone, 'add', ({ inMonth }) => inMonth);
      tellEach(account, account.doubtful, 'remove', ({ asked }) => -asked);
    }
  };
  const isUntold = () =>
    circuit.isOpen() || [...accounts.values()].some((its) => its.alone.length + its.doubtful.length > 0);
  /** Until Redis has answered and knows everything. */
  const retrySoon = () => {
    if (phase === 'closed') return;
    stopRetrying ??= clock.after(RETRY_MS, () => {
      const goOn = () => {
        stopRetrying = undefined;
        if (isUntold()) retrySoon();
      };
      if (!isReady() || !circuit.mayTry()) return goOn();
      circuit.heard(redis.ping()).then(tellAll).then(goOn, goOn);
    });
  };
  const change = (account: Account, how: 'remove' | 'keep', send: Send, by: number) => {
    if (account.alone.includes(send)) return;
    if (mayAsk()) tell(account, how, send, by).catch(() => {});
    account.inMonth += send.month === account.month ? by : 0;
  };

  return {
    isShared: mayAsk,
    async take({ quota, reservation, characters }: CharacterAsk) {
      const account = find(quota);
      if (account === undefined || account.sent.has(reservation)) return { kind: 'taken' };
      const inMinute = inMinuteOf(characters, account);
      const member = `${inMinute}:${reservation}`;
      const counted = { inMinute, inMonth: characters, asked: characters };
      const send: Send = { member, atMs: clock.now(), month: account.month, ...counted };
      const alone = () => {
        retrySoon();
        return takeAlone(account, send);
      };
      const aloneInDoubt = () => {
        const answer = alone();
        if (answer.kind !== 'taken') account.doubtful.push(send);
        return answer;
      };
      const answer = mayAsk()
        ? await circuit.inTime<CharacterAnswer>(() => ask(account, send), aloneInDoubt)
        : alone();
      if (answer.kind === 'taken') account.sent.set(reservation, send);
      return answer;
    },
    giveBack({ quota, reservation }, of) {
      const account = find(quota);
      const send = account?.sent.get(reservation);
      if (account === undefined || send === undefined) return;
      change(account, of === 'both' ? 'remove' : 'keep', send, -send.inMonth);
      send.inMonth = 0;
      if (of === 'month') return;
      account.sent.delete(reservation);
      const at = account.alone.indexOf(send);
      // Redis may have counted it, and not answered in time.
      if (at >= 0) account.doubtful.push(...account.alone.splice(at, 1));
    },
    cost({ quota, reservation }, cost) {
      const account = find(quota);
      const send = account?.sent.get(reservation);
      if (account === undefined || send === undefined) return;
      if (cost !== send.inMonth) change(account, 'keep', send, cost - send.inMonth);
      send.inMonth = cost;
    },
    used(quota) {
      const account = find(quota);
      if (account === undefined) return { inMinute: 0, inMonth: 0 };
      const own = aloneIn(account);
      return { inMinute: account.inMinute + own.inMinute, inMonth: account.inMonth + own.inMonth };
    },
    close() {
      phase = 'closed';
      stopRetrying?.();
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
