import { Retryable, Unavailable } from "../../src/storage/errors.js";

/** What a failed statement means, whatever driver it came through. */
type Meaning = "unique" | "retry" | "unavailable" | "other";

/** Whether a unique index refused the statement. */
export function isUniqueViolation(error: unknown): boolean {
  return meaningOf(error) === "unique";
}

/** Whether another connection holds the SQLite file's lock. */
export function isBusy(error: unknown): boolean {
  return codesOf(error).some((code) => sqliteName(code) === "SQLITE_BUSY" || sqliteName(code) === "SQLITE_LOCKED");
}

/** Whether a constraint refused the statement; SQLite undoes the statement alone then, and its transaction goes on. */
export function isConstraintViolation(error: unknown): boolean {
  return codesOf(error).some((code) => sqliteName(code) === "SQLITE_CONSTRAINT");
}

/** An engine's error → `Retryable` or `Unavailable` with the error as cause; any other error as it is. */
export function translateError(error: unknown): unknown {
  if (error instanceof Retryable || error instanceof Unavailable) return error;
  switch (meaningOf(error)) {
    case "retry":
      return new Retryable("The database gave way to another write; the same transaction may be tried again.", { cause: error });
    case "unavailable":
      return new Unavailable(`The database cannot answer: ${remedyOf(error)}`, { cause: error });
    default:
      return error;
  }
}

const sqliteNames: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  19: "SQLITE_CONSTRAINT",
  26: "SQLITE_NOTADB",
};

const remedies: Readonly<Record<string, string>> = {
  SQLITE_READONLY: "it is read-only. Let this process write to the file and its folder.",
  SQLITE_IOERR: "reading or writing its file failed. Check the disk.",
  SQLITE_CORRUPT: "its file is damaged. Restore it from a backup.",
  SQLITE_NOTADB: "its file is not a SQLite database. Restore it from a backup, or name another file.",
  SQLITE_FULL: "the disk is full. Free some space.",
  SQLITE_CANTOPEN: "its file cannot be opened. Check that the folder exists and that this process may write to it.",
  ENOSPC: "the disk is full. Free some space.",
  "53100": "its disk is full. Free some space.",
  "53300": "it has no connection left. Allow more, or use a smaller pool.",
  "25006": "it is read-only. Connect to the primary.",
  "28000": "it refused the log-in. Check the user and the password.",
  "28P01": "it refused the log-in. Check the user and the password.",
  "3D000": "there is no such database. Create it, or name another.",
};

/** SQLSTATE classes and errors of the network that mean that the server cannot answer now. */
const unavailable =
  /^(?:08...|53...|57P0[1-4]|58...|XX001|XX002|25006|28000|28P01|3D000|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOSPC)$/;
const retryable = new Set(["40001", "40P01", "55P03", "SQLITE_BUSY", "SQLITE_LOCKED"]);

function meaningOf(error: unknown): Meaning {
  for (const code of codesOf(error)) {
    if (code === "23505" || code === 2067 || code === 1555 || code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
      return "unique";
    const name = sqliteName(code) ?? String(code);
    if (retryable.has(name)) return "retry";
    if (Object.hasOwn(remedies, name) || unavailable.test(name)) return "unavailable";
  }
  return isConnectionEnd(error) ? "unavailable" : "other";
}

function remedyOf(error: unknown): string {
  for (const code of codesOf(error)) {
    const remedy = remedies[sqliteName(code) ?? String(code)];
    if (remedy !== undefined) return remedy;
  }
  return "there is no connection to it. Check that it runs and that its address is right.";
}

/** `pg` gives no code where the server goes away in the middle, or where its pool waits too long. */
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

/** The codes of an error and of what caused it: query builders wrap the driver's error. */
function codesOf(error: unknown, depth = 0): (string | number)[] {
  if (typeof error !== "object" || error === null || depth > 4) return [];
  const { code, errcode, rawCode, cause, errors } = error as Readonly<Record<string, unknown>>;
  const own = [errcode, rawCode, code].filter((value) => typeof value === "string" || typeof value === "number");
  const inner = Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth + 1)) : [];
  return [...own, ...codesOf(cause, depth + 1), ...inner];
}
