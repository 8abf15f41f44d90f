import { Unavailable } from "../../src/storage/errors.js";
import { isBusy, translateError } from "./errors.js";
import type { SqliteConnection, SqliteDriver } from "./sqliteConnection.js";

/** Readers seldom wait for anyone in WAL mode; only while another process recovers or closes the file. */
const readerBusyTimeoutMs = 100;

/**
 * Opens the one connection that writes.
 *
 * @param busyTimeoutMs how long to wait, at start-up, for another process that holds the file locked
 * @throws {Unavailable} naming the path and what to do
 */
export function openWriter(driver: SqliteDriver, path: string, busyTimeoutMs: number): SqliteConnection {
  return opening(path, () => {
    const connection = driver.open(path);
    try {
      connection.execute(`pragma busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      requireWal(connection, path);
      connection.execute("pragma synchronous = full");
      connection.execute("pragma foreign_keys = on");
      // From now on waiting is done without blocking the process.
      connection.execute("pragma busy_timeout = 0");
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/** Opens a connection that sees committed rows only and cannot write. @throws {Unavailable} */
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

function requireWal(connection: SqliteConnection, path: string): void {
  const mode = connection.first("pragma journal_mode = wal", [], false)?.["journal_mode"];
  if (isMemory(path) || mode === "wal") return;
  throw new Unavailable(`Cannot open the SQLite database "${path}": its file system takes no write-ahead log. Put it on a local disk.`);
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
    return new Unavailable(`${subject}: another process holds it locked. End that process, or raise busyTimeoutMs.`, { cause: error });
  }
  const translated = translateError(openFailure(error));
  if (translated instanceof Unavailable) return new Unavailable(translated.message.replace("The database cannot answer", subject), { cause: error });
  return new Unavailable(`${subject}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/** libsql gives the code of a failed open in its message only. */
function openFailure(error: unknown): unknown {
  const code = error instanceof Error ? /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message)?.[1] : undefined;
  return code === undefined ? error : { rawCode: Number(code), cause: error };
}
