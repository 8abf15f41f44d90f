import { join } from "node:path";
import type { BlobStore } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { s3Blobs } from "restwright/s3";
import type { Settings } from "./settings.js";

/** Files are kept in the S3 bucket if one is set, in memory if the shop keeps nothing, otherwise in a folder beside the embedded store. */
export function openBlobs({ dataDir, s3 }: Settings): BlobStore {
  if (s3 !== undefined) return s3Blobs(s3);
  return dataDir === ":memory:" ? memoryBlobs() : diskBlobs({ path: join(dataDir, "blobs") });
}
