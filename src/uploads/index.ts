export type { BlobStore } from "../storage/blobs.js";
