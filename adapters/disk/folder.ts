import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Folders whose names are durable, as far as this process knows. */
const durable = new Set<string>();

export function isDurable(folder: string): boolean {
  return durable.has(folder);
}

/**
 * Makes a folder with all above it, so that they are there after a power cut as well. One that is there already may be another process's, which has only just made it, or died before its
 * name was durable.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) {
    if (!durable.has(folder)) await syncIfReadable(dirname(folder));
  } else for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  durable.add(folder);
}

/** Makes the names in a folder durable. Windows does so by itself, and opens no folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A process as this one made nothing in a folder that it may not read: that would have failed. */
async function syncIfReadable(folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
  }
}
