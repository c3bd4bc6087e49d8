-- Gives the right to write to a partition to another process, which is prepared for it.
--
-- KEYS[1]  lease  string: the holder, as name#session
-- KEYS[2]  owner  string: the last holder and the epoch of its grant; see lease.lua
-- KEYS[3]  mark   string: the latest reading of the clock that holders were allowed to publish
--
-- ARGV[1]  token of the caller. A later session than this shuts it out: a give that is still on its way
--          can change nothing any more.
-- ARGV[2]  token of the receiver, with a name that was made for this alone
-- ARGV[3]  ms that the lease lives from now
-- ARGV[4]  the latest reading of the clock that the caller has published, rounded up to whole ms
-- ARGV[5]  an epoch that the grant must exceed
--
-- Returns the epoch of the grant; 0 where the lease is not the caller's.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local epoch = string.match(redis.call('GET', KEYS[2]) or '', '^.*#%d+ ?(%d*)')
-- By the clock, so that a server which lost its last writes does not give an epoch again.
local now = redis.call('TIME')
local last = math.max(tonumber(epoch) or 0, tonumber(ARGV[5]))
local given = math.max(last, now[1] * 1000 + math.floor(now[2] / 1000)) + 1
-- A server without free memory takes no SET, but for one behind a write that needs none.
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. string.format('%.0f', given))
redis.call('SET', KEYS[3], ARGV[4])
return given
