import type { Call, Capabilities, Collection, GroupQuery, InsertManyOptions, NewRow, Row, RowPatch } from "../../src/storage/collection.js";
import { findGroupsByPages } from "../../src/storage/completeGroups.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Query } from "../../src/storage/query.js";
import type { Id, Scalar, Version } from "../../src/storage/scalar.js";
import { isUniqueViolation, translateError } from "./errors.js";
import { selectGroups, withExactKeys } from "./groups.js";
import { insertMany } from "./insertMany.js";
import { removeRows } from "./remove.js";
import { countRows, selectRows, tenantOf } from "./select.js";
import { run, runGuarded, type Session } from "./session.js";
import { decodeColumns, type Table } from "./table.js";
import { touchedKeys, type UpdateOptions, updateRows } from "./update.js";
import { getOne, insertOne, removeOne, updateOne } from "./write.js";

/** The rows of one table. */
export class SqlCollection implements Collection {
  readonly can: Capabilities;
  readonly #table: Table;
  readonly #session: Session;

  constructor(table: Table, session: Session) {
    this.#table = table;
    this.#session = session;
    this.can = capabilities(table);
  }

  async find(query: Query, call: Call): Promise<Row[]> {
    call.signal?.throwIfAborted();
    const { statement, columns } = selectRows(this.#table, query, tenantOf(call));
    const { rows } = await run(this.#session, statement);
    return rows.map((stored) => decodeColumns(columns, stored));
  }

  /** One look-up: it is over before a signal could end it. */
  async get(id: Id, call: Call): Promise<Row | undefined> {
    return isStorable(this.#table, id) ? getOne(this.#session, this.#table, id, tenantOf(call)) : undefined;
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
    const { rows } = await run(this.#session, countRows(this.#table, filter, tenantOf(call), call.max));
    return Number(rows[0]?.["count"] ?? 0);
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
    const { rows } = await run(this.#session, selection.statement);
    return rows.map((stored) => decodeColumns(selection.columns, stored));
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
      throw new Error(`Cannot set ${fields} of many rows of "${this.#table.model.name}" to one value: it is a unique key.`, { cause: error });
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
      for await (const batch of executor.stream?.(statement, batchRows) ?? slices(await executor.query(statement), batchRows)) {
        call.signal?.throwIfAborted();
        yield batch.map((stored) => decodeColumns(columns, stored));
      }
    } catch (error) {
      throw translateError(error);
    }
  }
}

/** What a driver reads at a stretch before others have their turn. */
const largestBatchRows = 1_000;

function* slices<T>({ rows }: { readonly rows: readonly T[] }, size: number): Generator<readonly T[], void, void> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** No row can have an id of another type, or one beyond 64 bits; engines would refuse the question. */
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
    ops: ["and", "or", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "like", "has", "contains", "search"],
    sortable: "all",
    caseFold: "unicode",
    maxBatch: 10_000,
  };
}
