export { memoryBlobs } from "./memory/blobs/blobs.js";
export { memoryIdempotency } from "./memory/records/idempotency.js";
export { type MemoryOptions, memoryStorage } from "./memory/storage.js";
