-- Tells the other processes that this one lives, prolongs its right to write common entries, and
-- gives out the clock of the cluster: that of the server plus a correction.
--
-- The clock of the server may jump, and another server has another clock. Worlds must not: the clock
-- of the cluster neither goes back nor stands, and a jump of the server's becomes a change of the
-- correction, by what a process reads that has followed the clock.
--
-- KEYS[1]  writer   string with a life of ARGV[4]: the caller, as name#session; see enter.lua
-- KEYS[2]  nodes    hash: process -> ms of the server's clock at its last heartbeat, its count, its
--                   order of joining (doubles, big-endian), whether it has adopted the clock (a byte,
--                   1 or 0), and the packed value that it tells
-- KEYS[3]  clock    hash: 'correction'; 'mark', the latest reading given out; 'at', the server's clock
--                   at the last heartbeat of any process; all in ms
-- KEYS[4]  version  string: the highest version given in this slot
--
-- ARGV[1]  name of the caller as a writer
-- ARGV[2]  process of the caller
-- ARGV[3]  count of its heartbeats
-- ARGV[4]  ms for which the caller lives from now
-- ARGV[5]  what it reads on the clock of the cluster; '' before it has adopted it
-- ARGV[6]  the packed value that it tells
--
-- Returns 1; the version and the clock of the cluster, as texts; processes and what they tell in turn.
-- Returns 0 and the version where the caller is no writer, or has sent a later heartbeat that was
-- faster: then it has changed nothing.

local ERROR_MS = 500 -- a reading is that of when it was sent; and clocks never agree in full
local STAMP_BYTES = 8

local version = redis.call('GET', KEYS[4]) or '0'
local writer = redis.call('GET', KEYS[1]) or ''
local own = redis.call('HGET', KEYS[2], ARGV[2])
local isLate = own and select(2, struct.unpack('>dd', own)) >= tonumber(ARGV[3])
if isLate or string.match(writer, '^(.*)#%d+$') ~= ARGV[1] then return { 0, version } end
redis.call('PEXPIRE', KEYS[1], ARGV[4])

local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local lifeMs, reading = tonumber(ARGV[4]), tonumber(ARGV[5])
local stored = redis.call('HMGET', KEYS[3], 'correction', 'mark', 'at')
local correction, mark = tonumber(stored[1] or '0'), tonumber(stored[2] or '0')
local at = tonumber(stored[3] or now)

-- Nobody was heard of for long: the clock of the server has jumped, or it did not answer. Nobody is
-- taken for dead then who lived at the last heartbeat.
local skippedMs = 0
if now < at or now - at > lifeMs / 2 then skippedMs = now - at end

local all = redis.call('HGETALL', KEYS[2])
local living = {}
local joined, lastJoined, firstSynced
for i = 1, #all, 2 do
  local process, entry = all[i], all[i + 1]
  local seen, _, order, isSynced = struct.unpack('>dddB', entry)
  seen = seen + skippedMs
  if now - seen > lifeMs then
    redis.call('HDEL', KEYS[2], process)
  elseif process == ARGV[2] then
    joined = order
  else
    if skippedMs ~= 0 then
      entry = struct.pack('>d', seen) .. string.sub(entry, STAMP_BYTES + 1)
      redis.call('HSET', KEYS[2], process, entry)
    end
    lastJoined = math.max(lastJoined or 0, order)
    if isSynced == 1 then firstSynced = math.min(firstSynced or order, order) end
    living[#living + 1] = process
    living[#living + 1] = entry
  end
end
joined = joined or (lastJoined or 0) + 1

local function differ(a, b) return math.abs(a - b) > ERROR_MS end

local told = now + correction
local clock = told
-- The mark is of the last heartbeat, which is not long ago.
local isOff = mark > 0 and (told < mark - ERROR_MS or told > mark + lifeMs / 2)
if reading then
  local isFirst = not firstSynced or joined < firstSynced
  -- One that is so far behind the mark stood still, and others go on. One that is nearer may be right,
  -- and the mark of a process that took a jump of the server for its own lag.
  local isNear = reading >= mark - ERROR_MS or told - reading <= lifeMs / 2
  local isTrusted = isFirst and isNear
  if differ(told, reading) and (isTrusted or isOff) then clock = reading end
  clock = math.max(clock, mark)
elseif firstSynced then
  -- Somebody knows better: it is corrected at the next heartbeat of a process that reads it.
  if isOff or told < mark then clock = mark end
else
  clock = math.max(clock, mark)
end
if reading or not firstSynced then
  if clock ~= told then
    correction = correction + clock - told
    redis.call('HSET', KEYS[3], 'correction', string.format('%.3f', correction))
  end
  redis.call('HSET', KEYS[3], 'mark', string.format('%.3f', clock))
end
redis.call('HSET', KEYS[3], 'at', string.format('%.3f', now))

local entry = struct.pack('>dddB', now, tonumber(ARGV[3]), joined, reading and 1 or 0) .. ARGV[6]
redis.call('HSET', KEYS[2], ARGV[2], entry)
living[#living + 1] = ARGV[2]
living[#living + 1] = entry
return { 1, version, string.format('%.3f', clock), living }
