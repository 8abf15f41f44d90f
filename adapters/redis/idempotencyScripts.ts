import { defineScript } from "./script.js";

/** The server's clock in whole milliseconds. */
const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/** Ends with 0 unless the record is in flight, of the operation and attempt that are the first two values. */
const refuseOthers = `
local held = redis.call('HMGET', KEYS[1], 'operation', 'attempt')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], 'response') == 1 then return 0 end
`;

/** Lets the lease end after so many milliseconds; a record never expires before its lease. */
const lease = `
local function lease(ms)
  redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', now + ms))
  if redis.call('PTTL', KEYS[1]) < ms then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ms)) end
end
`;

/** Values: operation, fingerprint, milliseconds of the lease, milliseconds of life. Keys expire by themselves, so a key that is there is a live record. */
export const beginScript = defineScript(`${clock}${lease}
local held = redis.call('HMGET', KEYS[1], 'operation', 'attempt', 'fingerprint', 'lease', 'response')
if not held[1] then
  redis.call('HSET', KEYS[1], 'operation', ARGV[1], 'attempt', '1', 'fingerprint', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  lease(tonumber(ARGV[3]))
  return {'acquired', ARGV[1], 1}
end
if held[5] then return {'done', held[3], held[5]} end
local remaining = tonumber(held[4]) - now
if remaining > 0 or held[3] ~= ARGV[2] then return {'inFlight', held[3], remaining} end
local attempt = redis.call('HINCRBY', KEYS[1], 'attempt', 1)
lease(tonumber(ARGV[3]))
return {'acquired', held[1], attempt}
`);

/** Values: operation, attempt, response in base64. */
export const completeScript = defineScript(`${refuseOthers}
redis.call('HSET', KEYS[1], 'response', ARGV[3])
return 1
`);

/** Values: operation, attempt. */
export const abandonScript = defineScript(`${refuseOthers}
return redis.call('DEL', KEYS[1])
`);

/** Values: operation, attempt, milliseconds of the lease. */
export const renewScript = defineScript(`${refuseOthers}${clock}${lease}
lease(tonumber(ARGV[3]))
return 1
`);
