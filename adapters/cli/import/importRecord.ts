import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { CommandError } from "../commandError.js";

/** The record of an import, in a file beside the imported one, until the import is completed. */
export interface ImportRecord {
  /** URL of its job. */
  readonly job: string;
  /** Its idempotency key. */
  readonly key: string;
}

/** The path of a file's record. */
export function recordPath(file: string): string {
  return `${file}.import.json`;
}

/**
 * Reads the record of the last import of a file; `undefined` if there is none.
 *
 * @throws {CommandError} if the file at its path is not a record
 */
export async function readRecord(file: string): Promise<ImportRecord | undefined> {
  const path = recordPath(file);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const record = parse(text);
  if (record === undefined)
    throw new CommandError(`${path} is not the record of an import. Remove it, or give the URL of the import instead of the file.`);
  return record;
}

/** Writes the record of a file's import; atomic. */
export async function writeRecord(file: string, record: ImportRecord): Promise<void> {
  const part = `${recordPath(file)}.${process.pid}.part`;
  try {
    await writeFile(part, `${JSON.stringify(record, null, 2)}\n`);
    await rename(part, recordPath(file));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Removes the record of a file's import. */
export async function removeRecord(file: string): Promise<void> {
  await rm(recordPath(file), { force: true });
}

function parse(text: string): ImportRecord | undefined {
  try {
    const { job, key } = JSON.parse(text) as { readonly job?: unknown; readonly key?: unknown };
    return typeof job === "string" && typeof key === "string" && URL.canParse(job) ? { job, key } : undefined;
  } catch {
    return undefined;
  }
}
