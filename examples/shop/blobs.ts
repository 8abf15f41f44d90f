import { join } from "node:path";
import type { BlobStore } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { s3Blobs } from "restwright/s3";
import type { Settings } from "./settings.js";

/** Files stand in a bucket where one is named, else in a folder beside the embedded store; in memory where nothing is kept. */
export function openBlobs({ dataDir, s3 }: Settings): BlobStore {
  if (s3 !== undefined) return s3Blobs(s3);
  return dataDir === ":memory:" ? memoryBlobs() : diskBlobs({ path: join(dataDir, "blobs") });
}
