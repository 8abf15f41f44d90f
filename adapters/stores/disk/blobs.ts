import { readdirSync } from "node:fs";
import { access, constants, opendir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { optionsCheck, passing, strict } from "../../../src/ground/options/index.js";
import { checkBlobKey } from "../../../src/ground/storage/files/blobKey.js";
import type { BlobStore } from "../../../src/ground/storage/files/blobs.js";
import { clampRange } from "../../../src/ground/storage/files/clampRange.js";
import { restrictToOwner } from "../ownerOnly.js";
import { type BlobPaths, blobPathsOf, isFolderName, parseFileName } from "./blobPaths.js";
import { diskDrafts } from "./drafts.js";
import { onDisk } from "./errors.js";
import { makeFolder } from "./folder.js";
import { listBlobs } from "./list.js";
import { readBlob, statBlob } from "./read.js";
import { removeAll } from "./remove.js";
import { openWriter } from "./writer.js";

/** Options of `diskBlobs`. */
export interface DiskOptions {
  /** The folder of the blobs, absolute or relative to the working directory. It is created if missing. Several processes may share it. */
  readonly path: string;
}

const check = /* @__PURE__ */ optionsCheck("diskBlobs", () =>
  strict<DiskOptions>({ path: passing("the path of a folder", (path) => typeof path === "string" && path !== "") }, ["path"]),
);

/**
 * Stores blobs as files in a folder. Committed blobs are durable and survive a power cut. Only the user of this process may read them.
 *
 * @throws {ConfigurationError} for a missing path
 * @example
 * const blobs = diskBlobs({ path: "data/blobs" });
 * const writer = await blobs.open("01JQ", { contentType: "text/csv" });
 * await writer.write(Buffer.from("id,name\n"));
 * await writer.commit(); // { size: 8, contentType: "text/csv", … }
 */
export function diskBlobs(options: DiskOptions): BlobStore {
  check(options);
  const root = resolve(options.path);
  restrictFolders(root);
  const place = (key: string): BlobPaths => {
    checkBlobKey(key);
    return blobPathsOf(root, key);
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

/**
 * Removes the permissions of other users from files of earlier versions: immediately from the folders of blobs, and from the root if it contains nothing else;
 * then from the files, which other users can no longer reach.
 */
function restrictFolders(root: string): void {
  const names = namesIn(root);
  const folders = names.filter(isFolderName).map((name) => join(root, name));
  if (names.length > 0 && folders.length === names.length) restrictToOwner(root);
  const opened = folders.filter(restrictToOwner);
  if (opened.length > 0) void restrictFiles(opened);
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

/** Never rejects: a file that cannot be listed now cannot be reached by other users anyway. */
async function restrictFiles(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      for await (const { name } of await opendir(folder)) if (parseFileName(name) !== undefined) restrictToOwner(join(folder, name));
    } catch {}
  }
}
