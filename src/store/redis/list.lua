-- Reads entries in the order of their keys.
--
-- KEYS[1]  entries  hash: encoded key -> version and packed value
-- KEYS[2]  order    sorted set of the encoded keys, all with score 0
--
-- ARGV[1]  encoded key to begin at
-- ARGV[2]  encoded key to end before
-- ARGV[3]  how many entries at most
--
-- Returns keys and entries in turn.

local CHUNK = 1000 -- arguments that one call may have are limited

local keys = redis.call(
  'ZRANGEBYLEX', KEYS[2], '[' .. ARGV[1], '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
local found = {}
for first = 1, #keys, CHUNK do
  local last = math.min(first + CHUNK - 1, #keys)
  local entries = redis.call('HMGET', KEYS[1], unpack(keys, first, last))
  for i = first, last do
    found[#found + 1] = keys[i]
    found[#found + 1] = entries[i - first + 1]
  end
end
return found
