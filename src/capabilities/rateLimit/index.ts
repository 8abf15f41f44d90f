export type { RateLimitAlgorithm, RateLimitStore, RateLimitTake, RateLimitTaken } from "../../ground/storage/rateLimits.js";
export { type RateLimitOptions, rateLimit } from "./capability.js";
export { type MemoryRateLimitOptions, memoryRateLimits } from "./memory.js";
export type { RateLimitPolicy } from "./policy.js";
