import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { isBlobKey } from "../../src/storage/blobKey.js";

/** Where the files of a key are. */
export interface Place {
  readonly key: string;
  readonly folder: string;
  /** Of the whole blob. */
  readonly file: string;
}

/** A file of a blob by its name. */
export interface BlobFile {
  readonly key: string;
  readonly isPart: boolean;
}

/**
 * One of 256 folders, by a hash: keys that are made one after the other may begin alike.
 *
 * @param root an absolute path
 */
export function placeOf(root: string, key: string): Place {
  const folder = join(root, createHash("sha256").update(key).digest("hex").slice(0, 2));
  return { key, folder, file: join(folder, nameOf(key)) };
}

/** The file of bytes that are not a blob yet: a new one, or that of an id. */
export function partOf({ file }: Place, id = newPartId()): string {
  return `${file}.${id}.part`;
}

export function newPartId(): string {
  return randomBytes(8).toString("hex");
}

/** Nothing else becomes a part of the name of a file. */
export function isPartId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{16}$/.test(text);
}

/** Whether the name of a folder is one of the 256. */
export function isFolderName(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** `undefined` for a file that is none of ours. */
export function parseFileName(name: string): BlobFile | undefined {
  const [, key = "", part] = /^[0-9a-f]+-([^.]+)(\.[0-9a-f]{16}\.part)?$/.exec(name) ?? [];
  const isOurs = isBlobKey(key) && name === nameOf(key) + (part ?? "");
  return isOurs ? { key, isPart: part !== undefined } : undefined;
}

/** The number in front tells which letters are large, so that no two keys are one on a file system that ignores case, and none is a device of Windows. */
function nameOf(key: string): string {
  let large = 0n;
  for (const character of key) large = large * 2n + (character >= "A" && character <= "Z" ? 1n : 0n);
  return `${large.toString(16)}-${key}`;
}
