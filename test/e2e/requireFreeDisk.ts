import { statfs } from "node:fs/promises";

/** What others on the machine may need meanwhile. */
const spareBytes = 1_073_741_824;

/** @throws {Error} where so many bytes, and a GiB besides, do not fit into the file system of the folder */
export async function requireFreeDisk(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes + spareBytes];
  if (free >= needed) return;
  throw new Error(`${mebibytes(needed)} MiB must be free in ${folder}, and ${mebibytes(free)} MiB are; name another folder with --folder.`);
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1_048_576);
}
