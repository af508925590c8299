// Requests at once that all instances count together in Redis, in Lua. A place is a member of a sorted set, whose score is when
// it lapses unless its instance renews it: so a killed instance keeps none for longer than a lease. Pools that wait take turns,
// whichever instance they are of, and are told when a place comes free. Time is the server's alone. If its clock is set forward,
// places lapse that are still taken, until their instances renew them.

/**
 * KEYS of a quota: places, waiting. Waiting is a hash: the name of a waiter (`instance/pool`) → its number in the line, and until
 * when it counts.
 */
const COMMON = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function text(ms)
  return string.format('%.0f', ms)
end

-- Those that wait, the longest wait first.
local function lineOf(waiting)
  local all, line = redis.call('HGETALL', waiting), {}
  for i = 1, #all, 2 do
    local number, till = string.match(all[i + 1], '^(%d+) (%d+)$')
    if tonumber(till) > now then
      line[#line + 1] = { name = all[i], number = tonumber(number), till = tonumber(till) }
    else
      redis.call('HDEL', waiting, all[i])
    end
  end
  table.sort(line, function(a, b)
    if a.number ~= b.number then return a.number < b.number end
    return a.name < b.name
  end)
  return line
end

-- Tells those who may have what is free, once. A waiter that does not come soon loses its turn.
local function wake(waiting, free, quota, channel, wokenMs)
  for i, waiter in ipairs(free > 0 and lineOf(waiting) or {}) do
    if i > free then break end
    if waiter.till > now + wokenMs then
      redis.call('HSET', waiting, waiter.name, text(waiter.number) .. ' ' .. text(now + wokenMs))
      -- Where it may not publish, the waiter asks again by its own timer.
      redis.pcall('PUBLISH', channel, waiter.name .. ' ' .. quota)
    end
  end
end
`;

/**
 * KEYS: epoch, places, waiting. ARGV: reservation, waiter, quota, limit, lease, turn, woken turn and longest wait (ms), channel.
 * Answers `{'taken', places in use}`, `{'full', places in use, ms until it should ask again}`, or `{'rebuilding'}`: not all places
 * that are taken are known.
 */
export const TAKE_PLACE = `${COMMON}
local reservation, waiter, quota, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local leaseMs, turnMs, wokenMs, waitMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local places, waiting = KEYS[2], KEYS[3]
local epoch = redis.call('HMGET', KEYS[1], 'run', 'until')
if not epoch[1] or (epoch[2] and tonumber(epoch[2]) > now) then return { 'rebuilding' } end
redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now))
local used = redis.call('ZCARD', places)
if redis.call('ZSCORE', places, reservation) then return { 'taken', used } end

local before, own, last = {}, nil, 0
for _, other in ipairs(lineOf(waiting)) do
  if other.name == waiter then own = other end
  if not own then before[#before + 1] = other end
  last = other.number
end
local free = limit - used
if free > #before then
  redis.call('ZADD', places, text(now + leaseMs), reservation)
  redis.call('PEXPIRE', places, leaseMs * 2)
  if own then redis.call('HDEL', waiting, waiter) end
  wake(waiting, free - 1, quota, ARGV[9], wokenMs)
  return { 'taken', used + 1 }
end
local number = own and own.number or math.max(now, last + 1)
redis.call('HSET', waiting, waiter, text(number) .. ' ' .. text(now + turnMs))
redis.call('PEXPIRE', waiting, turnMs * 4)
if free > 0 then
  for _, other in ipairs(before) do waitMs = math.min(waitMs, math.min(other.till - now, wokenMs)) end
else
  local first = redis.call('ZRANGE', places, 0, 0, 'WITHSCORES')
  if first[2] then waitMs = math.min(waitMs, tonumber(first[2]) - now) end
end
return { 'full', used, text(math.max(1, waitMs)) }
`;

/** KEYS: places, waiting. ARGV: reservation, quota, limit, woken turn (ms), channel. */
export const FREE_PLACE = `${COMMON}
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
local free = tonumber(ARGV[3]) - redis.call('ZCARD', KEYS[1])
wake(KEYS[2], free, ARGV[2], ARGV[5], tonumber(ARGV[4]))
return 1
`;

/**
 * KEYS: epoch, instances (each with when it was last heard), then of each quota places and waiting. ARGV: one JSON text,
 * `PlacesTold`, and the channel. Answers `{'1' while rebuilding, living instances, {places in use of each quota}}`.
 * An epoch is a time in which every place that is taken is known; a new one begins with another server, or one that has lost its
 * keys, and nothing is given out until every living instance has told its places, or could have.
 */
export const RENEW_PLACES = `${COMMON}
local request = cjson.decode(ARGV[1])
local epoch = redis.call('HMGET', KEYS[1], 'run', 'until', 'expected')
local expected, till = tonumber(epoch[3] or 0), tonumber(epoch[2] or 0)
if not epoch[1] or (request.run ~= '' and epoch[1] ~= request.run) then
  expected, till = request.expected, now + request.rebuildMs
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'run', request.run, 'until', text(till), 'expected', expected)
end
redis.call('PEXPIRE', KEYS[1], request.stateMs)

redis.call('ZADD', KEYS[2], text(now), request.instance)
if request.isLeaving then redis.call('ZREM', KEYS[2], request.instance) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now - request.leaseMs))
redis.call('PEXPIRE', KEYS[2], request.leaseMs * 2)
local instances = redis.call('ZCARD', KEYS[2])

local used = {}
for i, told in ipairs(request.quotas) do
  local places, waiting = KEYS[1 + 2 * i], KEYS[2 + 2 * i]
  redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now))
  for _, reservation in ipairs(told.taken) do redis.call('ZADD', places, text(now + request.leaseMs), reservation) end
  for _, reservation in ipairs(told.freed) do redis.call('ZREM', places, reservation) end
  redis.call('PEXPIRE', places, request.leaseMs * 2)
  used[i] = redis.call('ZCARD', places)
  if told.limit > 0 then wake(waiting, told.limit - used[i], told.quota, ARGV[2], request.wokenMs) end
end

if till > 0 and (till <= now or instances >= expected) then
  redis.call('HDEL', KEYS[1], 'until', 'expected')
  till = 0
end
return { till > 0 and '1' or '0', instances, used }
`;
