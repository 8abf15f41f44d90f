export { type DiskOptions, diskBlobs } from "./stores/disk/blobs.js";
