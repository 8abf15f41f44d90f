import { statSync } from "node:fs";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { createPrivate, restrictToOwner } from "../../../ownerOnly.js";
import { isBusy, translateError } from "../errors.js";
import type { SqliteConnection, SqliteDriver } from "./sqliteConnection.js";

/** In WAL mode readers only wait while another process recovers or closes the file. */
const readerBusyTimeoutMs = 100;

/** How long another process may take between creating the file and writing its first page, in milliseconds. */
const creationMs = 200;

/**
 * Opens the one connection that writes. Only the owner may read the file, its log and its index, because they hold the secret of the store.
 *
 * @param busyTimeoutMs how long to wait, at start-up, for another process that has locked the file
 * @throws {Unavailable} with the path and what to do
 */
export function openWriter(driver: SqliteDriver, path: string, busyTimeoutMs: number): SqliteConnection {
  return opening(path, () => {
    createDatabase(path);
    const connection = driver.open(path);
    try {
      restrictFiles(connection);
      connection.execute(`pragma busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      requireWal(connection, path);
      connection.execute("pragma synchronous = full");
      connection.execute("pragma foreign_keys = on");
      // From now on the writer itself waits, without blocking the process.
      connection.execute("pragma busy_timeout = 0");
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/** Opens a connection that only sees committed rows and cannot write. @throws {Unavailable} */
export function openReader(driver: SqliteDriver, path: string): SqliteConnection {
  return opening(path, () => {
    const connection = driver.open(path);
    connection.execute(`pragma busy_timeout = ${readerBusyTimeoutMs}`);
    connection.execute("pragma query_only = on");
    return connection;
  });
}

export function isMemory(path: string): boolean {
  return path === ":memory:";
}

/** Creates the file with owner-only permissions, where SQLite would use the umask. Its log and its index get the permissions of the file. */
function createDatabase(path: string): void {
  if (isMemory(path) || path === "" || path.startsWith("file:")) return;
  // If the file cannot be created, the driver reports why.
  if (!createPrivate(path) && isEmpty(path)) warnOfEmpty(path);
}

function isEmpty(path: string): boolean {
  try {
    return statSync(path).size === 0;
  } catch {
    return false;
  }
}

/** Warns if the file stays empty: then it was not just created by another process, but truncated or restored from a failed copy. */
function warnOfEmpty(path: string): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, creationMs);
  if (!isEmpty(path)) return;
  const message = `The SQLite database "${path}" is an empty file: it has no rows and gets a new secret. If it should have rows, stop this process and restore a backup.`;
  process.emitWarning(message, { code: "RESTWRIGHT_EMPTY_DATABASE" });
}

/** Restricts files of earlier versions, and files that SQLite itself created. */
function restrictFiles(connection: SqliteConnection): void {
  const file = connection.first("pragma database_list", [], false)?.["file"];
  if (typeof file !== "string" || file === "") return;
  for (const suffix of ["", "-wal", "-shm"]) restrictToOwner(file + suffix);
}

function requireWal(connection: SqliteConnection, path: string): void {
  const mode = connection.first("pragma journal_mode = wal", [], false)?.["journal_mode"];
  if (isMemory(path) || mode === "wal") return;
  throw new Unavailable(`Cannot open the SQLite database "${path}": its file system does not support a write-ahead log. Move it to a local disk.`);
}

function opening(path: string, open: () => SqliteConnection): SqliteConnection {
  try {
    return open();
  } catch (error) {
    throw startUpError(path, error);
  }
}

function startUpError(path: string, error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  const subject = `Cannot open the SQLite database "${path}"`;
  if (isBusy(error)) {
    return new Unavailable(`${subject}: another process has locked it. End that process, or raise busyTimeoutMs.`, { cause: error });
  }
  const translated = translateError(openFailure(error));
  if (translated instanceof Unavailable) return new Unavailable(translated.message.replace("The database cannot answer", subject), { cause: error });
  return new Unavailable(`${subject}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/** libsql reports the code of a failed open only in its message. */
function openFailure(error: unknown): unknown {
  const code = error instanceof Error ? /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1] : undefined;
  return code === undefined ? error : { rawCode: Number(code), cause: error };
}
