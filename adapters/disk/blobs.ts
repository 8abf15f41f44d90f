import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobStore } from "../../src/storage/blobs.js";
import { clampRange } from "../../src/storage/clampRange.js";
import { diskDrafts } from "./drafts.js";
import { onDisk } from "./errors.js";
import { makeFolder } from "./folder.js";
import { listBlobs } from "./list.js";
import { type Place, placeOf } from "./place.js";
import { readBlob, statBlob } from "./read.js";
import { removeAll } from "./remove.js";
import { openWriter } from "./writer.js";

/** Where blobs are kept on disk. */
export interface DiskOptions {
  /** The folder of the blobs, from the working directory of the process where it is relative. It is made where there is none. Several processes may share it. */
  readonly path: string;
}

/**
 * Blobs as files in a folder. What was committed is on disk, and survives a power cut.
 *
 * @throws {TypeError} without a path
 * @example
 * const blobs = diskBlobs({ path: "data/blobs" });
 * const writer = await blobs.open("01JQ", { contentType: "text/csv" });
 * await writer.write(Buffer.from("id,name\n"));
 * await writer.commit(); // { size: 8, contentType: "text/csv", … }
 */
export function diskBlobs(options: DiskOptions): BlobStore {
  const path: unknown = options?.path;
  if (typeof path !== "string" || path === "") throw new TypeError('diskBlobs needs the path of a folder: diskBlobs({ path: "data/blobs" }).');
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
    delete: async (key) => removeAll(place(key)),
    list: async function* (prefix, { before }) {
      for await (const listing of listBlobs(root, prefix)) if (listing.lastModified < before) yield listing;
    },
    drafts: diskDrafts(place),
    ping: () => onDisk(makeFolder(root).then(() => access(root, constants.R_OK | constants.W_OK | constants.X_OK))),
  };
}
