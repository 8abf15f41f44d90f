import { Unavailable } from "../../src/storage/errors.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "./executor.js";
import { Slice } from "./slice.js";
import type { SqliteConnection, SqliteDriver, SqliteDriverName } from "./sqliteConnection.js";
import { loadSqliteDriver } from "./sqliteDriver.js";
import { executeStatement } from "./sqliteExecute.js";
import { isMemory, openReader, openWriter } from "./sqliteFile.js";
import { SqliteTransaction } from "./sqliteTransaction.js";
import { SqliteWriter } from "./sqliteWriter.js";

export interface SqliteOptions {
  /** A file, created where there is none, or `:memory:`. */
  readonly path: string;
  /** How long a write waits for another process that writes to the same file; 5,000 unless given. */
  readonly busyTimeoutMs?: number | undefined;
  /** The driver to use; otherwise the first that there is of `node:sqlite`, `better-sqlite3` and `libsql`. */
  readonly driver?: SqliteDriverName | undefined;
}

/**
 * Opens a SQLite database: one connection that writes, one that reads, and one more for every stream and read-only transaction.
 *
 * @throws {Unavailable} when the file cannot be opened, naming it and what to do
 * @throws {Error} when there is no driver, naming the command that installs one
 */
export function sqliteExecutor({ path, busyTimeoutMs = 5_000, driver: wanted }: SqliteOptions): SqlExecutor {
  const driver = loadSqliteDriver(wanted);
  const connection = openWriter(driver, path, busyTimeoutMs);
  const writer = new SqliteWriter(connection, busyTimeoutMs);
  return isMemory(path) ? new MemoryExecutor(connection, writer) : new FileExecutor(connection, writer, driver, path);
}

/** What both kinds of database share: all writing goes through the queue, nothing comes in after `close`. */
abstract class SqliteExecutor implements SqlExecutor {
  readonly dialect = "sqlite";
  protected readonly writer: SqliteWriter;
  protected readonly connection: SqliteConnection;
  #closing: Promise<void> | undefined;

  constructor(connection: SqliteConnection, writer: SqliteWriter) {
    this.connection = connection;
    this.writer = writer;
  }

  abstract stream(statement: SqlStatement, batchRows: number): AsyncIterable<readonly SqlRow[]>;
  protected abstract read(statement: SqlStatement): SqlResult | Promise<SqlResult>;
  protected abstract end(): void;

  async query(statement: SqlStatement): Promise<SqlResult> {
    this.refuseIfClosed();
    return statement.writes ? this.writer.write(statement) : this.read(statement);
  }

  async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, _options?: SqlTransactionOptions): Promise<R> {
    this.refuseIfClosed();
    return this.writer.transaction(run);
  }

  async ping(): Promise<void> {
    await this.query({ text: "select 1", values: [], writes: false, returns: "one" });
  }

  /** Waits for what was accepted, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.writer.idle().then(() => this.end());
    return this.#closing;
  }

  protected refuseIfClosed(): void {
    if (this.#closing !== undefined) throw new Unavailable("The SQLite database is closed.");
  }
}

/** A file in WAL mode: readers see what is committed, and never wait for the writer. */
class FileExecutor extends SqliteExecutor {
  readonly #driver: SqliteDriver;
  readonly #path: string;
  readonly #reader: SqliteConnection;

  constructor(connection: SqliteConnection, writer: SqliteWriter, driver: SqliteDriver, path: string) {
    super(connection, writer);
    this.#driver = driver;
    this.#path = path;
    this.#reader = openReader(driver, path);
  }

  override async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options: SqlTransactionOptions = {}): Promise<R> {
    if (!options.readOnly) return super.transaction(run);
    this.refuseIfClosed();
    const reader = openReader(this.#driver, this.#path);
    try {
      reader.execute("begin");
      return await SqliteTransaction.run(reader, run);
    } finally {
      reader.close();
    }
  }

  async *stream({ text, values, bigints = false }: SqlStatement, batchRows: number): AsyncGenerator<readonly SqlRow[], void, void> {
    this.refuseIfClosed();
    const reader = openReader(this.#driver, this.#path);
    try {
      const slice = new Slice();
      let batch: SqlRow[] = [];
      for (const row of reader.iterate(text, values, bigints)) {
        batch.push(row);
        if (batch.length < batchRows) continue;
        yield batch;
        batch = [];
        if (slice.isOver) await slice.pause();
      }
      if (batch.length > 0) yield batch;
    } finally {
      reader.close();
    }
  }

  protected override read(statement: SqlStatement): SqlResult {
    return executeStatement(this.#reader, statement);
  }

  protected override end(): void {
    this.#reader.close();
    this.connection.first("pragma wal_checkpoint(truncate)", [], false);
    this.connection.close();
  }
}

/** A database in memory has one connection: readers wait for an open transaction, whose rows are not theirs to see. */
class MemoryExecutor extends SqliteExecutor {
  /** Reads everything at once: a snapshot on a connection that others write to in between. */
  async *stream(statement: SqlStatement, batchRows: number): AsyncGenerator<readonly SqlRow[], void, void> {
    const { rows } = await this.query(statement);
    for (let start = 0; start < rows.length; start += batchRows) yield rows.slice(start, start + batchRows);
  }

  protected override async read(statement: SqlStatement): Promise<SqlResult> {
    while (this.writer.openTransaction !== undefined) await this.writer.openTransaction;
    return executeStatement(this.connection, statement);
  }

  protected override end(): void {
    this.connection.close();
  }
}
