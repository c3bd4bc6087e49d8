-- Gives up the right to write to a slot.
--
-- KEYS[1]  lease  string: the holder, as boot#session
--
-- ARGV[1]  boot of the caller
--
-- Returns 1 where the caller had it, else 0.

local holder = redis.call('GET', KEYS[1])
if not holder or string.match(holder, '^(.*)#%d+$') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
