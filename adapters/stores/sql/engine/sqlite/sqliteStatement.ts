import { turnIsOver } from "../../../../../src/ground/http/yieldToEventLoop.js";
import { isConstraintViolation } from "../errors.js";
import type { SqlResult, SqlRow, SqlStatement } from "../executor.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";

/** A read never yields before this time, however long the current turn of the event loop is: most reads end sooner. */
const quickMs = 2;
/** How many rows to read at once while rows are quick. Not more, because a row may have many megabytes. */
const rowsAtOnce = 4;

/** The first rows of a read, and the open statement for the rest. */
export interface BegunRead {
  readonly rows: SqlRow[];
  /** `undefined` if the read is complete. */
  readonly rest: RowReading | undefined;
}

/** Reads the rows of a statement until this turn of the event loop should end. */
export function beginRead(connection: SqliteConnection, { text, values, bigints = false }: SqlStatement): BegunRead {
  const reading = connection.begin(text, values, bigints);
  const rows: SqlRow[] = [];
  const startedAt = performance.now();
  let readAt = startedAt;
  let maxRows = 1;
  for (;;) {
    const next = reading.next(maxRows);
    if (next.length === 0) return { rows, rest: undefined };
    rows.push(...next);
    const now = performance.now();
    maxRows = now - readAt < quickMs ? rowsAtOnce : 1;
    readAt = now;
    if (now - startedAt >= quickMs && turnIsOver()) return { rows, rest: reading };
  }
}

/** Appends all rows of a read in slices to `rows`. */
export async function collectRows(slices: AsyncIterable<readonly SqlRow[]>, rows: SqlRow[] = []): Promise<SqlResult> {
  for await (const slice of slices) for (const row of slice) rows.push(row);
  return resultOf(rows);
}

export function resultOf(rows: readonly SqlRow[]): SqlResult {
  return { rows, affected: rows.length };
}

/** Runs one statement with the fastest method of the connection for the number of rows that it returns. */
export function executeStatement(connection: SqliteConnection, { text, values, returns, bigints = false }: SqlStatement): SqlResult {
  if (returns === "none") return { rows: [], affected: connection.run(text, values) };
  if (returns === "many") {
    return resultOf(connection.all(text, values, bigints));
  }
  const row = connection.first(text, values, bigints);
  return row === undefined ? { rows: [], affected: 0 } : { rows: [row], affected: 1 };
}

/** Whether a failed statement may have rolled back its transaction. A violated constraint does only with `on conflict rollback`, and in some triggers. */
export function mayHaveRolledBack(connection: SqliteConnection, error: unknown): boolean {
  if (!isConstraintViolation(error)) return true;
  try {
    // Refused in a transaction.
    connection.run("begin", []);
  } catch {
    return false;
  }
  rollBack(connection);
  return true;
}

/** Rolls back, unless an error already did. */
export function rollBack(connection: SqliteConnection): void {
  try {
    connection.execute("rollback");
  } catch {
    // Already rolled back.
  }
}
