import { unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { ifThere, onDisk } from "./errors.js";
import { syncFolder } from "./folder.js";
import { fileNamesOf } from "./list.js";
import { type Place, parseFileName } from "./place.js";

/**
 * Removes a blob with all that was begun under its key, for good. `false` where there was nothing.
 *
 * Others go on meanwhile. A part may become the whole blob before it is removed here, so that the blob goes behind the parts, listed or not; and it may be copied, so that there has to be
 * a listing without parts.
 */
export async function removeAll(place: Place): Promise<boolean> {
  let removed = 0;
  for (let isOver = false; !isOver; ) {
    const parts = (await fileNamesOf(place.folder, place.key)).filter(isPart);
    removed += await removeFiles(place, [...parts, basename(place.file)]);
    isOver = parts.length === 0;
  }
  // Whoever deleted the same before may have died before that was durable.
  await onDisk(ifThere(syncFolder(place.folder)));
  return removed > 0;
}

/** Removes what was begun under a key, but for one file. */
export async function removeParts(place: Place, kept?: string): Promise<void> {
  const names = await fileNamesOf(place.folder, place.key);
  await removeFiles(
    place,
    names.filter((name) => isPart(name) && join(place.folder, name) !== kept),
  );
}

function isPart(name: string): boolean {
  return parseFileName(name)?.isPart === true;
}

/** How many there were: others may be removing them too. */
async function removeFiles({ folder }: Place, names: readonly string[]): Promise<number> {
  let removed = 0;
  for (const name of names) if ((await onDisk(ifThere(unlink(join(folder, name)).then(() => true)))) !== undefined) removed += 1;
  return removed;
}
