import { join } from "node:path";
import type { BlobStore } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import type { Settings } from "./settings.js";

/** Files of imports and exports stand in a folder beside the embedded store; in memory where nothing is kept. */
export function openBlobs({ dataDir }: Settings): BlobStore {
  return dataDir === ":memory:" ? memoryBlobs() : diskBlobs({ path: join(dataDir, "blobs") });
}
