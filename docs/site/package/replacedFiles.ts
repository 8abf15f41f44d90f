import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where the originals are while npm packs; not in `dist`, which a build empties. */
const kept = ".packing";

/**
 * Replaces files of the work tree until {@link restoreFiles}. npm packs a file under the path that it has on disk, so this is the only way to pack other texts.
 * The originals are moved aside and not copied: they come back with their times.
 *
 * @param texts the new texts by paths relative to `root`
 * @param owner the process that packs
 * @throws {Error} if another process is packing, or if `owner` has ended; then nothing is replaced
 */
export function replaceFiles(root: string, texts: ReadonlyMap<string, string>, owner: number): void {
  const other = ownerOf(root);
  if (other !== undefined && other !== owner && isRunning(other))
    throw new Error(`Process ${other} is packing this folder; wait until it has ended.`);
  restoreFiles(root);
  mkdirSync(join(root, kept));
  writeFileSync(join(root, kept, "owner"), String(owner));
  try {
    for (const [path, text] of texts) replaceFile(root, path, text);
    // After the last file: a process that waits for the end of the owner may have found nothing to restore before.
    if (!isRunning(owner)) throw new Error(`Process ${owner}, which packs this folder, has ended.`);
  } catch (error) {
    restoreFiles(root);
    throw error;
  }
}

/** In this order, a file can be restored after each step. */
function replaceFile(root: string, path: string, text: string): void {
  const { original, replacement } = placesOf(root, path);
  for (const place of [original, replacement]) mkdirSync(dirname(place), { recursive: true });
  const next = join(root, kept, "next");
  for (const place of [replacement, next]) writeFileSync(place, text);
  renameSync(join(root, path), original);
  renameSync(next, join(root, path));
}

/**
 * Moves the originals back, also those that a process left that was killed.
 *
 * @param owner the process whose originals are meant; any process if left out
 * @throws {Error} if a replaced file has been edited; its original stays where the message says
 */
export function restoreFiles(root: string, owner?: number): void {
  if (!existsSync(join(root, kept)) || (owner !== undefined && ownerOf(root) !== owner)) return;
  const edited = filesBelow(join(root, kept, "originals")).filter((path) => !restoreFile(root, path));
  if (edited.length > 0) {
    throw new Error(`Edited while npm packed: ${edited.join(", ")}. The originals are in ${kept}/originals; move them back, then remove ${kept}.`);
  }
  rmSync(join(root, kept), { recursive: true });
}

function restoreFile(root: string, path: string): boolean {
  const file = join(root, path);
  const { original, replacement } = placesOf(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") !== readFileSync(replacement, "utf8")) return false;
  renameSync(original, file);
  return true;
}

/** Whether a process has not ended. */
export function isRunning(process_: number): boolean {
  try {
    return process.kill(process_, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function ownerOf(root: string): number | undefined {
  const file = join(root, kept, "owner");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

function placesOf(root: string, path: string): { readonly original: string; readonly replacement: string } {
  return { original: join(root, kept, "originals", path), replacement: join(root, kept, "replacements", path) };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());
}
