import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { CommandError } from "./commandError.js";

/** What is remembered of an import beside its file, until all of it is done. */
export interface ImportRecord {
  /** Address of its job. */
  readonly job: string;
  /** That it was sent under. */
  readonly key: string;
}

/** Where the record of a file's import is. */
export function recordPath(file: string): string {
  return `${file}.import.json`;
}

/**
 * The record of the last import of a file; `undefined` where there is none.
 *
 * @throws {CommandError} where something else has its name
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
    throw new CommandError(`${path} is no record of an import. Remove it, or give the address of the import instead of the file.`);
  return record;
}

/** Writes the record of a file's import, whole or not at all. */
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

/** Forgets the import of a file. */
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
