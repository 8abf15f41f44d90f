export { type MemoryBlobsOptions, memoryBlobs } from "./memory/blobs/blobs.js";
export { type MemoryIdempotencyOptions, memoryIdempotency } from "./memory/records/idempotency.js";
export { type MemoryOptions, memoryStorage } from "./memory/storage.js";
