import { createHash } from "node:crypto";
import { optionsCheck, strict, text, whole } from "../../../src/ground/options/index.js";
import { describeTaken, type RateLimitStore } from "../../../src/ground/storage/rateLimits.js";
import { type RedisClient, scriptClient } from "./client.js";
import { defaultTimeoutMs, defineScript, scriptRunner } from "./script.js";

/** Options of {@link redisRateLimits}. */
export interface RedisRateLimitOptions {
  /** Prefix of every key. Defaults to `restwright:limit:`. */
  readonly prefix?: string | undefined;
  /** How long to wait for a reply, in milliseconds. Defaults to 1,500; `rateLimit()` waits less. */
  readonly timeoutMs?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("redisRateLimits", () => strict<RedisRateLimitOptions>({ prefix: text(), timeoutMs: whole(1) }));

/**
 * Rate limits in Redis 6 and later, over a client of `ioredis` or `redis` that the caller owns. Each call is one script over one key, so that it works on any
 * cluster, and each key expires by itself.
 *
 * @example
 * rateLimit({ policies, store: redisRateLimits(new Redis("redis://localhost")) });
 */
export function redisRateLimits(client: RedisClient, options: RedisRateLimitOptions = {}): RateLimitStore {
  check(options);
  const { prefix = "restwright:limit:", timeoutMs = defaultTimeoutMs } = options;
  const run = scriptRunner(scriptClient(client), timeoutMs);
  return {
    async take(key, take) {
      const { name, limit, windowMs, cost, algorithm } = take;
      const id = createHash("sha256").update(`${algorithm} ${name} ${key}`).digest("base64url");
      const reply = await run(takeScript, [`${prefix}${id}`], [algorithm, limit, windowMs, cost]);
      // Clients can be configured to return buffers for text and text for numbers.
      const [allowed = 0, used = 0, atMs = 0, nowMs = 0] = (reply as readonly unknown[]).map((value) => Number(String(value)));
      return describeTaken({ allowed: allowed === 1, used, atMs }, take, nowMs);
    },
  };
}

/** The same as `stepRateLimit`, by the clock of the server. Values: algorithm, limit, window in milliseconds, cost. */
const takeScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local limit, window, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held = redis.call('HMGET', KEYS[1], 'used', 'at')
local used, at = tonumber(held[1] or ''), tonumber(held[2] or '')
local allowed = 1
if not used or not at or math.abs(now - at) >= window then
  used, at = cost, now
else
  local left = used
  if ARGV[1] == 'gcra' then left = math.max(0, used - math.max(0, now - at) * limit / window) end
  if left + cost > limit + 0.000001 then
    allowed = 0
  else
    used = left + cost
    if ARGV[1] == 'gcra' then at = math.max(now, at) end
  end
end
if allowed == 1 then
  redis.call('HSET', KEYS[1], 'used', string.format('%.17g', used), 'at', string.format('%.0f', at))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(1, at + window - now)))
end
return {allowed, string.format('%.17g', used), string.format('%.0f', at), string.format('%.0f', now)}
`);
