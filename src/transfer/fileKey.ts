/** Jobs that have a file. */
export type FileKind = "export" | "import";

/**
 * The key of a job's file: the kind, the id in base64url, since an id may hold what a key may not, and a number of its own.
 *
 * @param id of at most 72 bytes: a key has no room for more
 * @param number of an export, the try: a worker that was taken over must not write in the place of the one that follows it. Of an import, one that nothing else
 *   has: two requests with one key may bring different files
 */
export function fileKey(kind: FileKind, id: string, number: number): string {
  return `${fileKeys(kind, id)}${number}`;
}

/** What the keys of all files of a job begin with. */
export function fileKeys(kind: FileKind, id: string): string {
  return `${kind}_${Buffer.from(id).toString("base64url")}_`;
}

/** The id of the job that a file belongs to. */
export function jobIdOf(kind: FileKind, key: string): string {
  return Buffer.from(key.slice(kind.length + 1, key.lastIndexOf("_")), "base64url").toString();
}
