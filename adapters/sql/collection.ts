import type {
  Call,
  Capabilities,
  Collection,
  CountedRows,
  GroupQuery,
  InsertManyOptions,
  NewRow,
  Row,
  RowPatch,
  TotalQuery,
} from "../../src/storage/collection.js";
import { findGroupsByPages } from "../../src/storage/completeGroups.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Query } from "../../src/storage/query.js";
import type { Id, Scalar, Version } from "../../src/storage/scalar.js";
import { isUniqueViolation, translateError } from "./engine/errors.js";
import { run, runGuarded, type Session } from "./engine/session.js";
import { cachedCount } from "./query/countCache.js";
import { decodeRows } from "./query/decodeRows.js";
import { selectGroups, withExactKeys } from "./query/groups.js";
import { countLong, findLong, iterateLong, type LongReads } from "./query/longReads.js";
import { ReadPlans } from "./query/readPlans.js";
import { countRows, looksIntoText, selectRows, tenantOf } from "./query/select.js";
import type { Table } from "./schema/table.js";
import { insertMany } from "./write/insertMany.js";
import { removeRows, touchedKeys, type UpdateOptions, updateRows } from "./write/rowStatements.js";
import { getOne, insertOne, removeOne, updateOne } from "./write/singleRow.js";

/** The rows of one table. */
export class SqlCollection implements Collection {
  readonly can: Capabilities;
  readonly #table: Table;
  readonly #session: Session;
  /** What long reads need. Set only for engines that run on the thread of the event loop. */
  readonly #slow: LongReads | undefined;

  constructor(table: Table, session: Session) {
    this.#table = table;
    this.#session = session;
    const { executor } = session;
    this.#slow = executor.openScan && { executor, plans: new ReadPlans(executor, table), table };
    this.can = capabilities(table);
  }

  async find(query: Query, call: Call): Promise<Row[]> {
    call.signal?.throwIfAborted();
    const { statement, columns } = selectRows(this.#table, query, tenantOf(call));
    if (this.#slow !== undefined && (await this.#slow.plans.isLong(statement, query, tenantOf(call)))) return findLong(this.#slow, query, call);
    const { rows } = await run(this.#session, statement, call);
    return decodeRows(columns, rows);
  }

  /** Does not read `call.signal` at once: hosts create it on first access, and most reads end before it is needed. */
  async get(id: Id, call: Call): Promise<Row | undefined> {
    return isStorable(this.#table, id) ? getOne(this.#session, this.#table, id, tenantOf(call), call) : undefined;
  }

  async insert(row: NewRow, call: Call & { readonly operationId?: string | undefined }): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    return insertOne(this.#session, this.#table, row, tenantOf(call), call.operationId);
  }

  async update(id: Id, patch: RowPatch, call: Call & UpdateOptions): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    if (!isStorable(this.#table, id)) return { ok: false, why: "missing" };
    return updateOne(this.#session, this.#table, id, patch, tenantOf(call), call);
  }

  async remove(id: Id, call: Call & { readonly ifVersion?: Version | undefined }): Promise<Outcome<Row>> {
    call.signal?.throwIfAborted();
    if (!isStorable(this.#table, id)) return { ok: false, why: "missing" };
    return removeOne(this.#session, this.#table, id, tenantOf(call), call.ifVersion);
  }

  async count(filter: Filter | undefined, call: Call & { readonly max?: number | undefined }): Promise<number> {
    call.signal?.throwIfAborted();
    const statement = countRows(this.#table, filter, tenantOf(call), call.max);
    return cachedCount(this.#session.executor, statement, async () => {
      if (this.#slow !== undefined && (await this.#slow.plans.isLongCount(statement, filter, call.max, tenantOf(call))))
        return countLong(this.#slow, filter, call);
      const { rows } = await run(this.#session, statement, call);
      return Number(rows[0]?.["count"] ?? 0);
    });
  }

  /**
   * On PostgreSQL, where a statement is a round trip, one statement reads the page and counts. On SQLite a cached count is faster. A filter that reads every row is
   * counted only if the page does not end the list.
   */
  async findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    if (this.#table.dialect.name !== "postgres" || looksIntoText(query.filter)) return { rows: await this.find(query, call) };
    call.signal?.throwIfAborted();
    const { statement, columns } = selectRows(this.#table, query, tenantOf(call), total);
    const { rows } = await run(this.#session, statement, call);
    return { rows: await decodeRows(columns, rows), total: rows[0] && Number(rows[0]["_total"]) };
  }

  async getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    const values: readonly Scalar[] = ids.filter((id) => isStorable(this.#table, id));
    if (values.length === 0) return [];
    return this.find({ filter: { op: "in", path: [this.#table.id.name], values }, sort: [], limit: values.length }, call);
  }

  async findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    call.signal?.throwIfAborted();
    const selection = selectGroups(this.#table, query, tenantOf(call));
    if (selection === undefined) return findGroupsByPages(this, this.#table.id.name, withExactKeys(this.#table, query), call);
    if (this.#slow !== undefined && !(await this.#slow.plans.findsGroups(selection.statement, query.filter, tenantOf(call)))) {
      return findGroupsByPages(this, this.#table.id.name, withExactKeys(this.#table, query), call);
    }
    const { rows } = await run(this.#session, selection.statement, call);
    return decodeRows(selection.columns, rows);
  }

  async insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    call.signal?.throwIfAborted();
    return insertMany(this.#session, this.#table, rows, tenantOf(call), call);
  }

  /** @throws {Error} when the patch would give two rows the same unique key */
  async updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    call.signal?.throwIfAborted();
    const statement = updateRows(this.#table, filter, patch, tenantOf(call));
    const keys = touchedKeys(this.#table, patch, false);
    try {
      return (await (keys.length > 0 ? runGuarded(this.#session, statement) : run(this.#session, statement))).affected;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const fields = keys.flatMap((key) => key.fields).join(", ");
      throw new Error(`Cannot set ${fields} to one value in many rows of "${this.#table.model.name}": ${fields} is a unique key.`, { cause: error });
    }
  }

  async removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    call.signal?.throwIfAborted();
    return (await run(this.#session, removeRows(this.#table, filter, tenantOf(call)))).affected;
  }

  async *iterate(query: Query, call: Call & { readonly batch?: number | undefined }): AsyncGenerator<Row[], void, void> {
    call.signal?.throwIfAborted();
    const { executor } = this.#session;
    const { statement, columns } = selectRows(this.#table, query, tenantOf(call));
    const batchRows = Math.min(call.batch ?? largestBatchRows, largestBatchRows);
    try {
      if (this.#slow !== undefined && (await this.#slow.plans.isLong(statement, query, tenantOf(call)))) {
        yield* iterateLong(this.#slow, query, call, batchRows);
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

/** Whether a row can have this id. An id of another type, or beyond 64 bits, matches no row, and engines would reject the query. */
function isStorable({ id }: Table, value: Id): boolean {
  if (id.kind === "text") return typeof value === "string";
  return typeof value === "bigint" ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

function capabilities({ model }: Table): Capabilities {
  return {
    transactions: true,
    snapshot: true,
    compareAndSet: true,
    uniqueKeys: model.unique.map(({ fields }) => fields),
    ops: ["and", "or", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "like", "has", "contains", "search", "related"],
    sortable: "all",
    caseFold: "unicode",
    maxBatch: 10_000,
    sharedLocks: true,
  };
}
