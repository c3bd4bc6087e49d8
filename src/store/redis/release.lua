-- Gives up the right to write to a partition. It may have expired: if nobody has taken it since, the
-- others then need not wait until they know that its last holder is gone.
--
-- KEYS[1]  lease  string: the holder, as name#session
-- KEYS[2]  owner  string: the last holder, the epoch of its grant, ' released'; see lease.lua
-- KEYS[3]  mark   string: the latest reading of the clock that holders were allowed to publish
--
-- ARGV[1]  name of the caller
-- ARGV[2]  the latest reading of the clock that holders have published, rounded up to whole ms;
--          '' where it has published nothing under this grant
--
-- Returns 1 where it was the caller's, else 0.

local holder = redis.call('GET', KEYS[1])
local owner, epoch, ended = string.match(
  redis.call('GET', KEYS[2]) or '', '^(.*#%d+) ?(%d*) ?(%a*)$')
local last = holder or owner or ''
if string.match(last, '^(.*)#%d+$') ~= ARGV[1] then return 0 end
if not holder and ended == 'released' then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], last .. ' ' .. (epoch or '') .. ' released')
if ARGV[2] ~= '' then redis.call('SET', KEYS[3], ARGV[2]) end
return 1
