import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";

/** Permissions of files and folders that only their owner may read. */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const;

/**
 * Removes the permissions of other users from a file or folder that belongs to this process' user.
 *
 * What belongs to another user, is shared by all users (a sticky folder), or does not exist stays as it is, as does everything on a file system without permissions.
 *
 * @returns whether others had permissions before
 */
export function restrictToOwner(path: string): boolean {
  try {
    const { mode, uid } = lstatSync(path);
    const kind = mode & 0o170000;
    const isFolder = kind === 0o040000;
    if (uid !== process.getuid?.() || !(isFolder || kind === 0o100000) || (mode & 0o077) === 0 || (mode & 0o1000) !== 0) return false;
    chmodSync(path, isFolder ? ownerOnly.folder : ownerOnly.file);
    return true;
  } catch {
    return false;
  }
}

/** Creates an empty file that only its owner may read. @returns `false` if it already exists, or cannot be created */
export function createPrivate(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", ownerOnly.file));
    return true;
  } catch {
    return false;
  }
}
