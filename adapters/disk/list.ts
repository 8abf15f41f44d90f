import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobListing } from "../../src/storage/blobs.js";
import { ifThere, onDisk } from "./errors.js";
import { isFolderName, parseFileName } from "./place.js";
import { readTrailer } from "./trailer.js";

/** The files of one key. */
interface Files {
  whole: string | undefined;
  readonly parts: string[];
}

/** All blobs whose keys begin with a prefix, in whatever state they are. */
export async function* listBlobs(root: string, prefix: string): AsyncGenerator<BlobListing> {
  for (const folder of await namesIn(root)) {
    if (!isFolderName(folder)) continue;
    for (const [key, files] of filesByKey(await namesIn(join(root, folder)), prefix)) {
      const listing = await listingOf(join(root, folder), key, files);
      if (listing !== undefined) yield listing;
    }
  }
}

/** The names of the files of a key that are in a folder. */
export async function fileNamesOf(folder: string, key: string): Promise<readonly string[]> {
  return (await namesIn(folder)).filter((name) => parseFileName(name)?.key === key);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await onDisk(ifThere(readdir(folder)))) ?? [];
}

function filesByKey(names: readonly string[], prefix: string): ReadonlyMap<string, Files> {
  const keys = new Map<string, Files>();
  for (const name of names) {
    const file = parseFileName(name);
    if (file === undefined || !file.key.startsWith(prefix)) continue;
    const files = keys.get(file.key) ?? { whole: undefined, parts: [] };
    if (file.isPart) files.parts.push(name);
    else files.whole = name;
    keys.set(file.key, files);
  }
  return keys;
}

/** `undefined` where all of its files have gone meanwhile. */
async function listingOf(folder: string, key: string, { whole, parts }: Files): Promise<BlobListing | undefined> {
  const listing = whole && (await wholeListing(join(folder, whole), key));
  if (listing) return listing;
  const found = await Promise.all(parts.map((name) => onDisk(ifThere(stat(join(folder, name))))));
  const files = found.filter((file) => file !== undefined);
  if (files.length === 0) return undefined;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return { key, size, lastModified: new Date(Math.floor(Math.max(...files.map(({ mtimeMs }) => mtimeMs)))), complete: false };
}

/** A damaged blob cannot be read: it is none, but takes up room. */
async function wholeListing(file: string, key: string): Promise<BlobListing | undefined> {
  const handle = await onDisk(ifThere(open(file, "r")));
  if (handle === undefined) return undefined;
  try {
    const blob = await readTrailer(handle);
    if (blob !== undefined) return { key, size: blob.size, lastModified: blob.lastModified, complete: true };
    const { size, mtimeMs } = await onDisk(handle.stat());
    return { key, size, lastModified: new Date(Math.floor(mtimeMs)), complete: false };
  } finally {
    await handle.close();
  }
}
