-- A process that ends gives up the right to write common entries, and the others hear of it no more.
--
-- KEYS[1]  writer  string: the process as a writer; see enter.lua
-- KEYS[2]  nodes   hash: process -> what it tells the others; see heartbeat.lua
--
-- ARGV[1]  process
--
-- Returns 1 where the others knew it, else 0.

redis.call('DEL', KEYS[1])
return redis.call('HDEL', KEYS[2], ARGV[1])
