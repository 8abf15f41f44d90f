import type {
  Call,
  Capabilities,
  Collection,
  CountedRows,
  CountLimits,
  CountOptions,
  GroupQuery,
  InsertCall,
  InsertManyOptions,
  IterateOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../../../src/ground/storage/collection.js";
import { findGroupsByPages } from "../../../src/ground/storage/completed/completeGroups.js";
import type { Filter } from "../../../src/ground/storage/filter.js";
import type { Outcome } from "../../../src/ground/storage/outcome.js";
import type { Query } from "../../../src/ground/storage/query.js";
import type { Id, Scalar, Version } from "../../../src/ground/storage/values/scalar.js";
import { translateError } from "./engine/errors.js";
import { run, type Session } from "./engine/session.js";
import { cachedCount } from "./query/countCache.js";
import { type Counted, countRows, readCount } from "./query/counting.js";
import { decodeRows } from "./query/decodeRows.js";
import { selectGroups, withExactKeys } from "./query/groups.js";
import { countLong, findLong, iterateLong, type LongReads } from "./query/longReads/longReads.js";
import { ReadPlans } from "./query/longReads/readPlans.js";
import { looksIntoText } from "./query/looksIntoText.js";
import { getOne, readVersions, selectRows, tenantOf } from "./query/select.js";
import type { StoredTable } from "./storedTable.js";
import type { UpdateOptions } from "./write/rowStatements.js";

/** The rows of one table. */
export class SqlCollection implements Collection {
  readonly can: Capabilities;
  readonly #stored: StoredTable;
  readonly #session: Session;
  #longReads: LongReads | undefined;

  constructor(stored: StoredTable, session: Session) {
    this.#stored = stored;
    this.#session = session;
    this.can = stored.can;
  }

  /** The table of a call, and how it is written. A table of the developer is known only after the start. */
  #in({ deleted }: Call): StoredTable {
    return (deleted === undefined ? undefined : this.#stored.deleted?.(deleted)) ?? this.#stored;
  }

  /** What long reads need. Set only for engines that run on the thread of the event loop, and tables whose rows can be read in slices. */
  #slow({ table }: StoredTable): LongReads | undefined {
    const { executor } = this.#session;
    if (executor.openScan === undefined || table.rowid === undefined) return undefined;
    if (this.#longReads?.table !== table) this.#longReads = { executor, plans: new ReadPlans(executor, table), table };
    return this.#longReads;
  }

  async find(query: Query, call: Call): Promise<Row[]> {
    call.signal?.throwIfAborted();
    const stored = this.#in(call);
    const { statement, columns } = selectRows(stored.table, query, tenantOf(call));
    const slow = this.#slow(stored);
    if (slow !== undefined && (await slow.plans.isLong(statement, query, tenantOf(call)))) return findLong(slow, query, call);
    const { rows } = await run(this.#session, statement, call);
    return decodeRows(columns, rows);
  }

  /** Does not read `call.signal` at once: hosts create it on first access, and most reads end before it is needed. */
  async get(id: Id, call: Call): Promise<Row | undefined> {
    const { table, hasPlainIds } = this.#in(call);
    if (!table.id.accepts(id)) return undefined;
    const { gets } = this.#session;
    return hasPlainIds && gets !== undefined ? gets.get(table, id, tenantOf(call), call) : getOne(this.#session, table, id, tenantOf(call), call);
  }

  async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    return this.#in(call).writes.insert(this.#session, row, tenantOf(call), call);
  }

  async update(id: Id, patch: RowPatch, call: Call & UpdateOptions): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    const { table, writes } = this.#in(call);
    if (!table.id.accepts(id)) return { ok: false, why: "missing" };
    return writes.update(this.#session, id, patch, tenantOf(call), call);
  }

  async remove(id: Id, call: Call & { readonly ifVersion?: Version | undefined }): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    const { table, writes } = this.#in(call);
    if (!table.id.accepts(id)) return { ok: false, why: "missing" };
    return writes.remove(this.#session, id, tenantOf(call), call.ifVersion);
  }

  async count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    call.signal?.throwIfAborted();
    const stored = this.#in(call);
    const slow = this.#slow(stored);
    // A long read stops by itself, and its engine tells which conditions it searches.
    const limits: CountLimits = slow === undefined ? call : { max: call.max };
    const statement = countRows(stored.table, filter, tenantOf(call), limits);
    const { count, isPartial } = await cachedCount(this.#session.executor, statement, async (): Promise<Counted> => {
      if (slow !== undefined && (await slow.plans.isLongCount(statement, filter, call.max, tenantOf(call)))) return countLong(slow, filter, call);
      const { rows } = await run(this.#session, statement, call);
      return readCount(rows[0]?.["count"]);
    });
    if (isPartial) call.onPartial?.();
    return count;
  }

  /**
   * Where a statement is a round trip, one statement reads the page and counts; elsewhere a cached count is faster. A filter that reads every row is counted only if
   * the page does not end the list.
   */
  async findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    const { table } = this.#in(call);
    if (!table.dialect.hasRoundTrips || looksIntoText(query.filter)) return { rows: await this.find(query, call) };
    call.signal?.throwIfAborted();
    const { statement, columns } = selectRows(table, query, tenantOf(call), total);
    const { rows } = await run(this.#session, statement, call);
    const counted = rows[0] && readCount(rows[0]["_total"]);
    return { rows: await decodeRows(columns, rows), total: counted?.count, isPartial: counted?.isPartial };
  }

  async getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    const { id } = this.#in(call).table;
    const values: readonly Scalar[] = ids.filter((each) => id.accepts(each));
    if (values.length === 0) return [];
    return this.find({ filter: { op: "in", path: [id.name], values }, sort: [], limit: values.length }, call);
  }

  async findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    call.signal?.throwIfAborted();
    const stored = this.#in(call);
    const { table } = stored;
    const selection = selectGroups(table, query, tenantOf(call));
    const slow = this.#slow(stored);
    const isQuick =
      selection !== undefined && (slow === undefined || (await slow.plans.findsGroups(selection.statement, query.filter, tenantOf(call))));
    if (!isQuick) return findGroupsByPages(this, table.id.name, withExactKeys(table, query), call);
    const { rows } = await run(this.#session, selection.statement, call);
    return decodeRows(selection.columns, rows);
  }

  async insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    call.signal?.throwIfAborted();
    return this.#in(call).writes.insertMany(this.#session, rows, tenantOf(call), call);
  }

  async updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    call.signal?.throwIfAborted();
    const { table, writes } = this.#in(call);
    const known = updates.filter(({ id }) => table.id.accepts(id));
    const written = await writes.updateEach(this.#session, known, tenantOf(call));
    if (known.length === updates.length) return written;
    const outcomes = new Map(known.map((update, index) => [update, written[index] as Outcome<Row>]));
    return updates.map((update) => outcomes.get(update) ?? { ok: false, why: "missing" });
  }

  /** @throws {Error} when the patch would give two rows the same unique key */
  async updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    call.signal?.throwIfAborted();
    return this.#in(call).writes.updateMany(this.#session, filter, patch, tenantOf(call));
  }

  async removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    call.signal?.throwIfAborted();
    return this.#in(call).writes.removeMany(this.#session, filter, tenantOf(call));
  }

  async isSameVersion(id: Id, versions: { readonly current: Version; readonly earlier: Version }, call: Call): Promise<boolean> {
    call.signal?.throwIfAborted();
    const { table } = this.#in(call);
    const earlier = table.earlier?.(versions.earlier);
    if (earlier === undefined || !table.id.accepts(id)) return false;
    const read = await readVersions(this.#session, table, [id, tenantOf(call)], earlier, call);
    return read?.current === versions.current && read.earlier === versions.earlier;
  }

  async *iterate(query: Query, call: Call & IterateOptions): AsyncGenerator<Row[], void, void> {
    call.signal?.throwIfAborted();
    const { executor } = this.#session;
    const stored = this.#in(call);
    const { statement, columns } = selectRows(stored.table, query, tenantOf(call));
    const batchRows = Math.min(call.batch ?? largestBatchRows, largestBatchRows);
    try {
      const slow = this.#slow(stored);
      if (slow !== undefined && (await slow.plans.isLong(statement, query, tenantOf(call)))) {
        yield* iterateLong(slow, query, call, batchRows);
        return;
      }
      for await (const batch of executor.stream?.(statement, batchRows, call) ?? slices(await executor.query(statement, call), batchRows)) {
        call.signal?.throwIfAborted();
        yield await decodeRows(columns, batch);
      }
    } catch (error) {
      throw translateError(error);
    }
  }
}

/** The most rows that a driver reads before the event loop runs other work. */
const largestBatchRows = 1_000;

function* slices<T>({ rows }: { readonly rows: readonly T[] }, size: number): Generator<readonly T[], void, void> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
