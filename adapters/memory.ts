export { type MemoryBlobsOptions, memoryBlobs } from "./stores/memory/blobs/blobs.js";
export { type MemoryIdempotencyOptions, memoryIdempotency } from "./stores/memory/records/idempotency.js";
export { type MemoryOptions, memoryStorage } from "./stores/memory/storage.js";
