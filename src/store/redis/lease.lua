-- Takes or renews the right to write to a slot.
--
-- A holder is written boot#session: `boot` names one grant and never comes back, `session` counts
-- the connections over which the holder writes. A later session shuts out the earlier ones, so
-- that what an old connection still carries can change nothing any more.
--
-- KEYS[1]  lease    string with a life of ARGV[3]: the holder
-- KEYS[2]  owner    string without an end: the last holder, a blank, and the epoch of its grant
-- KEYS[3]  version  string: the highest version given in this slot
--
-- ARGV[1]  boot of the caller
-- ARGV[2]  session of the caller; a lower one than the holder's leaves the holder's as it is
-- ARGV[3]  ms that the lease lives from now
-- ARGV[4]  'new': may be taken where nobody has it; 'same': only where nobody else had it since
--
-- Returns 1 or 0 for whether the caller has it; the holder or last holder where not; ms that the
-- holder's lease still lives; the version, as text; the epoch.

local boot, session = ARGV[1], tonumber(ARGV[2])
local holder = redis.call('GET', KEYS[1])
local owner, epoch = string.match(redis.call('GET', KEYS[2]) or '', '^(.*#%d+) ?(%d*)$')
local last = holder or owner or ''
local version = redis.call('GET', KEYS[3]) or '0'
epoch = tonumber(epoch) or 0

local lastBoot, lastSession = string.match(last, '^(.*)#(%d+)$')
local isMine = lastBoot == boot
if not isMine and (holder or ARGV[4] ~= 'new') then
  return { 0, last, redis.call('PTTL', KEYS[1]), version, epoch }
end

if isMine then
  session = math.max(session, tonumber(lastSession))
else
  -- By the clock, so that a server which lost its last writes does not give an epoch again.
  local now = redis.call('TIME')
  epoch = math.max(epoch, now[1] * 1000 + math.floor(now[2] / 1000)) + 1
end
local token = boot .. '#' .. string.format('%.0f', session)
redis.call('SET', KEYS[1], token, 'PX', ARGV[3])
if token ~= owner then redis.call('SET', KEYS[2], token .. ' ' .. string.format('%.0f', epoch)) end
return { 1, token, tonumber(ARGV[3]), version, epoch }
