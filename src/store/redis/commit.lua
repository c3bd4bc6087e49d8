-- Makes all writes of a commit, or none.
--
-- KEYS[1]  lease    string: who may write to this slot, as boot#session
-- KEYS[2]  entries  hash: encoded key -> version (double, big-endian) and packed value
-- KEYS[3]  order    sorted set of the encoded keys, all with score 0, for lists
-- KEYS[4]  version  string: the highest version given in this slot
--
-- ARGV[1]  boot#session of the caller
-- ARGV[2]  number of checks
-- ...      for each check: encoded key, version as in entries; '' where the key must be absent
-- ...      for each write: encoded key, '+' or '-' (remove), packed value
--
-- Returns the highest version of the slot; 0 where a check failed; -1 where the lease is not the
-- caller's. Nothing was written then.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end

local i = 3
for _ = 1, tonumber(ARGV[2]) do
  local entry = redis.call('HGET', KEYS[2], ARGV[i])
  local found = entry and string.sub(entry, 1, 8) or ''
  if found ~= ARGV[i + 1] then return 0 end
  i = i + 2
end

-- By the clock, so that a server which lost its last writes does not give their versions again.
local now = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[4]) or '0')
local version = math.max(last + 1, now[1] * 1000000 + now[2])
if i > #ARGV then return math.max(last, 1) end

-- A server without free memory takes no SET, but for one behind a write that needs none. What begins
-- with a removal, and has two more writes at most for each, is how memory becomes free: a world that is
-- deleted, or moves in an index.
if ARGV[i + 1] == '-' then
  local removals = 0
  for k = i + 1, #ARGV, 3 do if ARGV[k] == '-' then removals = removals + 1 end end
  if 9 * removals > #ARGV - i then redis.call('ZREM', KEYS[3], ARGV[i]) end
end
redis.call('SET', KEYS[4], string.format('%.0f', version))
local stamp = struct.pack('>d', version)
while i <= #ARGV do
  local key = ARGV[i]
  if ARGV[i + 1] == '+' then
    redis.call('HSET', KEYS[2], key, stamp .. ARGV[i + 2])
    redis.call('ZADD', KEYS[3], 0, key)
  else
    redis.call('HDEL', KEYS[2], key)
    redis.call('ZREM', KEYS[3], key)
  end
  i = i + 3
end
return version
