/** Jobs that have a file. */
export type FileKind = "export" | "import";

/**
 * The key of a job's file: the kind, the id in base64url, since an id may hold what a key may not, and of an export the number of the try.
 *
 * @param id of at most 72 bytes: a key has no room for more
 * @param attempt of an export; a worker that was taken over must not write in the place of the one that follows it
 */
export function fileKey(kind: FileKind, id: string, attempt?: number | undefined): string {
  const key = `${kind}_${Buffer.from(id).toString("base64url")}`;
  return attempt === undefined ? key : `${key}_${attempt}`;
}

/** What the keys of all tries of an export begin with. */
export function exportKeys(id: string): string {
  return `${fileKey("export", id)}_`;
}

/** The id of the job that a file belongs to. */
export function jobIdOf(kind: FileKind, key: string): string {
  const end = kind === "export" ? key.lastIndexOf("_") : key.length;
  return Buffer.from(key.slice(kind.length + 1, end), "base64url").toString();
}
