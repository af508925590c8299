// The two atomic steps that all instances run in Redis, in Lua. `acquire` counts one send on the best of some quotas; `exchange`
// tells Redis what one instance knows (sends, refunds, learned rules, that it lives) and returns what Redis knows. The texts are
// constant: values come as arguments, names as KEYS of one hash tag, so that Redis caches two scripts for ever and a cluster can
// run them.

import { LEASES } from './lease-script.ts';

/**
 * If the store's time is further ahead of an instance's upper bound than this, the server's clock was set forward, or the command
 * was long on its way. Within a shorter round trip it must be the former.
 */
export const LATE_MS = 500;

/**
 * KEYS: epoch, instances (each with when it was last heard), answered, then for each quota its sends, rule and leases, and for
 * `exchange` what was given back of them and how many each instance has under way.
 * The store's time is the server's plus `shift`, which corrects a clock that was set: time goes neither back (a replica that
 * lags) nor ahead of what an instance and `last`, the newest time in any record, confirm. A command that is answered `ahead`
 * has changed nothing. Only its instance can tell, by its own clock, a clock that was set from a command that was late, and
 * sends the right shift in its next exchange: so a machine that is short of processors loses an answer, never the time.
 */
const COMMON = `
local LATE_MS = ${LATE_MS}

local function text(ms)
  return string.format('%.0f', ms)
end

local epoch = redis.call('HMGET', KEYS[1], 'id', 'until', 'shift', 'last', 'run', 'expected')

-- The time and the shift in it; nil and what to answer when it is too far ahead. A step is believed while the shift is
-- the one that it was seen with.
local function storeTime(estimate, latest, isLost, step)
  local t = redis.call('TIME')
  local server = t[1] * 1000 + math.floor(t[2] / 1000)
  local shift, last = tonumber(epoch[3] or 0), tonumber(epoch[4] or 0)
  local now = server + (step and step.from == shift and step.to or shift)
  if latest > 0 and isLost then
    now = estimate
  elseif latest > 0 and now > math.max(latest, last) + LATE_MS then
    return nil, { 'ahead', text(shift), text(server) }
  end
  now = math.max(now, last)
  if now ~= server + shift then redis.call('HSET', KEYS[1], 'shift', text(now - server)) end
  return now, now - server
end
${LEASES}`;

/**
 * ARGV: epoch, the latest that the store's time can be, instance, reservation, what to leave of each quota (by commas; the
 * first one's where there is none), forecast, the choice of this
 * instance's own share (0: none), how long sends are kept.
 * Answers `{'epoch'}` or `{'ahead', …}`: exchange first; `{'rebuilding'}`: nothing beyond the own share yet;
 * `{'granted', index}`; `{'full', {wait…}, '1' when only leases of living instances are in the way}`.
 */
export const ACQUIRE = `${COMMON}
-- What is left free for living instances becomes free when they have heard of it.
local HEARD_MS = 100
local latest, instance, reservation, leaves = tonumber(ARGV[2]), ARGV[3], ARGV[4], {}
for leave in string.gmatch(ARGV[5], '[^,]+') do leaves[#leaves + 1] = tonumber(leave) end
local forecast, own, keepMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local rebuiltAt = tonumber(epoch[2] or 0)
if epoch[1] ~= ARGV[1] then return { 'epoch' } end
local now, ahead = storeTime(0, latest, false)
if not now then return ahead end

local quotas = {}
for i = 4, #KEYS, 3 do
  local quota = readQuota(i)
  if not quota then return { 'epoch' } end
  quotas[#quotas + 1] = quota
end
for i, quota in ipairs(quotas) do
  if redis.call('ZSCORE', quota.sends, reservation) then return { 'granted', i } end
end

for i, quota in ipairs(quotas) do
  quota.index, quota.planned, quota.counted = i, {}, {}
  quota.reserve = math.max(0, math.min(quota.limit - 1, math.ceil(quota.limit * (leaves[i] or leaves[1]) - 1e-9)))
end

-- From here to freeAt: quota-window.ts, to the letter, with a limit that is less by what is held for others.
local function countSince(quota, from)
  local count = quota.counted[from]
  if not count then
    count = redis.call('ZCOUNT', quota.sends, text(from), '+inf')
    quota.counted[from] = count
  end
  for _, at in ipairs(quota.planned) do
    if at >= from then count = count + 1 end
  end
  return count
end

local function freeInWindow(quota, at, limit)
  local start = windowStart(quota, at)
  local boundary = start + quota.periodMs
  local guarded = boundary - quota.guardMs
  local left = limit - 1 - countSince(quota, start - quota.guardMs)
  if left < 0 then return nil, boundary end
  if quota.reserve > left then
    at = math.max(at, math.ceil(guarded - left * quota.periodMs / quota.reserve))
  end
  local isClear = at < guarded or countSince(quota, guarded) < limit - quota.reserve
  return at < boundary and isClear and at or nil, boundary
end

local function freeInPhase(quota, at, limit)
  while true do
    local free, boundary = freeInWindow(quota, at, limit)
    if free then return free end
    at = boundary
  end
end

-- Each planned send moves on by one in the log, which is read in slices.
local SLICE = math.ceil(forecast / #quotas)
local function timeAt(quota, rank)
  local slice = quota.slice
  if not slice or rank >= quota.sliceFrom + SLICE then
    slice = redis.call('ZRANGE', quota.sends, rank, rank + SLICE - 1, 'WITHSCORES')
    quota.slice, quota.sliceFrom = slice, rank
  end
  return tonumber(slice[2 * (rank - quota.sliceFrom) + 2])
end

local function freeInSliding(quota, from, limit)
  local open, planned = math.max(1, limit - quota.reserve), #quota.planned
  quota.sent = quota.sent or redis.call('ZCARD', quota.sends)
  if quota.sent + planned < open then return from end
  local leaving = quota.planned[planned - open + 1] or timeAt(quota, quota.sent + planned - open)
  return math.max(from, leaving + quota.spanMs)
end

local function freeAt(quota, from, limit)
  if quota.kind == 'unlimited' then return from end
  if quota.kind == 'phase' then return freeInPhase(quota, from, limit) end
  return freeInSliding(quota, from, limit)
end

local function isFree(quota, limit)
  if quota.kind == 'unlimited' then return true end
  if quota.kind == 'phase' then return freeInWindow(quota, now, limit) == now end
  return limit - quota.reserve > quota.used
end

-- lapsesInSeconds of quota-window.ts.
local function lapsesIn(quota)
  if quota.kind == 'unlimited' then return 0 end
  if quota.kind == 'sliding' then return math.huge end
  local left = windowStart(quota, now) + quota.periodMs - quota.guardMs - now
  return math.ceil((left > 0 and left or left + quota.periodMs) / 1000)
end

-- The one whose rest lapses first, then that with the most room; of what is held for others only that of it is asked, if
-- it has enough.
local roomy = {}
for _, quota in ipairs(quotas) do
  local isLimited = quota.kind ~= 'unlimited'
  quota.used = isLimited and countSince(quota, countsFrom(quota, now)) or 0
  quota.room = isLimited and quota.limit - quota.used or math.huge
  quota.lapses = lapsesIn(quota)
  if now >= quota.heldUntilMs and quota.room > 0 then roomy[#roomy + 1] = quota end
end
table.sort(roomy, function(a, b)
  if a.lapses ~= b.lapses then return a.lapses < b.lapses end
  if a.room ~= b.room then return a.room > b.room end
  return a.index < b.index
end)
local best = 0
for _, quota in ipairs(roomy) do
  if isFree(quota, quota.limit - heldForOthers(quota, instance, now)) then
    best = quota.index
    break
  end
end
if now < rebuiltAt then
  if own == 0 then return { 'rebuilding' } end
  best = own
end
if best > 0 then
  local sends = quotas[best].sends
  redis.call('ZADD', sends, text(now), reservation)
  redis.call('ZREMRANGEBYSCORE', sends, '-inf', text(now - keepMs))
  redis.call('PEXPIRE', sends, keepMs * 2)
  redis.call('HSET', KEYS[1], 'last', text(now))
  return { 'granted', best }
end

-- What is held for the silent stays held.
local eldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local isOneSilent = eldest[2] and now - tonumber(eldest[2]) >= SILENT_MS
for _, quota in ipairs(quotas) do
  if isOneSilent then
    local _, silent = heldForOthers(quota, instance, now)
    quota.limit = math.max(1, quota.limit - silent)
  end
  quota.reserve = math.min(quota.reserve, quota.limit - 1)
  quota.nextAt = freeAt(quota, math.max(now, quota.heldUntilMs), quota.limit)
end
local waits, atOnce, isHeld = {}, now + HEARD_MS, false
for n = 1, forecast do
  local first = quotas[1]
  for _, quota in ipairs(quotas) do
    if quota.nextAt < first.nextAt then first = quota end
  end
  isHeld = isHeld or first.nextAt <= now
  waits[n] = (first.nextAt <= now and atOnce or first.nextAt) - now
  first.planned[#first.planned + 1] = first.nextAt
  first.nextAt = freeAt(first, first.nextAt, first.limit)
end
if isHeld then table.sort(waits) end
for n, wait in ipairs(waits) do waits[n] = text(wait) end
return { 'full', waits, isHeld and '1' or '0' }
`;

/**
 * ARGV: one JSON text, `ExchangeRequest`. Answers `{'ahead', shift, the server's time without it}`, or
 * `{'told', epoch, time, the shift in it, '1' while rebuilding, living instances, {quota…}}` with a quota as
 * `{version, state unless it is the one told, {reservation, time…}, {lease…}, {reservation given back…}, those of
 * others under way}`.
 * An epoch is a period in which the log of sends is complete. A new one begins when the log may lack something: the key is gone,
 * the server is another one, or an instance was cut off. Until every known instance has told what it knows, or the sends from
 * before no longer count, nothing beyond leases is granted. A send that was given back is remembered as long as it would count:
 * another instance may have seen it, and tell it in the next epoch.
 */
export const EXCHANGE = `${COMMON}
local BLUR_MS = 20

-- Notes how many this instance has under way, and sums up those of the others; -1 while a living one has not told it.
local function noteOpen(open, instance, own, now, living)
  redis.call('HSET', open, instance, text(own) .. ' ' .. text(now))
  redis.call('PEXPIRE', open, SILENT_MS)
  local all, others, heard = redis.call('HGETALL', open), 0, 0
  for i = 1, #all, 2 do
    local count, at = string.match(all[i + 1], '^(%d+) (%d+)$')
    if now - tonumber(at) >= SILENT_MS then
      redis.call('HDEL', open, all[i])
    else
      heard = heard + 1
      if all[i] ~= instance then others = others + tonumber(count) end
    end
  end
  return heard < living and -1 or others
end

local request = cjson.decode(ARGV[1])
local id, expected, rebuiltAt = epoch[1], tonumber(epoch[6] or 0), tonumber(epoch[2] or 0)
local isMoved = id and request.run ~= '' and epoch[5] ~= request.run
local isCut = id and request.wasCut and request.epoch == id
local isNew = not id or isMoved or isCut
local now, shift = storeTime(request.estimate, request.latest, not id or isMoved, request.step)
if not now then return shift end

if isNew then
  id, expected, rebuiltAt = request.fresh, request.expected, now + request.rebuildMs
  redis.call('HSET', KEYS[1], 'id', id, 'run', request.run, 'expected', expected, 'until', text(rebuiltAt))
  redis.call('DEL', KEYS[3])
elseif rebuiltAt > 0 then
  -- The estimate that the epoch began with may have been long on its way; none is ahead of the time that was. By what
  -- the estimates of two instances differ anyway the time is not moved: who began it has stamped sends by his own.
  local behind = math.max(0, request.estimate - now - BLUR_MS)
  now, rebuiltAt = now + behind, rebuiltAt + behind
  expected = math.max(expected, request.expected)
  shift = shift + behind
  redis.call('HSET', KEYS[1], 'expected', expected, 'until', text(rebuiltAt), 'shift', text(shift))
end

redis.call('HSET', KEYS[1], 'last', text(now))
redis.call('ZADD', KEYS[2], text(now), request.instance)
local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', text(now - request.heldMs))
if request.isLeaving then gone[#gone + 1] = request.instance end
if #gone > 0 then redis.call('ZREM', KEYS[2], unpack(gone)) end
local instances = redis.call('ZCARD', KEYS[2])
local living = redis.call('ZCOUNT', KEYS[2], text(now - SILENT_MS + 1), '+inf')

local versions, states = {}, {}
for i, told in ipairs(request.quotas) do
  local sends, rule, back = KEYS[5 * i - 1], KEYS[5 * i], KEYS[5 * i + 2]
  if #told.gone > 0 then
    for _, reservation in ipairs(told.gone) do
      redis.call('ZREM', sends, reservation)
      redis.call('ZADD', back, text(now), reservation)
    end
    redis.call('ZREMRANGEBYSCORE', back, '-inf', text(now - request.keepMs))
    redis.call('PEXPIRE', back, request.keepMs * 2)
  end
  local isAnyBack = redis.call('EXISTS', back) == 1
  for _, send in ipairs(told.sends) do
    if not (isAnyBack and redis.call('ZSCORE', back, send[1])) then
      redis.call('ZADD', sends, 'GT', text(math.min(now, send[2])), send[1])
    end
  end
  redis.call('ZREMRANGEBYSCORE', sends, '-inf', text(now - request.keepMs))
  redis.call('PEXPIRE', sends, request.keepMs * 2)

  local version = tonumber(redis.call('HGET', rule, 'version') or -1)
  if told.version > version then
    redis.call('DEL', rule)
    redis.call('HSET', rule, 'version', told.version, 'state', told.state, unpack(told.rule))
    version = told.version
  end
  redis.call('PEXPIRE', rule, request.stateMs)
  versions[i], states[i] = version, redis.call('HGET', rule, 'state')
end

if rebuiltAt > 0 then
  if request.isComplete then redis.call('SADD', KEYS[3], request.instance) end
  redis.call('PEXPIRE', KEYS[3], request.rebuildMs * 2)
  if now >= rebuiltAt or redis.call('SCARD', KEYS[3]) >= expected then
    redis.call('HDEL', KEYS[1], 'until', 'expected')
    redis.call('DEL', KEYS[3])
    rebuiltAt = 0
  end
end

local quotas = {}
for i, told in ipairs(request.quotas) do
  local quota = readQuota(5 * i - 1)
  local picture, lease, givenBack, others = {}, {}, {}, 0
  if quota.isUntried and not request.isLeaving then
    others = noteOpen(KEYS[5 * i + 3], request.instance, told.open, now, living)
  end
  if quota.kind ~= 'unlimited' then
    -- Whoever took the gone off the list may not have had this quota.
    for _, instance in ipairs(redis.call('HKEYS', quota.leases)) do
      if not redis.call('ZSCORE', KEYS[2], instance) then redis.call('HDEL', quota.leases, instance) end
    end
    if isNew then forgetLeases(quota, now) end
    if not request.isLeaving then
      lease = renewLease(quota, request.instance, now, told.lease, instances, rebuiltAt == 0)
      redis.call('PEXPIRE', quota.leases, request.heldMs * 2)
    end
    picture = redis.call('ZRANGEBYSCORE', quota.sends, text(told.since), '+inf', 'WITHSCORES')
    if told.since > 0 then
      givenBack = redis.call('ZRANGEBYSCORE', KEYS[5 * i + 2], text(told.since), '+inf')
    end
  end
  quotas[i] = { versions[i], states[i] ~= told.state and states[i] or '', picture, lease, givenBack, others }
end

redis.call('PEXPIRE', KEYS[2], request.heldMs * 2)
redis.call('PEXPIRE', KEYS[1], request.stateMs)
return { 'told', id, text(now), text(shift), rebuiltAt > 0 and '1' or '0', instances, quotas }
`;
