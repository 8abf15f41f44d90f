export type { IoredisClient, NodeRedisArguments, NodeRedisClient, RedisClient } from "./stores/redis/client.js";
export { type RedisIdempotencyOptions, redisIdempotency } from "./stores/redis/idempotency.js";
export { type RedisRateLimitOptions, redisRateLimits } from "./stores/redis/rateLimits.js";
export { type RedisUploadsOptions, redisUploads } from "./stores/redis/uploads.js";
