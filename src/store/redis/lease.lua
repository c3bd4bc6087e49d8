-- Takes or renews the right to write to a partition.
--
-- A holder is written name#session. `name` is that of one grant, process-number: it never comes back,
-- and the numbers of a process grow. `session` counts the connections over which the holder writes. A
-- later session shuts out the earlier ones, so that what an old connection still carries can change
-- nothing any more.
--
-- KEYS[1]  lease    string with a life of ARGV[3]: the holder
-- KEYS[2]  owner    string without an end: the last holder, a blank, the epoch of its grant; then
--                   ' released' where it has given the grant up
-- KEYS[3]  version  string: the highest version given in this slot
-- KEYS[4]  mark     string without an end: the latest reading of the clock, in whole ms since 1970,
--                   that holders were allowed to publish
--
-- ARGV[1]  name of the caller
-- ARGV[2]  session of the caller; a lower one than the holder's leaves the holder's as it is
-- ARGV[3]  ms that the lease lives from now
-- ARGV[4]  what may be taken, where nobody has it: 'free': what the last holder has released, what
--          nobody ever had, what the process of the caller had last, and what a node of an earlier
--          release had, which does not tell what it releases; 'expired': anything; 'same': nothing
-- ARGV[5]  the reading that the caller may publish before it renews the lease again
-- ARGV[6]  an epoch that the grant must exceed
--
-- Returns 1 or 0 for whether the caller has it; the holder or last holder, as of after the call; ms
-- that the lease still lives; the version, as text; the epoch; mark and last holder as of before the
-- call.

local name, session = ARGV[1], tonumber(ARGV[2])
local holder = redis.call('GET', KEYS[1])
local owner, epoch, ended = string.match(
  redis.call('GET', KEYS[2]) or '', '^(.*#%d+) ?(%d*) ?(%a*)$')
local version = redis.call('GET', KEYS[3]) or '0'
local mark = tonumber(redis.call('GET', KEYS[4]) or '0')
local last = holder or owner or ''
local isReleased = not holder and ended == 'released'
epoch = tonumber(epoch) or 0

local lastName, lastSession = string.match(last, '^(.*)#(%d+)$')
local isMine = lastName == name and not isReleased

local function mayTake()
  if ARGV[4] == 'same' then return false end
  local process, number = string.match(name, '^(.*)%-(%d+)$')
  local lastProcess, lastNumber = string.match(lastName or '', '^(.*)%-(%d+)$')
  -- It has given up its earlier grants. Where it never heard of one, that still has the lease.
  if lastProcess and lastProcess == process then return tonumber(number) > tonumber(lastNumber) end
  return not holder and (ARGV[4] == 'expired' or isReleased or not lastProcess)
end

if not isMine and not mayTake() then
  local left = redis.call('PTTL', KEYS[1])
  -- No lease lives longer than one that is given now: the clock of the server was set back.
  if ARGV[4] == 'expired' and left > tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    left = tonumber(ARGV[3])
  end
  return { 0, last, left, version, epoch, mark, last }
end

if isMine then
  session = math.max(session, tonumber(lastSession))
else
  -- By the clock, so that a server which lost its last writes does not give an epoch again.
  local now = redis.call('TIME')
  epoch = math.max(epoch, tonumber(ARGV[6]), now[1] * 1000 + math.floor(now[2] / 1000)) + 1
end
-- A server without free memory takes no SET, but for one behind a write that needs none: a full
-- server refuses new entries, and no lease.
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local token = name .. '#' .. string.format('%.0f', session)
redis.call('SET', KEYS[1], token, 'PX', ARGV[3])
if token ~= owner then redis.call('SET', KEYS[2], token .. ' ' .. string.format('%.0f', epoch)) end
if tonumber(ARGV[5]) > mark then redis.call('SET', KEYS[4], ARGV[5]) end
return { 1, token, tonumber(ARGV[3]), version, epoch, mark, last }
