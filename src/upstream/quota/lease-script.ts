// The room that Redis keeps free for instances that may be cut off at any moment, in Lua. A cut-off instance cannot learn what
// others were granted since, so each holds a lease: what it may send without asking. Grants to one leave room for the leases of
// all others. The invariant, from which it follows that no window ever holds more than the limit:
//   sends that count + what all instances may still send by their leases ≤ limit
// It does not hold for a limit that nobody has shown to be one (`isUntried`): that is not divided.

/** An instance that was not heard for this long is taken to be cut off. */
export const SILENT_MS = 2_000;

/**
 * A lease is what an instance was told at time T when P sends counted: (T, a, P, n). It allows a + ⌊(P − p) ÷ n⌋ sends after
 * T, where p of the P sends still count: its part of what leaves the window, which every instance knows, and a part `a` of
 * what was free. As the parts 1 ÷ n sum to at most 1, what leaves the window pays for what is added. For an instance that was
 * silent for SILENT_MS its full share ⌊limit ÷ n⌋ is kept free; so it can rely on that share a window later. Since an answer
 * may be lost, an instance has the lease that it last confirmed or the one that it was then offered: both are kept (eight
 * numbers), and room for the larger is left free. Their use: own-share.ts.
 */
export const LEASES = `
-- This part of the limit is in nobody's lease: whoever asks first has it at once. The other four fifths are all that can
-- be sent in the first window without the store, however little was sent before.
local NOBODYS, SILENT_MS = 1 / 5, ${SILENT_MS}
local PACKED = '>dddddddd'

local function windowStart(quota, at)
  return quota.originMs + math.floor((at - quota.originMs) / quota.periodMs) * quota.periodMs
end

local function countsFrom(quota, at)
  if quota.kind == 'phase' then return windowStart(quota, at) - quota.guardMs end
  return at - quota.spanMs + 1
end

local function readQuota(keyIndex)
  local sends, rule, leases = KEYS[keyIndex], KEYS[keyIndex + 1], KEYS[keyIndex + 2]
  local r = redis.call('HMGET', rule, 'kind', 'limit', 'spanMs', 'originMs', 'periodMs', 'guardMs', 'heldUntilMs',
    'isUntried')
  if not r[1] then return nil end
  return { sends = sends, leases = leases, kind = r[1], limit = tonumber(r[2]), spanMs = tonumber(r[3]),
    originMs = tonumber(r[4]), periodMs = tonumber(r[5]), guardMs = tonumber(r[6]), heldUntilMs = tonumber(r[7]),
    isUntried = r[8] == '1' }
end

local function fullShare(quota, n)
  return n > 0 and math.floor(quota.limit / n) or 0
end

local function promised(quota, now, t, a, p, n)
  if n == 0 then return 0 end
  if p == 0 then return a end
  local left = p - redis.call('ZCOUNT', quota.sends, text(countsFrom(quota, now)), text(t))
  return math.floor(a + math.max(0, left) / n)
end

-- What is left free for the others: in all, and for those who are silent; and the sum of their parts.
local function heldForOthers(quota, instance, now)
  local all, silent, parts = 0, 0, 0
  if quota.kind == 'unlimited' then return all, silent, parts end
  local leases = redis.call('HGETALL', quota.leases)
  for i = 1, #leases, 2 do
    if leases[i] ~= instance then
      local ct, ca, cp, cn, ot, oa, op, on = struct.unpack(PACKED, leases[i + 1])
      -- A limit that nobody has shown to be one is not divided: whoever is cut off goes on as before.
      if not quota.isUntried and now - ct >= SILENT_MS then
        local share = math.max(fullShare(quota, cn), fullShare(quota, on))
        all, silent = all + share, silent + share
      elseif not quota.isUntried then
        local share = promised(quota, now, ct, ca, cp, cn)
        if ot > ct then share = math.max(share, promised(quota, now, ot, oa, op, on)) end
        all = all + share
      end
      local n = (cn == 0 or on == 0) and math.max(cn, on) or math.min(cn, on)
      if n > 0 then parts = parts + 1 / n end
    end
  end
  return all, silent, parts
end

-- An instance of which only its part is known may have sent all of its share since.
local function unknownLease(quota, now, n)
  return now, fullShare(quota, n), 0, n
end

-- Notes which lease the instance has and offers the next: its limit n (0: none yet) and its a.
local function renewLease(quota, instance, now, told, instances, isOffered)
  local packed, ct, ca, cp, cn = redis.call('HGET', quota.leases, instance), nil, nil, nil, nil
  if packed then
    local t, a, p, n, ot, oa, op, on = struct.unpack(PACKED, packed)
    if told.at == ot then ct, ca, cp, cn = ot, oa, op, on
    elseif told.at == t then ct, ca, cp, cn = t, a, p, n end
  end
  if not ct then ct, ca, cp, cn = unknownLease(quota, now, told.among) end
  local ot, oa, op, on = ct, ca, cp, cn
  if isOffered then
    local all, _, parts = heldForOthers(quota, instance, now)
    local function fits(n) return n > 0 and parts + 1 / n <= 1 + 1e-9 end
    ot, oa, op, on = now, 0, redis.call('ZCOUNT', quota.sends, text(countsFrom(quota, now)), '+inf'), 0
    if fits(instances) then on = instances elseif fits(told.among) then on = told.among end
    if on > 0 then
      local free = quota.limit - op
      local leasable = on == 1 and free or free - quota.limit * NOBODYS
      oa = math.max(0, math.min(math.floor(leasable / on), free - all))
    end
  end
  redis.call('HSET', quota.leases, instance, struct.pack(PACKED, ct, ca, cp, cn, ot, oa, op, on))
  return { text(ot), oa, op, on }
end

-- Sends may come to light that were made before: what is counted up to T is no more what the instance was told then.
local function forgetLeases(quota, now)
  local leases = redis.call('HGETALL', quota.leases)
  for i = 1, #leases, 2 do
    local ct, _, _, cn, ot, _, _, on = struct.unpack(PACKED, leases[i + 1])
    local n = (cn == 0 or on == 0) and math.max(cn, on) or math.min(cn, on)
    local t, a, p = unknownLease(quota, now, n)
    redis.call('HSET', quota.leases, leases[i], struct.pack(PACKED, t, a, p, n, t, a, p, n))
  end
end
`;
