import { QueryTimeout, Retryable, RowTooLarge, Unavailable, WriteRefused } from "../../../../src/ground/storage/errors.js";
import type { SqlStatement } from "./executor.js";

/** The meaning of a failed statement, independent of the driver. */
type Meaning = "unique" | "conflict" | "busy" | "timeout" | "tooLarge" | "unavailable" | "other";

/** Whether the statement violated a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return meaningOf(error) === "unique";
}

/** Whether another connection holds the lock of the SQLite file. */
export function isBusy(error: unknown): boolean {
  return codesOf(error).some((code) => sqliteName(code) === "SQLITE_BUSY" || sqliteName(code) === "SQLITE_LOCKED");
}

/** Whether the statement violated a constraint. SQLite then undoes only the statement, and its transaction continues. */
export function isConstraintViolation(error: unknown): boolean {
  return codesOf(error).some((code) => sqliteName(code) === "SQLITE_CONSTRAINT");
}

/** The refusal of a commit, by a constraint that was deferred to it; `undefined` for any other error. SQLite defers foreign keys only. */
export function refusedCommit(error: unknown): WriteRefused | undefined {
  const state = codesOf(error).find((code) => /^23[0-9A-Z]{3}$/.test(String(code)));
  if (state === undefined && !isConstraintViolation(error)) return undefined;
  const rule = state === undefined || state === "23503" ? "reference" : state === "23505" ? "unique" : "check";
  return new WriteRefused({ rule, fields: [] }, { cause: error });
}

/**
 * An engine's error → `Retryable`, `QueryTimeout`, `RowTooLarge` or `Unavailable` with the error as cause; any other error as it is.
 *
 * @param isByDeveloper whether the developer wrote the statement: a table or column that it names wrongly is a fault, not a change of the schema
 * @param writes whether it writes: no client can narrow it
 */
export function translateError(error: unknown, { isByDeveloper = false, writes = false }: Partial<SqlStatement> = {}): unknown {
  if (error instanceof Retryable || error instanceof Unavailable) return error;
  const missing = isByDeveloper ? undefined : missingPart(error);
  if (missing !== undefined) {
    return new Unavailable(`The schema of the database is not that of the start: ${missing}.`, { cause: error, wroteNothing: true });
  }
  const empty = unfilledView(error);
  if (empty !== undefined) {
    return new Unavailable(`The database cannot answer: ${empty}. Run REFRESH MATERIALIZED VIEW.`, { cause: error, wroteNothing: true });
  }
  switch (meaningOf(error)) {
    case "conflict":
      return new Retryable("The database aborted the statement because of a concurrent write. Run the same transaction again.", {
        cause: error,
        isConflict: true,
      });
    case "busy":
      return new Retryable("Another process writes to the database. Run the same transaction again.", { cause: error });
    case "timeout":
      if (writes) {
        const message = "The database ended a write that took too long. Another program may lock its table.";
        return new Unavailable(message, { cause: error, wroteNothing: true });
      }
      return new QueryTimeout(undefined, { cause: error });
    case "tooLarge":
      return new RowTooLarge("The row, or one of its indexed values, is larger than the database allows.", { cause: error });
    case "unavailable":
      return new Unavailable(`The database cannot answer: ${remedyOf(error)}`, { cause: error, wroteNothing: isAnswered(error) });
    default:
      return error;
  }
}

/** The same error for a call that certainly wrote nothing, because its connection was not opened or its transaction was rolled back. */
export function withoutEffect(error: unknown): unknown {
  if (!(error instanceof Unavailable) || error.wroteNothing) return error;
  return new Unavailable(error.message, { cause: error.cause, wroteNothing: true });
}

/** What a message says about a table or column that has been dropped since the start. */
function missingPart(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, message, cause } = error as Readonly<Record<string, unknown>>;
  const text = String(message);
  if (code === "42703" || code === "42P01") return text;
  return /\bno such (?:column|table): |\bhas no column named /.test(text) ? text : missingPart(cause, depth + 1);
}

/** What PostgreSQL says of a materialized view that was made WITH NO DATA and never refreshed. Other reasons have its SQLSTATE too. */
function unfilledView(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, routine, message, cause } = error as Readonly<Record<string, unknown>>;
  return code === "55000" && routine === "ExecOpenScanRelation" ? String(message) : unfilledView(cause, depth + 1);
}

const sqliteNames: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  26: "SQLITE_NOTADB",
};

const remedies: Readonly<Record<string, string>> = {
  SQLITE_READONLY: "it is read-only. Let this process write to the file and its folder.",
  SQLITE_IOERR: "reading or writing its file failed. Check the disk.",
  SQLITE_CORRUPT: "its file is damaged. Restore it from a backup.",
  SQLITE_NOTADB: "its file is not a SQLite database. Restore it from a backup, or use another path.",
  SQLITE_FULL: "the disk is full. Free some space.",
  SQLITE_CANTOPEN: "its file cannot be opened. Check that the folder exists and that this process may write to it.",
  ENOSPC: "the disk is full. Free some space.",
  "53100": "its disk is full. Free some space.",
  "53300": "it accepts no more connections. Raise max_connections, or use a smaller pool.",
  "25006": "it is read-only. Connect to the primary.",
  "25P03": "it ended a transaction that sent no statement for too long. Do not wait for other things in a transaction.",
  "55P03": "another program keeps a lock that the statement waited for. Look for it in pg_locks.",
  "28000": "it rejected the login. Check the user and the password.",
  "28P01": "it rejected the login. Check the user and the password.",
  "3D000": "the database does not exist. Create it, or use another name.",
};

/** SQLSTATE classes and network errors that mean that the server cannot answer now. */
const unavailable =
  /^(?:08...|53...|57P0[1-4]|58...|XX001|XX002|25006|28000|28P01|3D000|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOSPC)$/;
const conflicts = new Set(["40001", "40P01"]);
const busy = new Set(["SQLITE_BUSY", "SQLITE_LOCKED"]);

/** SQLSTATEs with which the connection ends, perhaps after the server has committed. */
const endings = /^(?:08|57P0(?!3))/;

/** Whether the engine has answered that it did nothing. After an error of the network that is unknown. */
export function isAnswered(error: unknown): boolean {
  return codesOf(error).some((code) => sqliteName(code) !== undefined || (/^(?=.*\d)[\dA-Z]{5}$/.test(String(code)) && !endings.test(String(code))));
}

function meaningOf(error: unknown): Meaning {
  for (const code of codesOf(error)) {
    if (code === "23505" || code === 2067 || code === 1555 || code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
      return "unique";
    const name = sqliteName(code) ?? String(code);
    if (conflicts.has(name)) return "conflict";
    if (busy.has(name)) return "busy";
    if (name === "57014") return "timeout";
    if (name === "54000" || name === "SQLITE_TOOBIG") return "tooLarge";
    if (Object.hasOwn(remedies, name) || unavailable.test(name)) return "unavailable";
  }
  return isConnectionEnd(error) ? "unavailable" : "other";
}

function remedyOf(error: unknown): string {
  for (const code of codesOf(error)) {
    const remedy = remedies[sqliteName(code) ?? String(code)];
    if (remedy !== undefined) return remedy;
  }
  if (/^timeout exceeded when trying to connect/.test(String((error as Partial<Error>).message))) {
    return "no connection of the pool was free in time. Use a larger pool, or find what holds its connections.";
  }
  return "it cannot be reached. Check that it runs and that its address is correct.";
}

/** `pg` sets no code if the server closes the connection during a statement, or if waiting for a connection of the pool times out. */
function isConnectionEnd(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(error.message)
  );
}

/** The primary SQLite code: `SQLITE_BUSY_SNAPSHOT` and 517 are both SQLITE_BUSY. */
function sqliteName(code: string | number): string | undefined {
  if (typeof code === "number") return sqliteNames[code & 0xff];
  return Object.values(sqliteNames).find((name) => code === name || code.startsWith(`${name}_`));
}

/** The codes of an error and of its causes: query builders wrap the driver's error. */
function codesOf(error: unknown, depth = 0): (string | number)[] {
  if (typeof error !== "object" || error === null || depth > 4) return [];
  const { code, errcode, rawCode, cause, errors } = error as Readonly<Record<string, unknown>>;
  const own = [errcode, rawCode, code].filter((value) => typeof value === "string" || typeof value === "number");
  const inner = Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth + 1)) : [];
  return [...own, ...codesOf(cause, depth + 1), ...inner];
}
