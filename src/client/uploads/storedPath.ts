import type { UploadOptions, UploadStorage } from "./options.js";

/** Where the path of an upload is kept: always in memory, and in a storage if there is one. */
export interface StoredPath {
  read(): Promise<string | undefined>;
  write(path: string): Promise<void>;
  clear(): Promise<void>;
}

/** A page has `localStorage`, unless its settings forbid it. */
function storageOfPage(): UploadStorage | undefined {
  try {
    return "document" in globalThis ? (globalThis as { localStorage?: UploadStorage }).localStorage : undefined;
  } catch {
    return undefined;
  }
}

const fingerprintOf = (file: Blob & { readonly name?: string; readonly lastModified?: number }) =>
  [file.name, file.type, file.size, file.lastModified].join("|");

/** Where the path of the upload of a file is kept. A storage that is full keeps nothing, which ends no upload. */
export async function storedPathOf(
  baseUrl: string,
  file: Blob,
  { storage = storageOfPage(), fingerprint = fingerprintOf }: UploadOptions,
): Promise<StoredPath> {
  const kept = storage || undefined;
  const key = kept && `restwright|${baseUrl}|${await fingerprint(file)}`;
  const safely = async <T>(use: (kept: UploadStorage, key: string) => T | Promise<T>): Promise<T | undefined> => {
    try {
      return kept && key !== undefined ? await use(kept, key) : undefined;
    } catch {
      return undefined;
    }
  };
  let current = (await safely((at, name) => at.getItem(name))) ?? undefined;
  return {
    read: async () => current,
    async write(path) {
      current = path;
      await safely((at, name) => at.setItem(name, path));
    },
    async clear() {
      current = undefined;
      await safely((at, name) => at.removeItem(name));
    },
  };
}
