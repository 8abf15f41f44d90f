export type { IoredisClient, NodeRedisArguments, NodeRedisClient, RedisClient } from "./stores/redis/client.js";
export { type RedisIdempotencyOptions, redisIdempotency } from "./stores/redis/idempotency.js";
export { type RedisRateLimitOptions, redisRateLimits } from "./stores/redis/rateLimits.js";
export type { IoredisSubscriber, NodeRedisSubscriber, RedisSubscriber } from "./stores/redis/subscription.js";
export { type RedisUploadsOptions, redisUploads } from "./stores/redis/uploads.js";
export { type RedisPublisher, type RedisWakeupOptions, redisWakeups } from "./stores/redis/wakeups.js";
