import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ifThere, onDisk } from "./errors.js";
import { syncFolder } from "./folder.js";
import { fileNamesOf } from "./list.js";
import { type Place, parseFileName } from "./place.js";

/** Removes a blob with all that was begun under its key, for good. `false` where there was nothing. */
export async function removeAll(place: Place): Promise<boolean> {
  const removed = await removeFiles(place, await fileNamesOf(place.folder, place.key));
  if (removed > 0) await onDisk(syncFolder(place.folder));
  return removed > 0;
}

/** Removes what was begun under a key, but for one file. */
export async function removeParts(place: Place, kept?: string): Promise<void> {
  const names = await fileNamesOf(place.folder, place.key);
  const isSuperfluous = (name: string) => parseFileName(name)?.isPart === true && join(place.folder, name) !== kept;
  await removeFiles(place, names.filter(isSuperfluous));
}

/** How many there were: others may be removing them too. */
async function removeFiles({ folder }: Place, names: readonly string[]): Promise<number> {
  let removed = 0;
  for (const name of names) if ((await onDisk(ifThere(rm(join(folder, name)).then(() => true)))) !== undefined) removed += 1;
  return removed;
}
