import { unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BlobPaths, parseFileName } from "./blobPaths.js";
import { ifThere, onDisk } from "./errors.js";
import { syncFolder } from "./folder.js";
import { fileNamesOf } from "./list.js";

/**
 * Removes a blob and everything that was begun under its key. `false` if there was nothing.
 *
 * Other processes may write at the same time. A part may become the whole blob before it is removed, so the blob is removed after the parts, listed or not. A
 * part may also be copied, so listing is repeated until there are no parts.
 */
export async function removeAll(place: BlobPaths): Promise<boolean> {
  let removed = 0;
  for (let isOver = false; !isOver; ) {
    const parts = (await fileNamesOf(place.folder, place.key)).filter(isPart);
    removed += await removeFiles(place, [...parts, basename(place.file)]);
    isOver = parts.length === 0;
  }
  // A process that deleted the same key before may have died before that was durable.
  await onDisk(ifThere(syncFolder(place.folder)));
  return removed > 0;
}

/** Removes everything that was begun under a key, except one file. */
export async function removeParts(place: BlobPaths, kept?: string): Promise<void> {
  const names = await fileNamesOf(place.folder, place.key);
  await removeFiles(
    place,
    names.filter((name) => isPart(name) && join(place.folder, name) !== kept),
  );
}

function isPart(name: string): boolean {
  return parseFileName(name)?.isPart === true;
}

/** Returns the number of files; other processes may remove them at the same time. */
async function removeFiles({ folder }: BlobPaths, names: readonly string[]): Promise<number> {
  let removed = 0;
  for (const name of names) if ((await onDisk(ifThere(unlink(join(folder, name)).then(() => true)))) !== undefined) removed += 1;
  return removed;
}
