export type { IoredisClient, NodeRedisArguments, NodeRedisClient, RedisClient } from "./redis/client.js";
export { type RedisIdempotencyOptions, redisIdempotency } from "./redis/idempotency.js";
export { type RedisRateLimitOptions, redisRateLimits } from "./redis/rateLimits.js";
export { type RedisUploadsOptions, redisUploads } from "./redis/uploads.js";
