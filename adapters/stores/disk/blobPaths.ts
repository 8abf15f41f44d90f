import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { isBlobKey } from "../../../src/ground/storage/files/blobKey.js";

/** The paths of the files of a key. */
export interface BlobPaths {
  readonly key: string;
  readonly folder: string;
  /** The path of the whole blob. */
  readonly file: string;
}

/** A file of a blob, by its name. */
export interface BlobFile {
  readonly key: string;
  readonly isPart: boolean;
}

/**
 * One of 256 folders, by a hash: keys that are created one after the other often begin alike.
 *
 * @param root an absolute path
 */
export function blobPathsOf(root: string, key: string): BlobPaths {
  const folder = join(root, createHash("sha256").update(key).digest("hex").slice(0, 2));
  return { key, folder, file: join(folder, nameOf(key)) };
}

/** The file of bytes that are not a blob yet: a new one, or the one with this id. */
export function partOf({ file }: BlobPaths, id = newPartId()): string {
  return `${file}.${id}.part`;
}

export function newPartId(): string {
  return randomBytes(8).toString("hex");
}

/** Only such ids may become part of a file name. */
export function isPartId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{16}$/.test(text);
}

/** Whether a name is one of the 256 folders. */
export function isFolderName(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** `undefined` for a file that this store did not create. */
export function parseFileName(name: string): BlobFile | undefined {
  const [, key = "", part] = /^[0-9a-f]+-([^.]+)(\.[0-9a-f]{16}\.part)?$/.exec(name) ?? [];
  const isOurs = isBlobKey(key) && name === nameOf(key) + (part ?? "");
  return isOurs ? { key, isPart: part !== undefined } : undefined;
}

/**
 * The number at the beginning encodes which letters are upper case, so that names stay distinct on a file system that ignores case, and none is a device of
 * Windows.
 */
function nameOf(key: string): string {
  let large = 0n;
  for (const character of key) large = large * 2n + (character >= "A" && character <= "Z" ? 1n : 0n);
  return `${large.toString(16)}-${key}`;
}
