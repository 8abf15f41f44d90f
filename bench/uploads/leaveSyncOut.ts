import { open } from "node:fs/promises";

/**
 * From now on this process believes that files are on disk as soon as they are written. No option of a store does this, and none should: it tells how much of the
 * time the disk takes.
 *
 * @param folder any that is there
 */
export async function leaveSyncOut(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  const shared = Object.getPrototypeOf(handle);
  shared.sync = async () => undefined;
  shared.datasync = async () => undefined;
  await handle.close();
}
