import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Folders whose names are durable, as far as this process knows, with all above them. */
const durable = new Set<string>();

/** What is answered for folders of others: by their permissions, by those of this process, and by file systems that nobody makes folders in. */
const refusals = new Set(["EACCES", "EPERM", "EINVAL", "ERR_ACCESS_DENIED"]);

export function isDurable(folder: string): boolean {
  return durable.has(folder);
}

/**
 * Makes a folder with all above it, so that they are there after a power cut as well. Those that are there already may be another process's, which has only just made them, or died before
 * their names were durable.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first !== undefined) {
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      durable.delete(made);
      await syncFolder(dirname(made));
    }
  }
  await makeDurable(folder);
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

async function makeDurable(folder: string): Promise<void> {
  const above = dirname(folder);
  if (above === folder || durable.has(folder)) return;
  await makeDurable(above);
  await syncIfAllowed(above);
  durable.add(folder);
}

/** A process as this one made nothing in a folder that it may not open, or that cannot be made durable: that would have failed. */
async function syncIfAllowed(folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && refusals.has(String(error.code)))) throw error;
  }
}
