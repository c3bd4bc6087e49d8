-- Gives a process the right to write common entries, or moves it to another connection.
--
-- A writer is written name#session. `name` is process.number: it never comes back, and neither does
-- its key. `session` counts the connections over which the process writes. A later session shuts out
-- the earlier ones, so that what an old connection still carries can change nothing any more.
--
-- KEYS[1]  writer   string with a life of ARGV[3]: the writer; its name is part of the key
-- KEYS[2]  former   the key of the name under which the process wrote before
-- KEYS[3]  lease    string: the holder, where a node of an earlier release has the right alone
-- KEYS[4]  version  string: the highest version given in this slot
--
-- ARGV[1]  name of the caller
-- ARGV[2]  session of the caller; a lower one than the writer's leaves the writer's as it is
-- ARGV[3]  ms that the right lasts from now
-- ARGV[4]  'new': makes the key, and removes the former; 'again': the same, in a store with data only;
--          'same': only prolongs what is there
--
-- Returns 1 or 0 for whether the caller has the right; its session; the version, as text; the holder of
-- the lease, or ''.

local name, session = ARGV[1], tonumber(ARGV[2])
local writer = redis.call('GET', KEYS[1])
local lease = redis.call('GET', KEYS[3]) or ''
local version = redis.call('GET', KEYS[4]) or '0'

local isMade
if ARGV[4] == 'same' then
  local lastName, lastSession = string.match(writer or '', '^(.*)#(%d+)$')
  isMade = lastName == name
  if isMade then
    session = math.max(session, tonumber(lastSession))
    -- A server without free memory takes no SET, but for one behind a write that needs none.
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
else
  isMade = not writer and lease == '' and (ARGV[4] == 'new' or version ~= '0')
  if isMade then redis.call('DEL', KEYS[2]) end
end
if isMade then
  redis.call('SET', KEYS[1], name .. '#' .. string.format('%.0f', session), 'PX', ARGV[3])
end
return { isMade and 1 or 0, session, version, lease }
