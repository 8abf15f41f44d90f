import { access, constants, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobStore } from "../../src/storage/blobs.js";
import { clampRange } from "../../src/storage/clampRange.js";
import { ifThere, onDisk } from "./errors.js";
import { makeFolder, syncFolder } from "./folder.js";
import { fileNamesOf, listBlobs } from "./list.js";
import { type Place, placeOf } from "./place.js";
import { readBlob, statBlob } from "./read.js";
import { openWriter } from "./writer.js";

export interface DiskOptions {
  /** The folder of the blobs; it is made where there is none. Several processes may share it. */
  readonly path: string;
}

/**
 * Blobs as files in a folder. What was committed is on disk, and survives a power cut.
 *
 * @example
 * const blobs = diskBlobs({ path: "data/blobs" });
 * const writer = await blobs.open("01JQ", { contentType: "text/csv" });
 * await writer.write(Buffer.from("id,name\n"));
 * await writer.commit(); // { size: 8, contentType: "text/csv", … }
 */
export function diskBlobs({ path }: DiskOptions): BlobStore {
  const root = resolve(path);
  const place = (key: string): Place => {
    checkBlobKey(key);
    return placeOf(root, key);
  };
  return {
    name: "disk",
    open: async (key, { contentType } = {}) => openWriter(place(key), contentType),
    stat: async (key) => statBlob(place(key)),
    read: async (key, range) => {
      const at = place(key);
      const stat = await statBlob(at);
      return stat && readBlob(at, stat.etag, clampRange(range, stat.size));
    },
    delete: async (key) => remove(place(key)),
    list: async function* (prefix, { before }) {
      for await (const listing of listBlobs(root, prefix)) if (listing.lastModified < before) yield listing;
    },
    ping: () => onDisk(makeFolder(root).then(() => access(root, constants.R_OK | constants.W_OK | constants.X_OK))),
  };
}

async function remove({ folder, key }: Place): Promise<boolean> {
  let removed = 0;
  for (const name of await fileNamesOf(folder, key)) {
    if ((await onDisk(ifThere(rm(join(folder, name)).then(() => true)))) !== undefined) removed += 1;
  }
  if (removed > 0) await onDisk(syncFolder(folder));
  return removed > 0;
}
