export { type DiskOptions, diskBlobs } from "./disk/blobs.js";
