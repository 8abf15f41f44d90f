import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder with all above it, so that they are there after a power cut as well. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
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
