import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "../commandError.js";
import type { ProjectFile } from "./choices.js";

/** What may be in the folder of a new project: the repository that it will belong to. */
const allowed: readonly string[] = [".git"];

/**
 * Checks that a folder does not exist, or is empty.
 *
 * @throws {CommandError}
 */
export async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR")
      throw new CommandError(`${folder} is a file or below one; name a folder that is empty, or does not exist.`, { cause: error });
    throw error;
  });
  const [first, ...others] = names.filter((name) => !allowed.includes(name)).sort();
  if (first === undefined) return;
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new CommandError(`The folder ${folder} is not empty (${first}${rest}); name one that is empty, or does not exist.`);
}

/**
 * Writes the files of a project. If one cannot be written, those before it and the folders that were made are removed.
 *
 * @throws {Error} of the file system
 */
export async function writeProject(folder: string, files: readonly ProjectFile[]): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      const made = await mkdir(dirname(file), { recursive: true });
      if (made !== undefined) undo.push(() => removeFolders(dirname(file), made));
      // Never replaces a file that another program has made since the check.
      await writeFile(file, text, { flag: "wx" });
      undo.push(() => rm(file));
    }
  } catch (error) {
    for (const each of undo.reverse()) await each().catch(() => undefined);
    throw error;
  }
}

/** Removes an empty folder, and those above it up to `last`. */
async function removeFolders(folder: string, last: string): Promise<void> {
  await rmdir(folder);
  if (folder !== last && dirname(folder) !== folder) await removeFolders(dirname(folder), last);
}
