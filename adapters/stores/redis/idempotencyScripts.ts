import { defineScript } from "./script.js";

/** Reads the clock of the server, in whole milliseconds. */
const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/** Returns 0 unless the record is in flight with the operation and attempt of the first two values. */
const requireAttempt = `
local held = redis.call('HMGET', KEYS[1], 'operation', 'attempt')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], 'response') == 1 then return 0 end
`;

/** Sets the end of the lease, `ms` from now. A record never expires before its lease. */
const lease = `
local function lease(ms)
  redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', now + ms))
  if redis.call('PTTL', KEYS[1]) < ms then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ms)) end
end
`;

/**
 * Values: operation, fingerprint, lease and lifetime in milliseconds, owner (or empty), deadline (or empty), holder, and a dead holder (or empty), whose lease
 * counts as expired. Keys expire by themselves, so an existing key is a live record.
 */
export const beginScript = defineScript(`${clock}${lease}
if ARGV[6] ~= '' and now >= tonumber(ARGV[6]) then return {'late'} end
local held = redis.call('HMGET', KEYS[1], 'operation', 'attempt', 'fingerprint', 'lease', 'response', 'holder')
if not held[1] then
  redis.call('HSET', KEYS[1], 'operation', ARGV[1], 'attempt', '1', 'fingerprint', ARGV[2], 'owner', ARGV[5], 'holder', ARGV[7], 'begun', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  lease(tonumber(ARGV[3]))
  return {'acquired', ARGV[1], 1}
end
if held[5] then return {'done', held[3], held[5]} end
local remaining = tonumber(held[4]) - now
if held[6] and held[6] == ARGV[8] then remaining = 0 end
if remaining > 0 or held[3] ~= ARGV[2] then return {'inFlight', held[3], remaining, held[6] or ''} end
local attempt = redis.call('HINCRBY', KEYS[1], 'attempt', 1)
redis.call('HSET', KEYS[1], 'holder', ARGV[7], 'begun', ARGV[1])
lease(tonumber(ARGV[3]))
return {'acquired', held[1], attempt}
`);

/** Values: operation, attempt, response in base64. Returns the owner and the remaining lifetime of the record, for counting the stored bytes. */
export const completeScript = defineScript(`${requireAttempt}
redis.call('HSET', KEYS[1], 'response', ARGV[3])
return {redis.call('HGET', KEYS[1], 'owner') or '', redis.call('PTTL', KEYS[1])}
`);

/**
 * Stored bytes of an owner, by expiry time. They have a key of their own, because a record may be in another slot of a cluster.
 *
 * Values: bytes and lifetime in milliseconds; without them the script only counts. Expiry times are rounded up to 1/64 of the lifetime, so that there are few
 * fields.
 */
export const countScript = defineScript(`${clock}
if ARGV[1] then
  local life = tonumber(ARGV[2])
  local step = math.max(1, math.ceil(life / 64))
  local over = math.ceil((now + life) / step) * step
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', over), ARGV[1])
  if redis.call('PTTL', KEYS[1]) < over - now then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', over - now)) end
end
local sum = 0
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  if tonumber(fields[index]) <= now then redis.call('HDEL', KEYS[1], fields[index]) else sum = sum + tonumber(fields[index + 1]) end
end
return string.format('%.0f', sum)
`);

/** Reads the clock that all scripts use. */
export const nowScript = defineScript(`${clock}
return string.format('%.0f', now)
`);

/** Values: operation, attempt. */
export const abandonScript = defineScript(`${requireAttempt}
return redis.call('DEL', KEYS[1])
`);

/** Value: the operation of the begin that holds the record. Deletes that of a first attempt, and ends the lease of a later one. */
export const unbeginScript = defineScript(`
local held = redis.call('HMGET', KEYS[1], 'begun', 'attempt', 'response')
if held[1] ~= ARGV[1] or held[3] then return 0 end
if held[2] == '1' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'lease', '0')
return 1
`);

/** Values: operation, attempt, lease in milliseconds. */
export const renewScript = defineScript(`${requireAttempt}${clock}${lease}
lease(tonumber(ARGV[3]))
return 1
`);
