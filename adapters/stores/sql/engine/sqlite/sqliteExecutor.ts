import { turnIsOver, yieldToEventLoop } from "../../../../../src/ground/http/yieldToEventLoop.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { requireOutside } from "../../../../../src/ground/storage/insideTransaction.js";
import type { ReadBounds } from "../../query/readBounds.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlScan, SqlStatement, SqlTransactionOptions } from "../executor.js";
import type { SqlPresence } from "../presence.js";
import type { RowReading, SqliteConnection, SqliteDriver } from "./sqliteConnection.js";
import { loadSqliteDriver } from "./sqliteDriver.js";
import { isMemory, openReader, openWriter } from "./sqliteFile.js";
import { checkSqliteOptions, type SqliteOptions } from "./sqliteOptions.js";
import { SqlitePresence } from "./sqlitePresence.js";
import { ScanSlots, SqliteScan } from "./sqliteScan.js";
import { beginRead, collectRows, executeStatement, resultOf } from "./sqliteStatement.js";
import { SqliteTransaction } from "./sqliteTransaction.js";
import { SqliteWriter } from "./sqliteWriter.js";

/**
 * Opens a SQLite database: one connection that writes, one that reads, and another one for each stream, long read and read-only transaction.
 *
 * @throws {Unavailable} if the file cannot be opened, with its path and what to do
 * @throws {Error} if there is no driver, with the command that installs one
 */
export function sqliteExecutor(options: SqliteOptions): SqlExecutor {
  checkSqliteOptions(options);
  const { path, busyTimeoutMs = 5_000, driver: wanted } = options;
  const driver = loadSqliteDriver(wanted);
  const connection = openWriter(driver, path, busyTimeoutMs);
  const writer = new SqliteWriter(connection, busyTimeoutMs);
  return isMemory(path) ? new MemoryExecutor(connection, writer) : new FileExecutor(connection, writer, driver, path);
}

/** The common part of file and memory databases: all writes go through the queue, and nothing is accepted after `close`. */
abstract class SqliteExecutor implements SqlExecutor {
  readonly dialect = "sqlite";
  protected readonly writer: SqliteWriter;
  protected readonly connection: SqliteConnection;
  #closing: Promise<void> | undefined;

  constructor(connection: SqliteConnection, writer: SqliteWriter) {
    this.connection = connection;
    this.writer = writer;
  }

  get queue(): object {
    return this.writer;
  }

  abstract stream(statement: SqlStatement, batchRows: number): AsyncIterable<readonly SqlRow[]>;
  abstract openScan(bounds: ReadBounds, isStream?: boolean): Promise<SqlScan>;
  abstract plan(statement: SqlStatement): Promise<readonly string[]>;
  protected abstract read(statement: SqlStatement, bounds: ReadBounds): SqlResult | Promise<SqlResult>;
  protected abstract end(): void;

  async query(statement: SqlStatement, bounds: ReadBounds = {}): Promise<SqlResult> {
    this.refuseIfClosed();
    return statement.writes ? this.writer.write(statement) : this.read(statement, bounds);
  }

  async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options: SqlTransactionOptions = {}): Promise<R> {
    this.refuseIfClosed();
    return this.writer.transaction(run, options.isBrief);
  }

  async ping(): Promise<void> {
    await this.query({ text: "select 1", values: [], writes: false, returns: "one" });
  }

  /** Waits for accepted writes, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.writer.idle().then(() => this.end());
    return this.#closing;
  }

  /** Reads the rows of a statement in a scan. */
  protected async readSlowly(statement: SqlStatement, bounds: ReadBounds): Promise<SqlResult> {
    const scan = await this.openScan(bounds);
    try {
      return await collectRows(scan.rows(statement));
    } finally {
      scan.close();
    }
  }

  protected get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  protected refuseIfClosed(): void {
    if (this.isClosed) throw new Unavailable("The SQLite database is closed.", { wroteNothing: true });
  }
}

/** The most idle readers that stay open for the next long reads. */
const maxSpares = 4;
/** A batch of a stream ends after this time, however few rows it has. */
const longBatchMs = 5;

/** A file in WAL mode: readers see committed rows and never wait for the writer. */
class FileExecutor extends SqliteExecutor {
  readonly #driver: SqliteDriver;
  readonly #path: string;
  readonly #slots = new ScanSlots();
  /** Idle readers of long reads that ended. */
  readonly #spares: SqliteConnection[] = [];
  #reader: SqliteConnection;
  /** How often the reader was replaced. */
  #readerNumber = 0;
  readonly presence: SqlPresence;

  constructor(connection: SqliteConnection, writer: SqliteWriter, driver: SqliteDriver, path: string) {
    super(connection, writer);
    this.#driver = driver;
    this.#path = path;
    this.#reader = openReader(driver, path);
    this.presence = new SqlitePresence(driver, path);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.presence.end();
  }

  override async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options: SqlTransactionOptions = {}): Promise<R> {
    if (!options.readOnly) return super.transaction(run, options);
    this.refuseIfClosed();
    const reader = openReader(this.#driver, this.#path);
    try {
      reader.execute("begin");
      return await SqliteTransaction.run(reader, run);
    } finally {
      reader.close();
    }
  }

  async plan({ text, values }: SqlStatement): Promise<readonly string[]> {
    this.refuseIfClosed();
    return this.#reader.plan(text, values);
  }

  /** Opens a new connection, whose transaction is the snapshot. */
  async openScan(bounds: ReadBounds, isStream = false): Promise<SqlScan> {
    this.refuseIfClosed();
    if (!isStream) await this.#slots.enter();
    try {
      const reader = openReader(this.#driver, this.#path);
      reader.execute("begin");
      return new SqliteScan(reader, bounds, false, "interrupt", () => {
        reader.close();
        if (!isStream) this.#slots.leave();
      });
    } catch (error) {
      if (!isStream) this.#slots.leave();
      throw error;
    }
  }

  /** Rows may have any size: a batch with rows that take long is shorter, so that it never holds the whole table. */
  async *stream({ text, values, bigints = false }: SqlStatement, batchRows: number): AsyncGenerator<readonly SqlRow[], void, void> {
    this.refuseIfClosed();
    await yieldToEventLoop();
    const reader = openReader(this.#driver, this.#path);
    const reading = reader.step(text, values, bigints);
    try {
      let batch: SqlRow[] = [];
      let spentMs = 0;
      let startedAt = performance.now();
      for (let [row] = reading.next(1); row !== undefined; [row] = reading.next(1)) {
        batch.push(row);
        const isOver = turnIsOver();
        if (isOver) spentMs += performance.now() - startedAt;
        if (batch.length >= batchRows || spentMs >= longBatchMs) {
          yield batch;
          batch = [];
          spentMs = 0;
          startedAt = performance.now();
        }
        if (!isOver) continue;
        await yieldToEventLoop();
        startedAt = performance.now();
      }
      if (batch.length > 0) yield batch;
    } finally {
      reading.end(true);
      reader.close();
    }
  }

  /** `data_version` tells of commits on other connections, and this one never writes. Its values are those of one connection. */
  changeMark(): string {
    this.refuseIfClosed();
    return `${this.#readerNumber} ${this.#reader.first("pragma data_version", [], false)?.["data_version"]}`;
  }

  protected override read(statement: SqlStatement, bounds: ReadBounds): SqlResult | Promise<SqlResult> {
    if (statement.returns !== "many") return executeStatement(this.#reader, statement);
    const begun = beginRead(this.#reader, statement);
    if (begun.rest === undefined) return resultOf(begun.rows);
    if (this.#slots.enterNow()) return this.#finish(begun.rows, begun.rest, bounds);
    // The limit of concurrent scans is reached: this read waits, and releases its snapshot meanwhile.
    begun.rest.end(true);
    return this.readSlowly(statement, bounds);
  }

  /** A long read keeps its connection, and other reads get another one: on the same connection they would see its old snapshot. */
  async #finish(rows: SqlRow[], rest: RowReading, bounds: ReadBounds): Promise<SqlResult> {
    const reader = this.#reader;
    try {
      this.#reader = this.#spares.pop() ?? openReader(this.#driver, this.#path);
      this.#readerNumber += 1;
    } catch (error) {
      rest.end(true);
      this.#slots.leave();
      throw error;
    }
    const scan = new SqliteScan(reader, bounds, false, "interrupt", () => this.#slots.leave());
    try {
      const result = await collectRows(scan.rest(rest), rows);
      this.#spare(reader);
      return result;
    } catch (error) {
      reader.close();
      throw error;
    } finally {
      scan.close();
    }
  }

  #spare(reader: SqliteConnection): void {
    if (this.isClosed || this.#spares.length >= maxSpares) reader.close();
    else this.#spares.push(reader);
  }

  protected override end(): void {
    for (const reader of [this.#reader, ...this.#spares]) reader.close();
    this.connection.first("pragma wal_checkpoint(truncate)", [], false);
    this.connection.close();
  }
}

/** A memory database has only one connection: reads wait for an open transaction, because they must not see its rows. */
class MemoryExecutor extends SqliteExecutor {
  async plan({ text, values }: SqlStatement): Promise<readonly string[]> {
    this.refuseIfClosed();
    return this.connection.plan(text, values);
  }

  /** Writes wait until the scan is closed: on the same connection they would change its snapshot. */
  openScan(bounds: ReadBounds): Promise<SqlScan> {
    this.refuseIfClosed();
    return new Promise((resolve) => {
      this.writer.hold(() => new Promise((end) => resolve(new SqliteScan(this.connection, bounds, true, "abandon", end))));
    });
  }

  changeMark(): string | undefined {
    this.refuseIfClosed();
    if (this.writer.openTransaction !== undefined) return undefined;
    return String(this.connection.first('select total_changes() as "changes"', [], true)?.["changes"]);
  }

  /** Reads all rows at once: that is the only snapshot on a connection that others write to. */
  async *stream(statement: SqlStatement, batchRows: number): AsyncGenerator<readonly SqlRow[], void, void> {
    const { rows } = await this.query(statement);
    for (let start = 0; start < rows.length; start += batchRows) yield rows.slice(start, start + batchRows);
  }

  /** A read that takes longer than one turn of the event loop starts again from its beginning, while writes wait. */
  protected override async read(statement: SqlStatement, bounds: ReadBounds): Promise<SqlResult> {
    while (this.writer.openTransaction !== undefined) {
      requireOutside(this.writer);
      await this.writer.openTransaction;
    }
    if (statement.returns !== "many") return executeStatement(this.connection, statement);
    const { rows, rest } = beginRead(this.connection, statement);
    if (rest === undefined) return resultOf(rows);
    rest.end(false);
    return this.readSlowly(statement, bounds);
  }

  protected override end(): void {
    this.connection.close();
  }
}
