import { defineScript } from "./script.js";

/**
 * Keys: the records by id, the sums of accounts, ids by due time. A record is a packed list of texts: version, tenant, owner, account, open (0 or 1), bytes, due
 * time in milliseconds (or empty), data as JSON (or empty).
 */
const records = `
local function read(id)
  local packed = redis.call('HGET', KEYS[1], id)
  return packed and cmsgpack.unpack(packed)
end
local function write(id, record)
  redis.call('HSET', KEYS[1], id, cmsgpack.pack(record))
  if record[7] == '' then redis.call('ZREM', KEYS[3], id) else redis.call('ZADD', KEYS[3], record[7], id) end
end
local function reply(id, record)
  return {'stored', id, unpack(record)}
end
`;

/**
 * Sums are 64-bit integers on the server, and texts in Lua, whose numbers would round them. Sums of zero are removed. Bytes are added first: an overflow ends
 * the script, and earlier writes of the script would remain.
 */
const sums = `
local function accountOf(tenant, account)
  return #tenant .. ':' .. tenant .. account
end
local function useOf(account)
  local held = redis.call('HMGET', KEYS[2], 'open:' .. account, 'bytes:' .. account)
  return held[1] or '0', held[2] or '0'
end
local function add(name, more)
  if more ~= 0 and redis.call('HINCRBY', KEYS[2], name, string.format('%.0f', more)) == 0 then redis.call('HDEL', KEYS[2], name) end
end
local function charge(account, open, bytes)
  add('bytes:' .. account, bytes)
  add('open:' .. account, open)
end
local function exceeds(use, more, limit)
  return more > 0 and limit ~= '' and tonumber(use) + more > tonumber(limit)
end
local function refusal(account, open, bytes, maxOpen, maxBytes)
  local usedOpen, usedBytes = useOf(account)
  if exceeds(usedOpen, open, maxOpen) then return {'too-many-open', usedOpen, usedBytes} end
  if exceeds(usedBytes, bytes, maxBytes) then return {'over-quota', usedOpen, usedBytes} end
end
`;

/** Values: id, tenant, owner, account, open, bytes, due, data, and the limits of open records and of bytes (empty for no limit). */
export const createScript = defineScript(`${records}${sums}
local id, tenant, owner, name, isOpen, bytes, due, data, maxOpen, maxBytes = unpack(ARGV)
if redis.call('HEXISTS', KEYS[1], id) == 1 then return {'conflict'} end
local account = accountOf(tenant, name)
local refused = refusal(account, tonumber(isOpen), tonumber(bytes), maxOpen, maxBytes)
if refused then return refused end
local record = {'1', tenant, owner, name, isOpen, bytes, due, data}
charge(account, tonumber(isOpen), tonumber(bytes))
write(id, record)
return reply(id, record)
`);

/** Values: id, version, open, bytes, due, data, and the limits of open records and of bytes. A value of "=" leaves the member unchanged. */
export const updateScript = defineScript(`${records}${sums}
local id, version = ARGV[1], ARGV[2]
local record = read(id)
if not record or record[1] ~= version then return {'conflict'} end
local isOpen, bytes = tonumber(record[5]), tonumber(record[6])
for place = 5, 8 do
  if ARGV[place - 2] ~= '=' then record[place] = ARGV[place - 2] end
end
local account = accountOf(record[2], record[4])
local moreOpen, moreBytes = tonumber(record[5]) - isOpen, tonumber(record[6]) - bytes
local refused = refusal(account, moreOpen, moreBytes, ARGV[7], ARGV[8])
if refused then return refused end
record[1] = string.format('%.0f', tonumber(version) + 1)
charge(account, moreOpen, moreBytes)
write(id, record)
return reply(id, record)
`);

/** Values: id, version. */
export const removeScript = defineScript(`${records}${sums}
local id, version = ARGV[1], ARGV[2]
local record = read(id)
if not record or record[1] ~= version then return 0 end
redis.call('HDEL', KEYS[1], id)
redis.call('ZREM', KEYS[3], id)
charge(accountOf(record[2], record[4]), -tonumber(record[5]), -tonumber(record[6]))
return 1
`);

/** Values: id. */
export const getScript = defineScript(`${records}
local record = read(ARGV[1])
return record and reply(ARGV[1], record) or {'missing'}
`);

/** Values: the latest due time, the most records. Records with the same due time are ordered by id. */
export const dueScript = defineScript(`${records}
local due = {}
for place, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  due[place] = reply(id, read(id))
end
return due
`);

/** Values: the latest due time, the most records, tenant, account. Only the 10,000 most overdue records are read, so that the script does not block the server. */
export const dueOfScript = defineScript(`${records}
local due = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, 10000)) do
  local record = read(id)
  if #due < tonumber(ARGV[2]) and record[2] == ARGV[3] and record[4] == ARGV[4] then due[#due + 1] = reply(id, record) end
end
return due
`);

/** Values: tenant, account. */
export const useScript = defineScript(`${sums}
local open, bytes = useOf(accountOf(ARGV[1], ARGV[2]))
return {open, bytes}
`);
