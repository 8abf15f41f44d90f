import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Paths of all files below a folder. */
export async function storedFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @throws {Error} unless there are exactly so many files that have at least so many bytes, each */
export async function requireStored(folder: string, count: number, bytes: number): Promise<void> {
  const sizes = await Promise.all((await storedFiles(folder)).map(async (file) => (await stat(file)).size));
  const whole = sizes.filter((size) => size >= bytes);
  if (whole.length !== count) throw new Error(`There are ${whole.length} files of ${bytes} bytes in ${folder}, not ${count}.`);
}

/** @throws {Error} unless some file has these bytes in it, one after the other */
export async function requireContent(folder: string, content: Buffer): Promise<void> {
  for (const file of await storedFiles(folder)) if ((await readFile(file)).includes(content)) return;
  throw new Error(`What was sent is in no file of ${folder}.`);
}

/** Removes all files below a folder. Folders stay: a store that spreads files over many makes each of them once in its life. */
export async function removeFiles(folder: string): Promise<void> {
  for (const file of await storedFiles(folder)) await rm(file);
}
