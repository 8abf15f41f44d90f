import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repeated } from "./repeated.js";

/**
 * Writes so many bytes beside a folder, and removes them. A virtual machine gives memory back that a file had, a second or two after the file was removed, and has to get it again for the next one: whoever
 * came first would wait for that.
 */
export async function claimMemory(folder: string, bytes: number): Promise<void> {
  const file = join(folder, "..", "claimed");
  await writeFile(file, repeated(bytes));
  await rm(file);
}
