export { memoryBlobs } from "./memory/blobs.js";
export { memoryIdempotency } from "./memory/idempotency.js";
export { type MemoryOptions, memoryStorage } from "./memory/storage.js";
