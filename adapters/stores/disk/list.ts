import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobListing } from "../../../src/ground/storage/files/blobs.js";
import { type BlobPaths, blobPathsOf, isFolderName, parseFileName } from "./blobPaths.js";
import { ifThere, onDisk } from "./errors.js";
import { readTrailer } from "./trailer.js";

/** All blobs whose keys begin with a prefix, in any state. */
export async function* listBlobs(root: string, prefix: string): AsyncGenerator<BlobListing> {
  for (const folder of await namesIn(root)) {
    if (!isFolderName(folder)) continue;
    for (const [key, parts] of partsByKey(await namesIn(join(root, folder)), prefix)) {
      const listing = await listingOf(blobPathsOf(root, key), parts);
      if (listing !== undefined) yield listing;
    }
  }
}

/** The names of the files of a key in a folder. */
export async function fileNamesOf(folder: string, key: string): Promise<readonly string[]> {
  return (await namesIn(folder)).filter((name) => parseFileName(name)?.key === key);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await onDisk(ifThere(readdir(folder)))) ?? [];
}

/** The names of the files of each existing key, complete or not. */
function partsByKey(names: readonly string[], prefix: string): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const name of names) {
    const file = parseFileName(name);
    if (file === undefined || !file.key.startsWith(prefix)) continue;
    const parts = keys.get(file.key) ?? [];
    if (file.isPart) parts.push(name);
    keys.set(file.key, parts);
  }
  return keys;
}

/** `undefined` if all files of the key were removed meanwhile. The whole blob is checked last, because a part may have become one after its name was read. */
async function listingOf({ folder, file, key }: BlobPaths, parts: readonly string[]): Promise<BlobListing | undefined> {
  const found = await Promise.all(parts.map((name) => onDisk(ifThere(stat(join(folder, name))))));
  const whole = await wholeListing(file, key);
  if (whole !== undefined) return whole;
  const files = found.filter((part) => part !== undefined);
  if (files.length === 0) return undefined;
  const size = files.reduce((sum, { size }) => sum + size, 0);
  return { key, size, lastModified: new Date(Math.floor(Math.max(...files.map(({ mtimeMs }) => mtimeMs)))), complete: false };
}

/** A damaged file is not a readable blob, but uses space. */
async function wholeListing(file: string, key: string): Promise<BlobListing | undefined> {
  const handle = await onDisk(ifThere(open(file, "r")));
  if (handle === undefined) return undefined;
  try {
    const blob = await readTrailer(handle);
    if (blob !== undefined) return { key, size: blob.size, lastModified: blob.lastModified, complete: true };
    const { size, mtimeMs } = await onDisk(handle.stat());
    return { key, size, lastModified: new Date(Math.floor(mtimeMs)), complete: false };
  } finally {
    await onDisk(handle.close());
  }
}
