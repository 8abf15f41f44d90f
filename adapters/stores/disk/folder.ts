import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { ownerOnly } from "../ownerOnly.js";

/** Folders that are durable, as far as this process knows, together with all folders above them. */
const durable = new Set<string>();

/** Errors for folders of other users: missing permissions, restrictions of this process, and file systems that cannot contain new folders. */
const refusals = new Set(["EACCES", "EPERM", "EINVAL", "ERR_ACCESS_DENIED"]);

export function isDurable(folder: string): boolean {
  return durable.has(folder);
}

/**
 * Creates a folder and all folders above it, so that they survive a power cut. Existing folders may have been created by another process that has not yet
 * made them durable, or that died before.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: ownerOnly.folder });
  if (first !== undefined) {
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      durable.delete(made);
      await syncFolder(dirname(made));
    }
  }
  await makeDurable(folder);
}

/** Makes the names in a folder durable. Windows does that itself, and cannot open folders. */
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

/**
 * A folder that this process may not open, or whose file system cannot sync it, contains nothing that such a process created: creating it would have failed.
 */
async function syncIfAllowed(folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && refusals.has(String(error.code)))) throw error;
  }
}
